/** What a worker may be told of the tasks around its own. */
import { expect, test } from 'vitest';
import { aroundOf } from '../../src/engine/around.ts';
import type { TaskId } from '../../src/kernel/ids.ts';

const row = (task_id: string, status: string, time: number) => ({
  summary: { task_id, title: `title of ${task_id}`, status, created_at: time, updated_at: time },
});

test('others that wait, oldest first, and others that were accepted, newest first', () => {
  const rows = [
    row('a', 'queued', 5),
    row('own', 'running', 1),
    row('b', 'running', 3),
    row('c', 'accepted', 2),
    row('d', 'accepted', 4),
    row('e', 'failed', 6),
  ];
  expect(aroundOf('own' as TaskId, { text: 'ship it', mode: 'MANUAL' }, rows)).toEqual({
    goal: 'ship it',
    queue: ['title of b', 'title of a'],
    history: ['title of d', 'title of c'],
  });
});

test('only a few of each', () => {
  const rows = Array.from({ length: 100 }, (_, n) => row(`t${n}`, n % 2 === 0 ? 'queued' : 'accepted', n));
  const { queue, history } = aroundOf('own' as TaskId, { text: null, mode: 'MANUAL' }, rows);
  expect([queue.length, history.length]).toEqual([10, 10]);
});
