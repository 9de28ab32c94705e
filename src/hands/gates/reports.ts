/** Combines the end of a run with its reports: exit code, report and counts have to agree. */
import { join } from 'node:path';
import { failedTests, type RunnerOutput } from '../../mind/gates/ids.ts';
import type { GateCheck } from '../../mind/gates/kinds.ts';
import { saysNoTestRan } from '../../mind/gates/no-tests.ts';
import { failuresSaid } from '../../mind/gates/printed-failures.ts';
import { countsOf, readReport, statusById } from '../../mind/gates/reports/index.ts';
import type { TestReport, TestStatus } from '../../mind/gates/reports/report.ts';
import { checkTotals } from '../../mind/gates/totals.ts';
import { namesIn } from '../../os/files/names-in.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import type { CheckRunResult, EndedRun, GateRunEnd, ListedTests } from './run-result.ts';

type TestResult = GateRunEnd & Partial<Pick<EndedRun, 'tests' | 'ran' | 'listed' | 'kept'>>;
type Unusable = Pick<Extract<CheckRunResult, { type: 'error' }>, 'type' | 'problem' | 'noTests' | 'green'>;
type Run = { readonly printed: RunnerOutput; readonly ended: GateRunEnd; readonly dir: string | null };

const MAX_REPORT = 64 << 20;
const MAX_FILES = 500;

export const reportsOf = ({ report, keeps }: GateCheck): boolean => report !== undefined || keeps !== null;

export function byReports(check: GateCheck, run: Run): TestResult | Unusable {
  const found = check.report === undefined ? byOutput(check, run) : byTestReport(check.report, run);
  const tested = found.type === 'error' ? { ...found, green: run.ended.status === 'pass' } : found;
  if (tested.type === 'error' || check.keeps === null || tested.status === 'fail') return tested;
  const kept = readFile(run.dir, check.keeps);
  if (kept.type === 'none') return { type: 'error', problem: `${run.ended.ended}, and ${kept.problem}` };
  return { ...tested, kept: kept.texts.length === 1 ? (kept.texts[0] ?? '') : null };
}

/** Judges by the printed output, if the gate says how to read it (`ids`). */
function byOutput({ ids }: GateCheck, { printed, ended }: Run): TestResult | Unusable {
  if (ids === undefined) return ended.status === 'pass' ? bySummaries(printed, ended) : ended;
  const green = ended.status === 'pass';
  const counted = checkTotals(ids, printed, { green, ended: ended.ended });
  if (counted.type === 'error') return counted;
  const listed = listedIn(ids, printed, green);
  if (counted.type === 'stands' && green) return { ...ended, ran: counted.ran, listed };
  const tests = failedTests(ids, printed);
  const red = counted.type === 'red' ? { ...ended, status: 'fail' as const, ended: counted.ended } : ended;
  return { ...red, tests, ran: tests?.ran ?? null, listed };
}

/** All tests by name, for a runner whose usual output is a whole report. Null if it does not parse as one. */
function listedIn(ids: NonNullable<GateCheck['ids']>, { stdout }: RunnerOutput, green: boolean): ListedTests | null {
  const read = ids === 'tap' && !NAMELESS.test(stdout) ? readReport('tap', stdout) : null;
  if (read?.type !== 'report' || (green && read.report.problems.length > 0)) return null;
  return namedBy(read.report);
}

