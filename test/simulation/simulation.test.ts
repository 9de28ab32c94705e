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
  // A critical finding was taken back of a task that had ended, and its review was charged twice.
  21972,
  // A message about what quiet hours had held was broken off when its task was paused.
  21267,
  // A verdict that a held review had given stayed on record after a person had taken its finding back.
  21872,
  // A person dropped a step, the task failed again, and what another step had made by then was charged to nobody.
  1304,
  // A landing left its queue before the effect that had begun to move the branch was settled.
  72285,
])('seed %i, which found a defect once, finds nothing', async (seed) => {
  expect((await runSchedule(seed)).problems).toEqual([]);
});
