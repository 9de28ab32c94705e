/**
 * What a test gate checks beyond its exit code: is a failure old, is green complete, and do new tests fail on the
 * base's code?
 */
import { changedTests, namedHelpers, removableTests, testsToRestore } from '../../mind/candidates/test-paths.ts';
import type { Spec } from '../../mind/domain/values.ts';
import { excuse, FIX_BASE, shortList } from '../../mind/gates/baseline.ts';
import type { GateFacts } from '../../mind/gates/evidence.ts';
import { type GateCommand, namesTests } from '../../mind/gates/kinds.ts';
import { lostTests } from '../../mind/gates/lost-tests.ts';
import { newTests } from '../../mind/gates/new-tests.ts';
import { OLD_TESTS_RED } from '../../mind/gates/old-tests.ts';
import { missingTests } from './missing-tests.ts';
import type { EndedRun } from './run-result.ts';
import type { CheckContext, GateRuns } from './runs.ts';

type TestDecision = Pick<GateFacts, 'status' | 'notes'> & {
  /** Failed tests that do not count, because they fail at the base too. */
  readonly excused: readonly string[];
  /** New tests that are green on the base's code: they prove nothing and block nothing. */
  readonly low?: number;
  /** Red, and then green on the same tree; null if not tried. */
  readonly flaky?: boolean | null;
};
export const GREEN: TestDecision = { status: 'pass', notes: [], excused: [] };

export async function decideTests(
  runs: GateRuns,
  checked: CheckContext,
  ran: EndedRun,
  spec: Spec,
): Promise<TestDecision> {
  if (ran.status === 'fail') {
    const red = await baseline(runs, checked, ran, spec);
    if (red.status === 'fail') return unstable(runs, checked, ran, red);
    return whole(runs, checked, ran, spec, red);
  }
  const green = await stillWhole(runs, checked, ran);
  return green.status === 'fail' ? green : whole(runs, checked, ran, spec, green);
}

async function whole(
  runs: GateRuns,
  checked: CheckContext,
  ran: EndedRun,
  spec: Spec,
  decided: TestDecision,
): Promise<TestDecision> {
  const existing = await existingTests(runs, checked, ran, spec);
  return {
    ...existing,
    notes: [...existing.notes, ...decided.notes],
    excused: [...new Set([...decided.excused, ...existing.excused])],
  };
}

/** A rerun can show that a red gate is unstable. It never makes it green: the next run may be red again. */
async function unstable(
  runs: GateRuns,
  checked: CheckContext,
  ran: EndedRun,
  red: TestDecision,
): Promise<TestDecision> {
  const { candidate, reruns } = checked;
  if (!namesTests(checked.check) || ran.tests === null || ran.cached !== null) return { ...red, flaky: null };
  const { base, tree } = candidate;
  for (let n = 1; n <= reruns; n++) {
    const again = await runs.aside(checked, 'r', { base, tree });
    if (again.ran.type !== 'ended' || again.ran.status !== 'pass') continue;
    const note = `UNSTABLE: red first, then green on the same tree (evidence ${again.evidence}). It stays red: make ${shortList(ran.tests.failed, 5)} independent of time, order and chance`;
    return { ...red, notes: [note, ...red.notes], flaky: true };
  }
  return { ...red, flaky: reruns > 0 ? false : null };
}

/** Green counts only if the base's tests still ran, or if permitted changes of tests explain the missing ones. */
async function stillWhole(runs: GateRuns, checked: CheckContext, ran: EndedRun): Promise<TestDecision> {
  if (!namesTests(checked.check)) return GREEN;
  const missing = await missingTests(runs, checked, ran, await testsOf(runs, checked));
  if (missing === null) return GREEN;
  return { ...GREEN, status: missing.blocks ? 'fail' : 'pass', notes: [missing.text] };
}

export async function testsAtBase(
  runs: GateRuns,
  checked: CheckContext,
): Promise<{ readonly some: boolean; readonly text: string }> {
  const { ran } = await runs.base(checked);
  if (ran.type === 'ended') return { some: true, text: `at the base ${ran.ran ?? 'some'} ran` };
  const text = ran.noTests === true ? 'at the base none runs either' : `the base gives no verdict: ${ran.problem}`;
  return { some: false, text };
}

