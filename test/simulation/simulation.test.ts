/** Seeded schedules over the real engine and mind, first half. `make sim SEEDS=n` runs as many more as there is time for. */
import { expect, it } from 'vitest';
import { ALL } from '../support/effort.ts';
import { runMany } from './run-many.ts';
import { runSchedule } from './schedule.ts';

const COUNT = ALL ? 1_500 : 500;

it(`keeps every promise in ${COUNT} schedules of work, crashes and faults`, { timeout: 300_000 }, () =>
  runMany(1, COUNT),
);

it.each([
  // A message that was under way when its task was paused was sent again after `resume`.
  4185,
  // A commit step beside a gate step put a change on the branch while a person was deciding about a critical finding of it.
  1243,
])('seed %i, which found a defect once, finds nothing', async (seed) => {
  expect((await runSchedule(seed)).problems).toEqual([]);
});
