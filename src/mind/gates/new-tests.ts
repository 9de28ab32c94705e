/** Which new tests of a candidate show that its change does something: those that fail on the base's code. */
import type { TestsOfRun } from './lost-tests.ts';

type ListedOnBase = TestsOfRun & { readonly failed: readonly string[] };

type NewTests = {
  readonly all: readonly string[];
  /** These tests pass on the base's code too, or are skipped there: they show nothing. */
  readonly worthless: readonly string[];
};

/** `onBase`: the candidate's tests on the base's code. A test whose file does not load there counts as red. */
export function newTests(base: TestsOfRun, candidate: TestsOfRun, onBase: ListedOnBase): NewTests {
  const old = new Set([...base.ran, ...base.skipped]);
  const all = candidate.ran.filter((id) => !old.has(id));
  const failed = new Set(onBase.failed);
  const green = new Set([...onBase.ran.filter((id) => !failed.has(id)), ...onBase.skipped]);
  return { all, worthless: all.filter((id) => green.has(id)) };
}