/** Red, but perhaps not because of this change. */
async function baseline(runs: GateRuns, checked: CheckContext, ran: EndedRun, spec: Spec): Promise<TestDecision> {
  if (!namesTests(checked.check) || (!ran.lasting && ran.tests === null))
    return { status: 'fail', notes: [], excused: [] };
  const red = (why: string): TestDecision => ({
    status: 'fail',
    notes: [`baseline: nothing is excused: ${why}`],
    excused: [],
  });
  if (spec.red_base === 'fix') return red(FIX_BASE);
  if (ran.tests === null) return red('the output does not say for certain which tests failed');
  const { ran: before, evidence } = await runs.base(checked);
  if (before.type === 'error') return red(`the base could not be checked: ${before.problem}`);
  if (before.status === 'pass') return red('the base passes');
  if (!before.lasting) return red(`the base may have hit a limit or was ended: ${before.ended}`);
  const found = excuse(ran.tests, before.tests, spec);
  if (found.type === 'refused') return red(found.why);
  const lost = lostTests(before, ran);
  if (lost !== null) return red(lost.text);
  return {
    status: 'pass',
    excused: found.ids,
    notes: [
      `baseline: RED, BUT EXCUSED: all ${found.ids.length} failed tests fail at the base too (evidence ${evidence}): ${shortList(found.ids, 100)}`,
    ],
  };
}

function testsOf(runs: GateRuns, { candidate, settings }: CheckContext) {
  const { testPaths } = settings;
  return runs.once(`tests ${candidate.base} ${candidate.tree} ${testPaths.join('\0')}`, async () => {
    const changes = await runs.changes(candidate);
    const restored = testsToRestore(changes, testPaths);
    const code = changes.map(({ path }) => path).filter((path) => !restored.includes(path));
    return { changed: changedTests(changes, testPaths), restored, code };
  });
}

/**
 * Green with the candidate's tests. Runs again without its new ones, because one of them could fake the results of all
 * others: a test that is red only then is red. Whether existing tests may change was decided before any gate, so with
 * the base's versions they only inform.
 */
async function existingTests(runs: GateRuns, checked: CheckContext, own: EndedRun, spec: Spec): Promise<TestDecision> {
  const { base, tree } = checked.candidate;
  const { changed, restored } = await testsOf(runs, checked);
  const added = removableTests(restored).filter((path) => !changed.includes(path));
  const [without, fresh] = await Promise.all([
    added.length === 0 ? GREEN : withoutNew(runs, checked, added, spec),
    newOnBase(runs, checked, own),
  ]);
  const noted = fresh === null ? without : { ...without, notes: [...without.notes, fresh.note], low: fresh.low };
  if (without.status === 'fail' || changed.length === 0) return noted;
  const { ran, evidence } = await runs.aside(checked, 't', { base, tree, asInBase: restored });
  const which = `existing tests: ${changed.length} were changed or removed (${shortList(changed)})`;
  const told =
    ran.type === 'error'
      ? `AS IN THE BASE THEY COULD NOT BE RUN: ${ran.problem}`
      : ran.status === 'pass'
        ? `as in the base they pass as well (evidence ${evidence})`
        : `${OLD_TESTS_RED}, ${ran.ended} (evidence ${evidence}): see what the change took away`;
  return { ...noted, notes: [...noted.notes, `${which}; ${told}`] };
}

/** New tests are evidence only if the base's code fails them: each by name, or all together if names are unknown. */
async function newOnBase(
  runs: GateRuns,
  checked: CheckContext,
  own: EndedRun,
): Promise<{ readonly note: string; readonly low: number } | null> {
  const { changed, restored, code } = await testsOf(runs, checked);
  const byName = own.listed !== null;
  // Without names, the new tests of a changed file cannot be told from its old ones.
  const some = byName ? restored.length > 0 : restored.length > changed.length;
  if (!namesTests(checked.check) || !some || code.length === 0) return null;
  const { base, tree } = checked.candidate;
  const [{ ran, evidence }, { ran: before }] = await Promise.all([
    runs.aside(checked, 'n', { base, tree, asInBase: code }),
    runs.base(checked),
  ]);
  if (ran.type === 'error') return null;
  if (own.listed !== null && ran.listed !== null && before.type === 'ended' && before.listed !== null) {
    const { all, worthless } = newTests(before.listed, own.listed, ran.listed);
    if (all.length === 0) return null;
    if (worthless.length === 0) return { note: `new tests: ${RED_ON_BASE} (evidence ${evidence})`, low: 0 };
    const note = `new tests: ${worthless.length} of ${all.length} ${GREEN_ON_BASE} (evidence ${evidence}): ${shortList(worthless)}`;
    return { note, low: worthless.length };
  }
  if (restored.length === changed.length) return null;
  if (ran.status === 'pass') return { note: `new tests: they ${GREEN_ON_BASE} (evidence ${evidence})`, low: 1 };
  const isGreen = before.type === 'ended' && before.status === 'pass';
  const note = isGreen
    ? RED_ON_BASE
    : "whether they are red on the base's code is not known: the base is not green itself, and its tests have no names";
  return { note: `new tests: ${note} (evidence ${evidence})`, low: 0 };
}

