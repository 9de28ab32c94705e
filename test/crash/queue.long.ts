/** A queue of 40 changes onto one line, killed at each kind of failpoint, again and again. */
import { expect, test } from 'vitest';
import { landKilled, POINTS, Queue } from './queue-of-changes.ts';

test('40 changes, kill -9: every commit is green, each change landed once or came back, undo of each ends where it began', {
  timeout: 3_600_000,
}, async () => {
  using queue = new Queue(40);
  await queue.prepare();
  const ends = await landKilled(queue, [...POINTS, ...POINTS, ...POINTS]);
  queue.areGreen(queue.commits());
  queue.eachLandedOnceOrCameBack(ends);
  await queue.nothingIsLeft();
  await queue.undo(ends.landed.toReversed().map(({ task_id }) => task_id));
  queue.areGreen(queue.commits());
  expect(queue.treeOf('main')).toBe(queue.treeOf(queue.base));
});

test('40 changes in batches of four, kill -9: wherever the line was it was green, each change landed once or came back', {
  timeout: 3_600_000,
}, async () => {
  using queue = new Queue(40);
  await queue.prepare({ limits: { landing_batch: 4 } });
  const ends = await landKilled(queue, [...POINTS, ...POINTS]);
  queue.areGreen(queue.tips());
  expect(queue.tips().length).toBeLessThan(queue.commits().length);
  queue.eachLandedOnceOrCameBack(ends);
  await queue.nothingIsLeft();
});
