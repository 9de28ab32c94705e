/** A queue of changes onto one line, killed at each kind of failpoint; `queue.long.ts` has 40 of them. */
import { expect, test } from 'vitest';
import { landKilled, POINTS, Queue } from './queue-of-changes.ts';

test('ten changes, kill -9 at each kind of failpoint: every commit is green, each change landed once or came back, undo ends where it began', {
  timeout: 600_000,
}, async () => {
  using queue = new Queue(10);
  await queue.prepare();
  const ends = await landKilled(queue, POINTS);
  queue.areGreen(queue.commits());
  queue.eachLandedOnceOrCameBack(ends);
  await queue.nothingIsLeft();
  const newest = ends.landed.toReversed().map(({ task_id }) => task_id);
  await queue.undo(newest.slice(0, 3));
  queue.areGreen(queue.commits());
  expect(queue.treeOf('main')).toBe(queue.treeOf(ends.landed.at(-4)?.commit ?? ''));
});

test('nine changes in batches of four, killed: wherever the line was it was green, and the red change is found', {
  timeout: 600_000,
}, async () => {
  using queue = new Queue(9);
  await queue.prepare({ limits: { landing_batch: 4 } });
  const ends = await landKilled(queue, POINTS.slice(0, 6));
  queue.areGreen(queue.tips());
  expect(queue.tips().length).toBeLessThan(queue.commits().length);
  queue.eachLandedOnceOrCameBack(ends);
  await queue.nothingIsLeft();
});
