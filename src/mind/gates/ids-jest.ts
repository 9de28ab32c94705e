/** Failed tests in jest's default reporter. With many files it repeats them at its end: the same ids once more. */
import type { Found } from './ids.ts';
import { isLast, isRepeated, onlyLine } from './one-line.ts';

const SUMMARY = /^Tests: +(\d+) failed, ((?:\d+ [a-z]+, ){0,3})\d+ total$/;

export function readJest(lines: readonly string[]): Found | null {
  const summary = onlyLine(lines, SUMMARY, /\bTests: +\d/);
  if (summary === null || !isLast(lines, /^Ran all test suites/)) return null;
  const ids: string[] = [];
  let file: string | null = null;
  for (const line of lines) {
    if (/^(?:PASS|RUNS) /.test(line)) file = null;
    const begun = /^FAIL (\S+)(?: \([\d.]+ m?s\))?$/.exec(line)?.[1];
    if (begun !== undefined) file = begun;
    else if (line.includes('FAIL ')) return null;
    if (!line.includes('●') || /^ {2}● Console$/.test(line)) continue;
    const name = /^ {2}● (.+)$/.exec(line)?.[1];
    if (name === undefined || isRepeated(line, '●') || file === null || name === 'Test suite failed to run')
      return null;
    ids.push(`${file} > ${name}`);
  }
  const failed = Number(summary[1]);
  const passed = Number(/(\d+) passed/.exec(summary[2] ?? '')?.[1] ?? 0);
  return { ids, count: failed, ran: failed + passed };
}
