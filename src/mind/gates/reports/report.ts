/** A parsed test report: one case per test that the runner listed, and failures outside of tests. */
import { sha256 } from '../../../kernel/hash.ts';

export type TestStatus = 'passed' | 'failed' | 'skipped';
export type TestCase = {
  readonly id: string;
  readonly file: string | null;
  readonly status: TestStatus;
  /** Passed only when it was tried again. */
  readonly flaky: boolean;
};
export type TestReport = {
  readonly tests: readonly TestCase[];
  /** Failures outside of tests: a file that did not load, an error after the tests, a package that did not build. */
  readonly problems: readonly string[];
};
export type ReadReport =
  | { readonly type: 'report'; readonly report: TestReport }
  | { readonly type: 'unusable'; readonly problem: string };

/** A report with more tests is refused: code under check could otherwise fill the memory. */
export const MAX_TESTS = 200_000;
const MAX_PROBLEMS = 100;
const MAX_PROBLEM = 300;
const MAX_ID = 500;
const HASH_LENGTH = 16;

export const unusable = (problem: string): ReadReport => ({ type: 'unusable', problem: firstLine(problem) });

/** Collects what a reader finds, within the limits. */
export class ReportDraft {
  readonly #tests: TestCase[] = [];
  readonly #problems: string[] = [];
  #isFull = false;

  /** The parts of an id, outermost first, without `file`; the file precedes them if there is one. */
  add(file: string | null, names: readonly string[], status: TestStatus, flaky = false): void {
    this.addId(file, (file === null ? names : [file, ...names]).join(' > '), status, flaky);
  }

  addId(file: string | null, id: string, status: TestStatus, flaky = false): void {
    if (this.#tests.length === MAX_TESTS) this.#isFull = true;
    else this.#tests.push({ id: shortId(id), file, status, flaky: flaky && status === 'passed' });
  }

  problem(text: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(firstLine(text));
  }

  count(status: TestStatus): number {
    let count = 0;
    for (const test of this.#tests) if (test.status === status) count += 1;
    return count;
  }

  get size(): number {
    return this.#tests.length;
  }

  done(): ReadReport {
    if (this.#isFull) return unusable(`it lists more than ${MAX_TESTS} tests`);
    return { type: 'report', report: { tests: this.#tests, problems: this.#problems } };
  }
}

/** Cuts a long name. A hash of the whole name keeps two long names with the same start apart. */
export function shortId(id: string): string {
  return id.length <= MAX_ID ? id : `${id.slice(0, MAX_ID - HASH_LENGTH - 1)}#${sha256(id).slice(0, HASH_LENGTH)}`;
}

/** Gates see the project at /workspace; ids are relative to it. */
export const relativePath = (path: string): string => path.replace(/^(?:file:\/\/)?\/workspace\//, '');

export function firstLine(text: string): string {
  const line =
    text
      .slice(0, 4 * MAX_PROBLEM)
      .trimStart()
      .split('\n', 1)[0]
      ?.trimEnd() ?? '';
  return line.length <= MAX_PROBLEM ? line : `${line.slice(0, MAX_PROBLEM)}…`;
}
