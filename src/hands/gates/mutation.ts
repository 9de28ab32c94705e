/**
 * The mutation gate: runs the tests once for each small defect in a changed line; a defect that they do not notice is a
 * finding.
 */
import { testMatcher } from '../../mind/candidates/test-paths.ts';
import type { GateConfig } from '../../mind/gates/gate-config.ts';
import { checksOf } from '../../mind/gates/kinds.ts';
import { type Mutant, mutantsOf } from '../../mind/gates/mutants.ts';
import { changedTexts } from './change-texts.ts';
import { type CheckPart, type GateOn, NO_FINDINGS, NOT_RUN } from './check-part.ts';
import { linesRun } from './coverage.ts';
import type { GateRuns } from './runs.ts';

/** Each defect costs a whole run of the tests. */
const MOST = 10;

/** `tests`: the gate whose tests are tried; undefined if there is none of that name. */
export async function mutationPart(runs: GateRuns, ground: GateOn, tests: GateConfig | undefined): Promise<CheckPart> {
  const about = { ...NOT_RUN, label: ground.gate.name, weight: 1 };
  if (tests === undefined)
    return {
      ...about,
      status: 'error',
      ended: 'could not run: `of` names no gate: name the gate whose tests are tried',
    };
  const files = await changedTexts(runs, ground.candidate);
  const isTest = testMatcher(ground.settings.testPaths);
  // Uses the gate's own coverage report, else that of another gate.
  const isRun = await linesRun(runs, ground, [tests, ...ground.settings.gates]);
  const mutants = mutantsOf(files, { isTest, most: ground.gate.most ?? MOST, ...(isRun === null ? {} : { isRun }) });
  const lines = isRun === null ? 'changed lines' : 'changed lines that tests run';
  if (mutants.length === 0) return { ...about, status: 'pass', ended: `no ${lines} in which a defect can be put` };
  const survivors: Mutant[] = [];
  for (const mutant of mutants) {
    if (ground.context.signal.aborted) break;
    if (await survives(runs, ground, tests, mutant)) survivors.push(mutant);
  }
  const killed = mutants.length - survivors.length;
  const named = survivors.map(
    ({ path, line, from, to }) => `${path}:${line}: no test fails when \`${from}\` becomes \`${to}\``,
  );
  return {
    ...about,
    status: survivors.length === 0 ? 'pass' : 'fail',
    ended: `the tests notice ${killed} of ${mutants.length} small defects in ${lines}`,
    score: killed / mutants.length,
    findings: { ...NO_FINDINGS, medium: survivors.length },
    output: named.join('\n'),
  };
}

/** The defect survives only a run that ends green; a broken run has noticed it. */
async function survives(runs: GateRuns, ground: GateOn, tests: GateConfig, { path, text }: Mutant): Promise<boolean> {
  const { base, tree } = ground.candidate;
  for (const check of checksOf(tests)) {
    if (check.appliesTo.length > 0) continue;
    const { ran } = await runs.run({ ...ground, check, paths: [] }, 'c', { base, tree }, [{ path, text }]);
    if (ran.type === 'error' || ran.status === 'fail') return false;
  }
  return true;
}
