/** Breaks a project's own code on purpose: a gate that then passes cannot fail. */
import { testMatcher } from '../candidates/test-paths.ts';

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kt|scala|rb|php|cs|c|cc|cpp|h|hpp|swift|sh|bash|ex|exs|lua|hs|ml|dart)$/;
const NOT_OURS = /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|target|\.venv)\//;
const MOST = 300;

export function sourcesOf(paths: readonly string[], testPaths: readonly string[]): readonly string[] {
  const isTest = testMatcher(testPaths);
  return paths.filter((path) => SOURCE.test(path) && !NOT_OURS.test(path) && !isTest(path)).slice(0, MOST);
}

const LINE = ')]} ~~ this line is broken on purpose (((';

/** No language parses this. A shell runs each line as it comes to it, so there the first line is broken as well. */
export const broken = (path: string, text: string): string =>
  `${/\.(?:sh|bash)$/.test(path) ? `${LINE}\n` : ''}${text}\n${LINE}\n`;

/** The problems that `gates check` can report for a gate. */
const PROBE_PROBLEMS = [
  'always_fails',
  'error',
  'flaky',
  'no_tests',
  'cannot_fail',
  'ignores_tests',
  'unnamed_tests',
  'passes_without_tests',
  'accepts_bad_change',
  'not_proven',
] as const;
export type ProbeProblem = (typeof PROBE_PROBLEMS)[number];

/** The result of one trial: a gate on the commit as it is, or on a broken tree. */
export type TryResult = {
  readonly status: 'pass' | 'fail' | 'error';
  readonly ended: string;
  readonly noTests?: boolean;
};
export type Tries = {
  readonly first: TryResult;
  readonly second: TryResult | null;
  /** With all sources broken; null if there are none. */
  readonly broken: TryResult | null;
  /** Without any test file; null if there is none, or the gate runs no tests. */
  readonly withoutTests: TryResult | null;
  /** On a change that it has to refuse (unparsable files, a secret); null if it has no built-in checks. */
  readonly change: TryResult | null;
  /** What its canary found at the commit, and whether the gate stayed green; null if the gate is not about tests. */
  readonly planted: { readonly noticed: number; readonly planted: number; readonly green: boolean } | null;
};

/** The problems of a gate, derived from its trials. */
export function probeProblems({ first, second, broken: bad, withoutTests, planted, change }: Tries): ProbeProblem[] {
  if (first.noTests === true) return ['no_tests'];
  if (first.status === 'error' || change?.status === 'error') return ['error'];
  if (second !== null && second.status !== first.status) return ['flaky'];
  if (first.status === 'fail') return ['always_fails'];
  const problems: ProbeProblem[] = [];
  if (bad?.status === 'pass') problems.push('cannot_fail');
  if (planted !== null && planted.planted > 0 && planted.noticed === 0)
    problems.push(planted.green ? 'ignores_tests' : 'unnamed_tests');
  if (withoutTests?.status === 'pass') problems.push('passes_without_tests');
  if (change?.status === 'pass') problems.push('accepts_bad_change');
  const proven = bad?.status === 'fail' || (planted?.noticed ?? 0) > 0 || change?.status === 'fail';
  if (problems.length === 0 && !proven) problems.push('not_proven');
  return problems;
}
