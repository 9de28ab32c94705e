/** A task whose process outlives the terminal it was started from, and the view of it from another one. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENTRY, eventually, World } from '../support/cli.ts';
import { Pty } from '../support/pty.ts';

const SHORT = 'steps: {implement: [{after: 3s}]}\n';
const LONG = 'steps: {implement: [{after: 30m}, {}]}\n';

type Detached = { readonly task_id: string; readonly pid: number; readonly log: string };

const detach = (world: World, script: string) =>
  world.json<Detached>(['run', 'x', '--simulate', '--detach', '--script', world.file('script.yaml', script)]);

const terminal = (world: World, argv: readonly string[]) =>
  new Pty([process.execPath, ENTRY, ...argv], {
    dir: world.repository,
    env: { HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' },
  });

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const sessionOf = (pid: number): number =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[3],
  );

test('run --detach returns at once; the task continues in its own session, and attach ends with its code', async () => {
  using world = new World();
  const { task_id: task, pid, log } = await detach(world, SHORT);
  expect(sessionOf(pid)).toBe(pid);
  using view = terminal(world, ['attach']);
  await view.shows('Ctrl-C leaves this view; the task goes on');
  expect(await view.done, view.terminal.text).toBe(0);
  expect(view.terminal.text).toContain(`task ${task}: x`);
  expect(view.terminal.text).toContain('accepted: all steps are done');
  await eventually(() => !isAlive(pid), 'the background process ends');
  expect(readFileSync(log, 'utf8')).toContain('accepted');
});

test('--limit is refused while another process works: that one would not count it', async () => {
  using world = new World();
  const { task_id: task, pid } = await detach(world, LONG);
  for (const args of [
    ['run', 'y', '--simulate', '--limit', 'budget.task_usd=0.10'],
    ['run', 'y', '--simulate', '--limit', 'budget.task_usd=0.10', '--detach'],
    ['resume', task, '--limit', 'attempts=1'],
  ]) {
    const { code, stdout } = await world.run([...args, '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { error: { code: 'other_limits', message: expect.stringContaining(`supervisor (pid ${pid}) works`) } },
    ]);
  }
  const { tasks } = await world.json<{ tasks: unknown[] }>(['status']);
  expect(tasks).toHaveLength(1);
  const handed = await world.run(['run', 'z', '--simulate']);
  expect([handed.code, handed.stdout]).toEqual([0, expect.stringContaining('the task is handed to it')]);
  await world.run(['cancel', task]);
  await eventually(() => !isAlive(pid), 'the background process ends');
  expect((await world.run(['run', 'y', '--simulate', '--limit', 'attempts=1'])).code).toBe(0);
});

test('Ctrl-C in attach leaves the view and nothing else; pause stops the task', async () => {
  using world = new World();
  const { task_id: task, pid } = await detach(world, LONG);
  using view = terminal(world, ['attach', task]);
  await view.shows('Ctrl-C leaves this view');
  view.type('\x03');
  expect(await view.done).toBe(0);
  expect(view.terminal.text).toContain(`left the view; task ${task} goes on. \`supervisor pause ${task}\` stops it`);
  expect(isAlive(pid)).toBe(true);
  expect((await world.run(['pause', task])).stdout).toContain(`${task} is paused`);
  await eventually(() => !isAlive(pid), 'the background process ends');
  const resumed = await world.run(['resume', task]);
  expect(resumed.code, resumed.stderr).toBe(0);
});

test('attach says when no process works on a task, and how to resume it', async () => {
  using world = new World();
  const { task_id: task, pid } = await detach(world, LONG);
  process.kill(pid, 'SIGTERM');
  await eventually(() => !isAlive(pid), 'the background process ends');
  const attached = await world.run(['attach']);
  expect([attached.code, attached.stderr]).toEqual([
    3,
    expect.stringContaining(`no process works on task ${task}: \`supervisor resume ${task}\` goes on with it`),
  ]);
});

test('a task that is refused is not detached', async () => {
  using world = new World();
  const refused = await world.run(['run', 'x', '--detach', '--no-gates', '--cli', 'nobody']);
  expect(refused.code).toBe(2);
  expect(await world.tasks()).toEqual([]);
});

test('a closed terminal does not stop the task: what it would have shown is not written anywhere', async () => {
  using world = new World();
  const script = world.file('script.yaml', SHORT);
  using view = terminal(world, ['run', 'x', '--simulate', '--script', script]);
  await view.shows('Ctrl-C pauses this task');
  const { pid } = view;
  view.hangUp();
  await view.done;
  await eventually(async () => (await world.tasks())[0]?.status === 'accepted', 'the task is accepted');
  await eventually(() => !isAlive(pid), 'its process ends');
  expect(await world.health()).toMatchObject({ findings: [] });
});
