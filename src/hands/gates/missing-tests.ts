/** Finds tests of the base that no longer run, and whether the tests that the task may change explain that. */
import { shortList } from '../../mind/gates/baseline.ts';
import { type LostTests, lostTests } from '../../mind/gates/lost-tests.ts';
import type { EndedRun } from './run-result.ts';
import type { CheckContext, GateRuns } from './runs.ts';

/** Paths of tests in the change: those of the base that it changed, and all of them including new ones. */
type TestsOfChange = { readonly changed: readonly string[]; readonly restored: readonly string[] };
type MissingTest = {
  /** Nothing explains it, so the gate is red. */
  readonly blocks: boolean;
  readonly text: string;
};

/** A task that may change one test file may lose tests of that file, and no others. */
export async function missingTests(
  runs: GateRuns,
  checked: CheckContext,
  ran: EndedRun,
  tests: TestsOfChange,
): Promise<MissingTest | null> {
  const lost = await lostSinceBase(runs, checked, ran);
  if (lost === null) return null;
  if (tests.changed.length === 0) return { blocks: true, text: `${lost.text}: let them run again` };
  const which = shortList(tests.changed, 10);
  const others = await lostElsewhere(runs, checked, tests);
  if (others === null) return { blocks: false, text: `${lost.text}; the task may change tests, and changed ${which}` };
  return { blocks: true, text: `${others}: the changes of ${which} do not explain that; let them run again` };
}

/**
 * Tests lost although the changed test files are as in the base; if those do not load, tests lost without them on both
 * sides.
 */
async function lostElsewhere(runs: GateRuns, checked: CheckContext, tests: TestsOfChange): Promise<string | null> {
  const { base, tree } = checked.candidate;
  const restored = (await runs.aside(checked, 't', { base, tree, asInBase: tests.restored })).ran;
  // Red without names: a file that does not load hides tests that are not counted.
  if (restored.type === 'ended' && (restored.status === 'pass' || restored.tests !== null))
    return (await lostSinceBase(runs, checked, restored))?.text ?? null;
  const without = tests.restored.map((path) => ({ path, text: null }));
  const before = await runs.aside(checked, 'w', { base, tree: null }, without);
  const after = await runs.aside(checked, 'w', { base, tree }, without);
  // Without those files the base may run no test at all: then there is nothing else to lose.
  if (before.ran.type === 'error') return before.ran.noTests === true ? null : cannotTell(before.ran.problem);
  if (after.ran.type === 'error') return cannotTell(after.ran.problem);
  return lostTests(before.ran, after.ran)?.text ?? null;
}

/** Tests that ran at the base and not in this run; null if none, as far as the runner says. */
async function lostSinceBase(runs: GateRuns, checked: CheckContext, ran: EndedRun): Promise<LostTests | null> {
  const before = (await runs.base(checked)).ran;
  return before.type === 'ended' ? lostTests(before, ran) : null;
}

const cannotTell = (problem: string): string =>
  `tests of the base no longer run, and without the changed test files nothing can be compared (${problem})`;
