/** Failed tests in vitest's default reporter. */
import type { Found } from './ids.ts';
import { isLast, isRepeated, onlyLine } from './one-line.ts';

const SUMMARY = /^ +Tests {2}(\d+) failed(?: \| (\d+) passed)?(?: \| \d+ [a-z ]{1,20}){0,4} \(\d+\)$/;

export function readVitest(stdout: readonly string[], stderr: readonly string[]): Found | null {
  const lines = [...stdout, ...stderr];
  if (!isLast(stdout, /^ +Duration {2}/)) return null;
  const summary = onlyLine(lines, SUMMARY, / Tests {2}\d/);
  const files = onlyLine(lines, /^ Test Files {2}\d+ failed/, /Test Files {2}\d/);
  if (summary === null || files === null) return null;
  // Errors outside of tests, and files that did not load: which tests they took along is not known.
  if (lines.some((line) => /^ +Errors {2}\d|Failed Suites \d|Unhandled Errors?/.test(line))) return null;
  const ids: string[] = [];
  for (const line of lines) {
    if (!line.includes('FAIL ')) continue;
    const id = /^ FAIL {2}(\S.* > .*)$/.exec(line)?.[1];
    if (id === undefined || isRepeated(line, 'FAIL ')) return null;
    ids.push(id);
  }
  const failed = Number(summary[1]);
  return { ids, count: failed, ran: failed + Number(summary[2] ?? 0) };
}