const RED_ON_BASE = "red on the base's code, as they should be";
const GREEN_ON_BASE = "pass on the base's code too, so they do not show that the change does anything";

async function withoutNew(
  runs: GateRuns,
  checked: CheckContext,
  added: readonly string[],
  spec: Spec,
): Promise<TestDecision> {
  const { check, candidate } = checked;
  const { base, tree } = candidate;
  const { gone, emptied } = await withoutHelpers(runs, checked, added);
  const { ran, evidence } = await runs.aside(
    checked,
    't',
    { base, tree, asInBase: gone },
    emptied.map((path) => ({ path, text: '' })),
  );
  const which = `existing tests: run once more without the ${added.length} new ones (${shortList(added)})`;
  const say = (status: TestDecision['status'], note: string, excused: readonly string[] = []): TestDecision => ({
    status,
    notes: [`${which}; ${note}`],
    excused,
  });
  if (ran.type === 'ended' && ran.status === 'pass') {
    const missing = namesTests(check) ? await missingTests(runs, checked, ran, await testsOf(runs, checked)) : null;
    if (missing?.blocks === true)
      return say('fail', `WITHOUT THEM FEWER TESTS RUN (evidence ${evidence}): ${missing.text}`);
    return say('pass', `they pass as well (evidence ${evidence})${missing === null ? '' : `; ${missing.text}`}`);
  }
  const ended = ran.type === 'error' ? ran.problem : ran.ended;
  const red = `WITHOUT THEM IT IS RED: ${ended} (evidence ${evidence ?? 'none'})`;
  const before = (await runs.base(checked)).ran;
  if (ran.type === 'error' && ran.noTests && before.type === 'error' && before.noTests)
    return say('pass', 'no other test runs, nor does one at the base');
  if (before.type === 'ended' && before.status === 'pass')
    return say('fail', `${red}, and the base passes: a new test hides what the change broke`);
  // A gate may name a test that the change adds; then the base cannot find it.
  if (added.some((path) => namesPath(check.command, path)))
    return say('pass', `${red}, as its command names one of them`);
  if (ran.type === 'ended' && before.type === 'ended' && before.lasting) {
    const found = excuse(ran.tests, before.tests, spec);
    const lost = lostTests(before, ran);
    if (lost !== null) return say('fail', `${red}: ${lost.text}`);
    if (found.type === 'excused')
      return say('pass', `${red}, by tests that fail at the base too: ${shortList(found.ids)}`, found.ids);
    return say('fail', `${red}: ${found.why}`);
  }
  return say('fail', `${red}, and the base cannot tell whether that is new`);
}

/**
 * New helpers stay if a test that the task allowed to change names them. One that only the runner's config names stays
 * as an empty file: its content could fake the results of all tests.
 */
async function withoutHelpers(runs: GateRuns, checked: CheckContext, added: readonly string[]) {
  const { changed, code } = await testsOf(runs, checked);
  const { tree } = checked.candidate;
  const { workspaces } = runs.options;
  const [tests, others] = await Promise.all([workspaces.read(tree, changed), workspaces.read(tree, code)]);
  const kept = namedHelpers(added, tests);
  const emptied = namedHelpers(added, others).filter((path) => !kept.includes(path));
  return { gone: added.filter((path) => !kept.includes(path) && !emptied.includes(path)), emptied };
}

const namesPath = (command: GateCommand, path: string): boolean =>
  (typeof command === 'string' ? command : command.join(' ')).includes(path);
