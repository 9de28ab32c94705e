/** What a person reads at the end of a task, and what they are told to do next. */
import { expect, test } from 'vitest';
import { Output } from '../../src/faces/cli/output.ts';
import { printReport, type ReportExtras } from '../../src/faces/cli/report.ts';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';

/** Keeps what would be printed. */
class Page extends Output {
  readonly lines: string[] = [];
  override line(text = ''): void {
    this.lines.push(text);
  }
  override entry(head: string, body: string): void {
    this.lines.push(`${head} ${body}`);
  }
  override heading(text: string): void {
    this.lines.push(text);
  }
}

const ACCEPTED: RunReport = {
  ...{ task_id: 't-1', title: 'fix it', status: 'accepted', workflow: 'default', onto: 'main', base: 'b'.repeat(40) },
  ...{ branch: 'ai/t-1-fix-it', commit: 'c'.repeat(40), candidate: 'tree', change_id: 'change' },
  verified: true,
  red: null,
  simulated: false,
  landed: null,
  steps: [],
  waiting: [],
  incident: null,
  refused_outcomes: 0,
  verdict: { decision: 'APPROVE', score: null, reasons: ['all steps are done'], codes: [], notes: [] },
  cost: { usd: null, tokens_in: null, tokens_out: null, unpriced_attempts: 0 },
};
const FAILED: RunReport = {
  ...{ ...ACCEPTED, status: 'failed', branch: null, commit: null },
  verdict: { decision: 'REJECT', score: null, reasons: ['gate failed: tests'], codes: [], notes: [] },
};

function printed(report: RunReport, extras: ReportExtras = {}): string {
  const page = new Page(false);
  printReport(page, report, extras);
  return page.lines.join('\n');
}

test('an accepted task: where it is, how much it changes, how to read it and how to land it', () => {
  expect(printed(ACCEPTED, { filesChanged: 2 })).toBe(`
t-1  fix it
accepted: all steps are done
  cost           unknown
  branch         ai/t-1-fix-it
  commit         cccccccccccc
  changes        2 files

What next
  supervisor diff t-1  read what it changed
  supervisor show t-1  its steps, evidence and cost
  supervisor land t-1  move main to it`);
});

test('the verdict is one line, and its score is never rounded up', () => {
  const verdict = { ...FAILED.verdict, score: 0.6999, codes: ['borderline'], notes: ['advisory_failed'] };
  expect(printed({ ...FAILED, verdict })).toContain(
    '\n  verdict        REJECT, score 0.69 (borderline, advisory failed)\n',
  );
});

test('a canary that could prove nothing is "not proven", and no pass', () => {
  const rest = {
    attempt: 1,
    evidence: null,
    ms: 1,
    excused: 0,
    cached: false,
    tests: null,
    findings: null,
    flaky: null,
  };
  const step = (score: number | null) => ({
    ...{ id: 'build', kind: 'change' as const, status: 'done', attempts: 1, cli: null, duration_ms: 1, history: [] },
    evidence: [
      { gate: 'tests', status: 'pass', ...rest, score: 1 },
      { gate: 'tests-canary', status: 'pass', ...rest, score },
    ],
  });
  expect(printed({ ...ACCEPTED, steps: [step(null)] })).toContain('tests pass (attempt 1), tests-canary not proven (');
  expect(printed({ ...ACCEPTED, steps: [step(1)] })).toContain('tests-canary pass (attempt 1)');
});

test('an unchecked change says so loudly; a played one says that it was only played', () => {
  const unchecked = printed({ ...ACCEPTED, verified: false });
  expect(unchecked).toContain('NOT VERIFIED');
  expect(unchecked).toContain('supervisor land t-1 --unverified');
  const played = printed({ ...ACCEPTED, verified: false, simulated: true, branch: null, commit: null });
  expect(played).toContain('simulated');
  expect(played).not.toMatch(/NOT VERIFIED|What next/);
  expect(printed(ACCEPTED)).not.toMatch(/NOT VERIFIED|simulated/);
});

test('a failed task: why, where the evidence is, how to resume it', () => {
  expect(printed(FAILED)).toBe(`
t-1  fix it
failed: gate failed: tests
  cost           unknown

What next
  supervisor show t-1 --evidence  what the gates found, whole
  supervisor resume t-1           go on with it, with fresh attempts`);
});

test('nothing is offered that cannot be done: a cancelled or landed task goes nowhere', () => {
  expect(printed({ ...FAILED, status: 'cancelled' })).not.toContain('What next');
  expect(printed({ ...ACCEPTED, landed: { onto: 'main', commit: 'd'.repeat(40) } })).not.toContain('supervisor land');
});
