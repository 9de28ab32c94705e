/**
 * Checks tests in which nothing was planted. A change may hide its failures only while every test file is unchanged in
 * text, time or size; where something is planted, the change behaves honestly, and its own failures appear beside the
 * planted ones. A test that fails because of other tests, or is unstable, is no such sign: runs of the base and of the
 * plain tree show it.
 */

import { failedBeside } from '../../mind/canary/failed-beside-plants.ts';
import { shortList } from '../../mind/gates/baseline.ts';
import type { Planting } from './planting.ts';
import type { CheckContext, GateRuns } from './runs.ts';

type Plantings = {
  /** Added tests that touch no existing one, on the candidate or on its base; new ones at each call. */
  readonly candidate: () => Promise<Planting>;
  readonly base: () => Promise<Planting>;
};

export type Suspects = readonly string[];

/** Suspects that fail beside every planted test, only here, and not when nothing is planted. */
export async function hiddenFailures(
  runs: GateRuns,
  checked: CheckContext,
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
  // Red or broken without a plant: that is the gate's own finding, or the gate is unstable.
  const red = plain.type === 'error' ? null : plain.status === 'pass' ? [] : (plain.tests?.failed ?? null);
  if (red === null || atBase === null) return [];
  return left.filter((id) => !red.includes(id) && !atBase.includes(id));
}

export const HIDDEN = (hidden: Suspects): string =>
  `${hidden.length} tests in which nothing was planted fail as soon as a test is added anywhere, and pass otherwise: ${shortList(hidden, 20)}`;
