type TestStatus = 'passed' | 'failed' | 'skipped';
export type TestCase = {
  readonly id: string;
  readonly file: string | null;
  readonly status: TestStatus;
  readonly flaky: boolean;
};
export type TestReport = { readonly tests: readonly TestCase[]; readonly problems: readonly string[] };
export type ReadReport =
  | { readonly type: 'report'; readonly report: TestReport }
  | { readonly type: 'unusable'; readonly problem: string };
