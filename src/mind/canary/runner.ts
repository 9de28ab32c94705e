/** Which files of a tree are tests of a runner, and which runner's syntax a test file uses. */
import { testMatcher } from '../candidates/test-paths.ts';
import type { GateCheck } from '../gates/kinds.ts';
import type { TestRunner } from './plant.ts';

const SCRIPTS = /\.[cm]?[jt]sx?$/;
const ENDINGS: Readonly<Record<TestRunner, RegExp>> = {
  tap: SCRIPTS,
  vitest: SCRIPTS,
  jest: SCRIPTS,
  pytest: /\.py$/,
  unittest: /\.py$/,
  go: /_test\.go$/,
  cargo: /\.rs$/,
};
const MOST = 2_000;

type TestOutputFormat = Pick<GateCheck, 'ids' | 'report'>;
const formatOf = ({ ids, report }: TestOutputFormat): TestRunner | 'junit' | null => ids ?? report?.format ?? null;

export function testFilesOf(
  check: TestOutputFormat,
  paths: readonly string[],
  testPaths: readonly string[],
): readonly string[] {
  const format = formatOf(check);
  const isTest = testMatcher(testPaths);
  const hasEnding = (path: string) =>
    format === null || format === 'junit'
      ? Object.values(ENDINGS).some((ending) => ending.test(path))
      : ENDINGS[format].test(path);
  // In Rust, tests stand beside the code that they test.
  return paths.filter((path) => hasEnding(path) && (path.endsWith('.rs') || isTest(path))).slice(0, MOST);
}

/** Returns null if the file does not tell. */
export function runnerOf(check: TestOutputFormat, path: string, text: string): TestRunner | null {
  const format = formatOf(check);
  if (format !== null && format !== 'junit') return ENDINGS[format].test(path) ? format : null;
  if (ENDINGS.go.test(path)) return 'go';
  if (ENDINGS.cargo.test(path)) return 'cargo';
  if (ENDINGS.pytest.test(path))
    return /^\s*(?:import pytest|from pytest|def test_)/m.test(text) ? 'pytest' : 'unittest';
  if (/['"]vitest['"]/.test(text)) return 'vitest';
  return /['"]node:test['"]/.test(text) ? 'tap' : 'jest';
}
