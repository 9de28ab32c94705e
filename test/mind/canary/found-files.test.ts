/** Planting into files that others wrote: whatever is planted parses, and into most of them something is planted. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plantBeside, plantInto, type TestRunner } from '../../../src/mind/canary/plant.ts';
import { untested } from '../../support/untested.ts';
import { diceOf } from './dice.ts';
import { missing, pythonErrors, type Source, scriptErrors } from './parse.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MAX_BYTES = 300_000;

function filesIn(folder: string, name: RegExp): Source[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile() && statSync(path).size < MAX_BYTES)
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** The share of files into which something is planted, of those that parse as they are. */
function shareOf(runner: TestRunner, files: readonly Source[], errors: (all: readonly Source[]) => string[]): number {
  const good = files.filter((file) => errors([file]).length === 0);
  const planted = good.map(({ path, text }, seed) => plantInto(runner, path, text, diceOf(seed)));
  const beside = good.map(({ path, text }, seed) => plantBeside(runner, path, text, diceOf(seed)));
  expect(errors([...planted, ...beside].filter((one) => one !== null))).toEqual([]);
  return planted.filter((one) => one !== null).length / good.length;
}

test("this repository's own tests", () => {
  const files = filesIn(join(ROOT, 'test'), /\.test\.ts$/);
  expect(files.length).toBeGreaterThan(200);
  expect(shareOf('vitest', files, scriptErrors)).toBeGreaterThan(0.95);
});

test('tests that libraries brought along', () => {
  const files = filesIn(
    join(ROOT, 'node_modules'),
    /(?:[._-](?:test|spec)\.[cm]?[jt]sx?|(?:^|\/)__tests__\/[^/]+\.[jt]sx?)$/,
  );
  if (files.length > 0) expect(shareOf('jest', files, scriptErrors)).toBeGreaterThan(0.5);
});

test.skipIf(untested("planting into tests of Python's library", missing('python3')))(
  "tests of Python's library",
  () => {
    const { stdout } = spawnSync(
      'python3',
      ['-c', 'import unittest, os; print(os.path.dirname(os.path.dirname(unittest.__file__)))'],
      {
        encoding: 'utf8',
      },
    );
    const files = filesIn(join(stdout.trim(), 'test'), /(?:^|\/)test_[^/]*\.py$/).filter(
      (_, index) => index % 12 === 0,
    );
    // Each file alone would start Python hundreds of times.
    const all = (sources: readonly Source[]) => (sources.length === 1 ? [] : pythonErrors(sources));
    const bad = new Set(pythonErrors(files).map((line) => line.split(': ')[0]));
    const good = files.filter(({ path }) => !bad.has(path));
    // Some systems leave them out.
    if (good.length < 30) return;
    expect(shareOf('unittest', good, all)).toBeGreaterThan(0.5);
    expect(shareOf('pytest', good, all)).toBeGreaterThan(0.9);
  },
);
