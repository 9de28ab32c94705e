/**
 * Looks at tests that nothing was planted in. A change may hide its failures only while every test file is as it was, by its
 * text, its time or its size: wherever something is planted it is honest, and then its own failures show beside the planted
 * ones. That a test fails for what others do, or is unstable, is no such sign: the base and the plain tree tell.
 */

import { failedBeside } from '../../mind/canary/beside.ts';
import { shortList } from '../../mind/gates/baseline.ts';
import type { Planting } from './planting.ts';
import type { Checked, GateRuns } from './runs.ts';

type Plantings = {
  /** Tests that are added and touch no other one, on the candidate or on its base; new ones each time. */
  readonly candidate: () => Promise<Planting>;
  readonly base: () => Promise<Planting>;
};

export type Suspects = readonly string[];

/** Those of the suspects that fail beside every planted test, here alone, and not where nothing is planted. */
export async function hiddenFailures(
  runs: GateRuns,
  checked: Checked,
  suspects: Suspects,
  plantings: Plantings,
): Promise<Suspects> {
  const { base, tree } = checked.candidate;
  const failedWith = async (planting: Planting, of: string | null): Promise<Suspects | null> => {
    if (planting.files.length === 0) return null;
    const { ran } = await runs.run(checked, 'c', { base, tree: of }, planting.files);
    if (ran.type === 'error' || ran.tests === null) return null;
    return failedBeside(planting.all, ran.tests.failed);
  };
  let left = suspects;
  for (let n = 0; n < 2 && left.length > 0; n += 1) {
    const failed = await failedWith(await plantings.candidate(), tree);
    left = failed === null ? [] : left.filter((id) => failed.includes(id));
  }
  if (left.length === 0) return [];
  const [{ ran: plain }, atBase] = await Promise.all([
    runs.run(checked, 'r', { base, tree }),
    plantings.base().then((planting) => failedWith(planting, null)),
  ]);
  // Red or broken without any plant: that is the gate's own finding, or it is unstable.
  const red = plain.type === 'error' ? null : plain.status === 'pass' ? [] : (plain.tests?.failed ?? null);
  if (red === null || atBase === null) return [];
  return left.filter((id) => !red.includes(id) && !atBase.includes(id));
}

export const HIDDEN = (hidden: Suspects): string =>
  `${hidden.length} tests in which nothing was planted fail as soon as a test is added anywhere, and pass otherwise: ${shortList(hidden, 20)}`;
