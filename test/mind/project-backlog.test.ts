/** What a worker may read about the tasks around its own. */
import { expect, test } from 'vitest';
import { aroundOf } from '../../src/engine/hand-lookups.ts';
import { MemoryStore } from '../../src/hands/store/memory/store.ts';
import type { TaskId } from '../../src/kernel/ids.ts';
import { PROJECT } from '../support/stores.ts';

const row = (task_id: string, status: string, time: number, updated = time) => ({
  ...{
    stream: `task/${task_id}`,
    version: 1,
    live: true,
    kind: 'task' as const,
    parent: null,
    line: null,
    asks: false,
  },
  ...{ status, updated, rank: time, summary: { task_id, title: `title of ${task_id}` } },
});

async function around(rows: readonly ReturnType<typeof row>[], text: string | null = null) {
  const store = new MemoryStore({ now: () => 0 });
  await store.rebuild(PROJECT, rows);
  return aroundOf(store, PROJECT, 'own' as TaskId, { text, mode: 'MANUAL' });
}

test('others that wait, oldest first, and others that were accepted, the last one first', async () => {
  const rows = [
    row('a', 'queued', 5),
    row('own', 'running', 1),
    row('b', 'running', 3),
    row('c', 'accepted', 2, 7),
    row('d', 'accepted', 4),
    row('e', 'failed', 6),
  ];
  expect(await around(rows, 'ship it')).toEqual({
    goal: 'ship it',
    queue: ['title of b', 'title of a'],
    history: ['title of c', 'title of d'],
  });
});

test('only a few of each, also when the task itself is one of the first', async () => {
  const rows = Array.from({ length: 100 }, (_, n) => row(`t${n}`, n % 2 === 0 ? 'queued' : 'accepted', n));
  const { queue, history } = await around([row('own', 'queued', 0), ...rows]);
  expect([queue.length, history.length]).toEqual([10, 10]);
  expect(queue.at(-1)).toBe('title of t18');
});
