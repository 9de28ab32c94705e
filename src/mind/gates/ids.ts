/**
 * Reads the failed tests from a runner's output; null if the set is not certain. The code under check also writes to
 * that output, so doubt means null, and red stays red: a second summary, a count that differs from the ids, a marker in
 * a line of another shape, a test file that did not load, a runner that stopped early or did not print last.
 *
 * Not covered: code that imitates its runner's whole output, without a trace of the real one. Such code could as well
 * exit with 0. It cannot fail and leave the report out, because the exit code decides. For the same reason no runner
 * may stop at the first failure (`--bail`, `-x`): nobody compared what it did not run.
 */
import { assertNever } from '../../kernel/assert-never.ts';
import type { GateConfig } from './gate-config.ts';
import {
  type RunnerIds,
  readCargo,
  readGo,
  readJest,
  readPytest,
  readTap,
  readUnittest,
  readVitest,
} from './runner-output.ts';

export type IdFormat = NonNullable<GateConfig['ids']>;
export type RunnerOutput = { readonly stdout: string; readonly stderr: string };
export type FailedTests = {
  readonly failed: readonly string[];
  /** How many tests finished; null if the runner does not say. */
  readonly ran: number | null;
};

/** Low coverage makes a run red without a failed test. */
const COVERAGE = /coverage.{0,80}(?:threshold|not reached|not met|does not meet)/i;
const MAX_IDS = 1_000;
const MAX_ID = 500;

export function failedTests(format: IdFormat, printed: RunnerOutput): FailedTests | null {
  const stdout = plain(printed.stdout);
  const stderr = plain(printed.stderr);
  if (stdout === null || stderr === null || COVERAGE.test(stdout) || COVERAGE.test(stderr)) return null;
  const found = read(format, stdout.split('\n'), stderr.split('\n'));
  if (found === null) return null;
  const failed = [...new Set(found.ids)].sort();
  if (failed.length === 0 || failed.length > MAX_IDS || failed.some((id) => id.length > MAX_ID)) return null;
  if (found.count !== null && found.count !== failed.length) return null;
  return { failed, ran: found.ran };
}

function read(format: IdFormat, stdout: readonly string[], stderr: readonly string[]): RunnerIds | null {
  switch (format) {
    case 'tap':
      return readTap(stdout);
    case 'pytest':
      return readPytest(stdout);
    case 'unittest':
      return readUnittest([...stdout, ...stderr]);
    case 'vitest':
      return readVitest(stdout, stderr);
    case 'jest':
      return readJest([...stdout, ...stderr]);
    case 'go':
      return readGo(stdout);
    case 'cargo':
      return readCargo(stdout, stderr);
    default:
      return assertNever(format, 'format of test ids');
  }
}

/** Without colours; null if other controls remain that move a cursor or hide text. */
function plain(text: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this is about
  const bare = text.replaceAll(/\u001b\[[0-9;]{0,20}m/g, '').replaceAll('\r\n', '\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  return /[\u0000-\u0008\u000b-\u001f\u007f]/.test(bare) ? null : bare;
}
