/** Reads the JSON of `vitest --reporter=json` and `jest --json`. Results come from the tests, and totals must agree. */
import * as v from 'valibot';
import { firstLine, type ReadReport, ReportDraft, relativePath, shortId, type TestStatus, unusable } from './report.ts';
import { parseJson } from './text.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const list = v.optional(v.nullable(v.array(v.unknown())), []);
const jestReport = v.object({
  success: v.boolean(),
  numTotalTests: count,
  numPassedTests: count,
  numFailedTests: count,
  numPendingTests: count,
  numTodoTests: count,
  numFailedTestSuites: count,
  numTotalTestSuites: count,
  /** Only jest writes it. */
  numRuntimeErrorTestSuites: v.optional(count, 0),
  wasInterrupted: v.optional(v.boolean(), false),
  testResults: v.array(
    v.object({
      name: v.string(),
      status: v.string(),
      message: v.optional(v.nullable(v.string())),
      assertionResults: v.array(
        v.object({
          ancestorTitles: v.array(v.string()),
          title: v.string(),
          status: v.picklist(['passed', 'failed', 'skipped', 'pending', 'todo', 'disabled']),
          failureMessages: list,
          retryReasons: list,
          invocations: v.optional(v.nullable(v.number()), 1),
        }),
      ),
    }),
  ),
});
type JestReport = v.InferOutput<typeof jestReport>;
type JestFile = JestReport['testResults'][number];
type JestAssertion = JestFile['assertionResults'][number];

export function readJestJson(runner: 'vitest' | 'jest', text: string): ReadReport {
  const json = parseJson(text);
  if (json === undefined) return unusable('it is no JSON, perhaps cut off');
  const parsed = v.safeParse(jestReport, json, { abortEarly: true });
  if (!parsed.success) return unusable(`it is no report of ${runner}: ${parsed.issues[0].message}`);
  const report = parsed.output;
  const draft = new ReportDraft();
  for (const file of report.testResults) {
    const path = shortId(relativePath(file.name));
    for (const test of file.assertionResults) addTest(draft, runner, path, test);
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'))
      draft.problem(fileProblem(file));
  }
  const wrong = contradiction(draft, report);
  if (wrong !== null) return unusable(wrong);
  addProblems(draft, runner, report);
  return draft.done();
}

function addTest(draft: ReportDraft, runner: 'vitest' | 'jest', file: string, test: JestAssertion): void {
  const { ancestorTitles, title, status, failureMessages, retryReasons, invocations } = test;
  const names = [...ancestorTitles, title];
  const wasRetried =
    runner === 'vitest' ? Boolean(failureMessages?.length) : (invocations ?? 1) > 1 || Boolean(retryReasons?.length);
  // jest prints its names with another separator.
  draft.add(file, runner === 'jest' ? [names.join(' › ')] : names, STATUS[status], wasRetried);
  // vitest uses `skipped` for skipped tests, and `pending` for unfinished ones.
  if (runner === 'vitest' && status === 'pending') draft.problem(`${file}: ${title} did not run to its end`);
}

const STATUS: Readonly<Record<JestAssertion['status'], TestStatus>> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
  disabled: 'skipped',
};

function fileProblem({ name, message }: JestFile): string {
  const lines = (message ?? '').split('\n', 20).map((line) => line.trim());
  const why = lines.find((line) => line !== '' && !line.startsWith('●'));
  return `${relativePath(name)} failed outside of its tests${why === undefined ? '' : `: ${firstLine(why)}`}`;
}

function addProblems(draft: ReportDraft, runner: 'vitest' | 'jest', report: JestReport): void {
  if (report.wasInterrupted) draft.problem('the run was interrupted');
  // jest counts files, vitest also counts suites inside them.
  const unlisted = runner === 'jest' ? report.numTotalTestSuites - report.testResults.length : 0;
  if (unlisted > 0) draft.problem(`${unlisted} test files did not run`);
  if (report.numRuntimeErrorTestSuites > 0)
    draft.problem(`${report.numRuntimeErrorTestSuites} test files failed outside of their tests`);
  if (draft.count('failed') > 0) return;
  if (!report.success)
    draft.problem('the runner says that the run failed, and no test did: an error outside of the tests');
  else if (report.numFailedTestSuites > 0) draft.problem('the runner counts failed suites, and no test failed');
}

/** The total that contradicts the listed tests. */
function contradiction(draft: ReportDraft, report: JestReport): string | null {
  const totals = [
    ['numTotalTests', draft.size, report.numTotalTests],
    ['numPassedTests', draft.count('passed'), report.numPassedTests],
    ['numFailedTests', draft.count('failed'), report.numFailedTests],
    ['numPendingTests', draft.count('skipped'), report.numPendingTests + report.numTodoTests],
  ] as const;
  for (const [key, listed, said] of totals)
    if (listed !== said) return `\`${key}\` says ${said}, and ${listed} such tests are listed`;
  return report.success && report.numFailedTests > 0 ? 'it says `success`, and tests failed' : null;
}
