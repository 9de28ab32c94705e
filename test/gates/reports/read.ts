/** Short words for tests of report readers. Reports in test/fixtures/reports are recorded; its README says how. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { countsOf, type ReportFormat, readReport } from '../../../src/mind/gates/reports/index.ts';
import type { TestCase, TestReport } from '../../../src/mind/gates/reports/report.ts';

export const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/reports', name), 'utf8');

export function reportOf(format: ReportFormat, text: string): TestReport {
  const read = readReport(format, text);
  if (read.type === 'unusable') throw new Error(read.problem);
  return read.report;
}

/** `+` passed, `~` passed only when tried again, `x` failed, `-` skipped; problems behind `!`. */
export function said(format: ReportFormat, text: string): string[] {
  const { tests, problems } = reportOf(format, text);
  const mark: Readonly<Record<TestCase['status'], string>> = { passed: '+', failed: 'x', skipped: '-' };
  return [
    ...tests.map(({ id, status, flaky }) => `${flaky ? '~' : mark[status]} ${id}`),
    ...problems.map((problem) => `! ${problem}`),
  ];
}

export const problemOf = (format: ReportFormat, text: string): string | null => {
  const read = readReport(format, text);
  return read.type === 'unusable' ? read.problem : null;
};

/** Whether a caller could take it for a pass. */
export function isGreen(format: ReportFormat, text: string): boolean {
  const read = readReport(format, text);
  if (read.type === 'unusable' || read.report.problems.length > 0) return false;
  const { ran, failed } = countsOf(read.report);
  return ran > 0 && failed === 0;
}

/** The text with a change in it, which must be there to make. */
export function changed(text: string, from: string | RegExp, to: string): string {
  const next = text.replace(from, to);
  expect(next).not.toBe(text);
  return next;
}
