/** Lists that are too long for one page: `status` and `log` show the newest first, and how to go on. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { locateProject } from '../../src/app/open-store.ts';
import { World } from '../support/cli.ts';
import { taskNumber, writeTasks } from '../support/many-tasks.ts';
import { openFile } from '../support/stores.ts';

type Status = {
  readonly counts: Record<string, number>;
  readonly tasks: readonly { readonly task_id: string; readonly status: string }[];
  readonly next: string | null;
};

let world: World;
beforeAll(async () => {
  world = new World();
  const store = await openFile(join(world.state, 'log.db'));
  await writeTasks(store, locateProject(world.repository).id, { accepted: 40, queued: 5 });
  await store.close();
});
afterAll(() => world[Symbol.dispose]());

/** Newest first, queued ones before ended ones. */
const EXPECTED = [
  ...[44, 43, 42, 41, 40].map((n) => [taskNumber(n), 'queued']),
  ...Array.from({ length: 40 }, (_, n) => [taskNumber(39 - n), 'accepted']),
];
const listed = ({ tasks }: Status) => tasks.map(({ task_id, status }) => [task_id, status]);

test('status shows 20 tasks, live ones first, and how many there are', async () => {
  const shown = await world.json<Status>(['status']);
  expect(listed(shown)).toEqual(EXPECTED.slice(0, 20));
  expect(shown.counts).toEqual({ queued: 5, accepted: 40 });
  const { stdout } = await world.run(['status']);
  expect(stdout).toContain(`20 of 45 tasks. The next ones: \`supervisor status --after ${shown.next}\``);
});

test.each(['5', '17', '45'])('pages of %s give every task once, in order', async (limit) => {
  const found: unknown[] = [];
  let next: string | null = null;
  do {
    const page: Status = await world.json<Status>([
      ...['status', '-n', limit],
      ...(next === null ? [] : ['--after', next]),
    ]);
    expect(page.tasks.length).toBe(Math.min(Number(limit), EXPECTED.length - found.length));
    found.push(...listed(page));
    next = page.next;
  } while (next !== null);
  expect(found).toEqual(EXPECTED);
});

test('--all shows every task, and no cursor', async () => {
  const shown = await world.json<Status>(['status', '--all']);
  expect(listed(shown)).toEqual(EXPECTED);
  expect(shown.next).toBeNull();
  const { stdout } = await world.run(['status', '--all']);
  expect(stdout.match(/t-\d{8} {2}(queued|accepted)/g)?.length).toBe(45);
  expect(stdout).not.toContain('--after');
});

test.each([
  [['status', '--after', 'nonsense'], '--after nonsense: use the cursor'],
  [['status', '-n', '0'], '-n 0: a whole number'],
  [['log', '-n', 'ten'], '-n ten: a whole number'],
  [['log', '--after', '-1'], 'needs a value'],
])('%s is refused', async (args, message) => {
  const { code, stderr } = await world.run(args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

test('log -n shows the end of the log, or of one task; --after goes on from a fact', async () => {
  const numbers = async (...args: string[]) =>
    (await world.run(['log', ...args, '--json'])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
  const whole = await numbers();
  expect(whole.length).toBeGreaterThan(45);
  expect(whole).toEqual(whole.map((_, n) => n + 1));
  expect(await numbers('-n', '7')).toEqual(whole.slice(-7));
  expect(await numbers('-n', '999999')).toEqual(whole);
  expect(await numbers('--after', '3', '-n', '4')).toEqual([4, 5, 6, 7]);
  expect(await numbers('--after', String(whole.length - 2))).toEqual(whole.slice(-2));
  const task = await numbers(taskNumber(7));
  expect(task.length).toBeGreaterThan(2);
  expect(await numbers(taskNumber(7), '-n', '2')).toEqual(task.slice(-2));
  expect(await numbers(taskNumber(7), '--after', String(task[0]))).toEqual(task.slice(1));
});

test('show takes the beginning of an id; of several that fit it names some', async () => {
  expect((await world.json<{ task_id: string }>(['show'])).task_id).toBe(taskNumber(44));
  expect((await world.json<{ task_id: string }>(['show', 't-0000004'])).task_id).toBeUndefined();
  const { stderr } = await world.run(['show', 't-0000004']);
  expect(stderr).toContain(`5 tasks: ${[40, 41, 42, 43, 44].map(taskNumber).join(', ')}`);
  expect((await world.run(['show', 't-0'])).stderr).toContain('more than 5 tasks: t-00000000, t-00000001,');
});

test('a queued task waits for its turn, as the whole project would tell', async () => {
  expect(await world.json(['show', taskNumber(41)])).toMatchObject({
    status: 'queued',
    waits_for: ['answer: its turn'],
  });
});

test('status says all that a person is asked, the oldest first, however many other tasks wait', async () => {
  using other = new World();
  const store = await openFile(join(other.state, 'log.db'));
  const counts = { asking: 70, accepted: 1, parked: 60, queued: 0 };
  await writeTasks(store, locateProject(other.repository).id, counts);
  await store.close();
  const { asks } = await other.json<{ asks: { task_id: string; step: string }[] }>(['status']);
  expect(asks.map(({ task_id, step }) => [task_id, step])).toEqual(
    Array.from({ length: 70 }, (_, n) => [taskNumber(n), 'look']),
  );
});