/** A test point without a name: a number in its place would become another test's as soon as one is gone. */
const NAMELESS = /^ *(?:not )?ok(?: \d+)?(?: -)? *(?:#.*)?$/m;

/** Groups tests by result, each name once. */
function namedBy(report: TestReport): ListedTests {
  const byId = [...statusById(report)];
  const names = (...wanted: TestStatus[]) => byId.filter(([, status]) => wanted.includes(status)).map(([id]) => id);
  const flaky = [...new Set(report.tests.filter((one) => one.flaky).map(({ id }) => id))];
  return { ran: names('passed', 'failed'), failed: names('failed').sort(), skipped: names('skipped'), flaky };
}

/** The runner is unknown: exit code 0 stands, unless a summary says that tests failed or that none ran. */
function bySummaries(printed: RunnerOutput, ended: GateRunEnd): TestResult | Unusable {
  const failed = failuresSaid(printed);
  if (failed > 0) return { ...ended, status: 'fail', ended: `${ended.ended}, but its summary counts ${failed} failed` };
  return saysNoTestRan(printed) ? { type: 'error', problem: NO_TEST_RAN, noTests: true } : ended;
}

const NO_TEST_RAN =
  'no test ran: exit code 0, and its output says that none was found or all were skipped (if the gate should run none, send its output to /dev/null)';

/** A report comes from inside the sandbox: it can take away a pass and never give one. */
function byTestReport({ format, file }: NonNullable<GateCheck['report']>, { ended, dir }: Run): TestResult | Unusable {
  const green = ended.status === 'pass';
  const files = readFile(dir, file);
  // Red is red, whether or not the runner wrote its report.
  if (files.type === 'none')
    return green ? { type: 'error', problem: `${ended.ended}, and ${files.problem}` } : { ...ended, tests: null };
  const read = files.texts.map((text) => readReport(format, text));
  const unusable = read.find((one) => one.type === 'unusable');
  if (unusable !== undefined)
    return green
      ? { type: 'error', problem: `${ended.ended}, but its report ${file} cannot be used: ${unusable.problem}` }
      : { ...ended, tests: null };
  return byTests(joined(read.flatMap((one) => (one.type === 'report' ? [one.report] : []))), ended);
}

function byTests(report: TestReport, ended: GateRunEnd): TestResult | Unusable {
  const { tests, problems } = report;
  const listed = namedBy(report);
  const { failed } = listed;
  // Counts cases, not names: several tests may share a name, and one of them may go missing.
  const { ran } = countsOf(report);
  if (ran === 0 && problems.length === 0)
    return {
      type: 'error',
      problem: `no test ran: ${ended.ended}, and the report has ${tests.length === 0 ? 'none' : 'skipped ones only'}`,
      noTests: true,
    };
  if (ended.status === 'pass') {
    const [problem] = problems;
    if (failed.length > 0 || problem !== undefined)
      return {
        type: 'error',
        problem: `${ended.ended}, but its report says ${problem ?? `${failed.length} failed (${failed[0]})`}: exit code and report contradict each other`,
      };
    return { ...ended, ran, listed };
  }
  // A failure outside of tests stopped others, whose names are unknown.
  const certain = failed.length > 0 && problems.length === 0;
  return { ...ended, tests: certain ? { failed, ran } : null, ran, listed };
}

const joined = (reports: readonly TestReport[]): TestReport => ({
  tests: reports.flatMap(({ tests }) => tests),
  problems: reports.flatMap(({ problems }) => problems),
});

type Files =
  | { readonly type: 'files'; readonly texts: readonly string[] }
  | { readonly type: 'none'; readonly problem: string };

/** Matches by name or by a pattern with `*`, in this directory only. */
function readFile(dir: string | null, name: string): Files {
  const none = (problem: string): Files => ({ type: 'none', problem });
  if (dir === null) return none('there was no place for its report');
  const shape = new RegExp(
    `^${name
      .split('*')
      .map((part) => part.replaceAll('.', '\\.'))
      .join('[^/]*')}$`,
  );
  const names = namesIn(dir)
    .filter((one) => shape.test(one))
    .sort();
  if (names.length === 0) return none(`it did not write its report ${name} into $REPORT_DIR`);
  if (names.length > MAX_FILES) return none(`it wrote ${names.length} reports, at most ${MAX_FILES} are read`);
  const texts: string[] = [];
  let bytes = 0;
  for (const one of names) {
    const text = readTextFile(join(dir, one), MAX_REPORT - bytes, 'no-links');
    if (typeof text !== 'string') return none(`its report cannot be read: ${text.message.replace(`${dir}/`, '')}`);
    bytes += text.length;
    texts.push(text);
  }
  return { type: 'files', texts };
}
