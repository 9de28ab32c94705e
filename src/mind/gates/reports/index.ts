/**
 * Reads the report that a runner wrote into a fresh directory during a run. The code under check may also write to it,
 * so it can make a result worse, never better: the exit code, the tests of the base and the canary decide its worth.
 * cargo is missing: it writes no file in a stable format, but nextest writes JUnit.
 */
import { assertNever } from '../../../kernel/assert-never.ts';
import { readGoTest } from './go-test.ts';
import { readJestJson } from './jest-json.ts';
import { readJunit } from './junit.ts';
import { type ReadReport, type TestReport, type TestStatus, unusable } from './report.ts';
import { readTapReport } from './tap.ts';

export const REPORT_FORMATS = ['junit', 'tap', 'vitest', 'jest', 'go'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export function readReport(format: ReportFormat, text: string): ReadReport {
  if (text.trim() === '') return unusable('it is empty');
  switch (format) {
    case 'junit':
      return readJunit(text);
    case 'tap':
      return readTapReport(text);
    case 'vitest':
    case 'jest':
      return readJestJson(format, text);
    case 'go':
      return readGoTest(text);
    default:
      return assertNever(format, 'format of a test report');
  }
}

/** Counted from the cases. */
export function countsOf({ tests }: TestReport): { ran: number; failed: number; skipped: number } {
  const counts = { ran: 0, failed: 0, skipped: 0 };
  for (const { status } of tests) {
    if (status === 'skipped') counts.skipped += 1;
    else counts.ran += 1;
    if (status === 'failed') counts.failed += 1;
  }
  return counts;
}

const WORST: Readonly<Record<TestStatus, number>> = { passed: 0, skipped: 1, failed: 2 };

/** One status per id: the worst of all cases that share it. */
export function statusById({ tests }: TestReport): ReadonlyMap<string, TestStatus> {
  const found = new Map<string, TestStatus>();
  for (const { id, status } of tests) {
    const before = found.get(id);
    if (before === undefined || WORST[status] > WORST[before]) found.set(id, status);
  }
  return found;
}
