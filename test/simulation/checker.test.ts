/** The checker is checked: what is broken on purpose must be found, and the same seed must give the same history. */
import { describe, expect, it } from 'vitest';
import { CONTROLS } from './mutants.ts';
import { runSchedule } from './schedule.ts';

describe('a defect put in on purpose is found', () => {
  it.each(CONTROLS.map((control) => [control.mutant.name, control] as const))('%s', async (_, { mutant, found }) => {
    const reported = new Set<string>();
    for (let seed = 1; seed <= 600 && !found.some((name) => reported.has(name)); seed++) {
      const { problems } = await runSchedule(seed, { mutant });
      for (const problem of problems) reported.add(problem.slice(0, problem.indexOf(':')));
    }
    expect(found.filter((name) => reported.has(name))).not.toEqual([]);
  });
});

it('gives the same history for the same seed, and another for another', async () => {
  const first = [await runSchedule(11), await runSchedule(12, { trace: true }), await runSchedule(13)];
  const again = [await runSchedule(11, { trace: true }), await runSchedule(12), await runSchedule(13)];
  const facts = ({ hash, events, steps, happened }: (typeof first)[number]) => ({
    hash,
    events,
    steps,
    happened: [...happened],
  });
  expect(again.map(facts)).toEqual(first.map(facts));
  expect(new Set(first.map(({ hash }) => hash)).size).toBe(3);
});
