/** `halt`, `pause --all`, the file PAUSE_REQUESTED, and `resume` without a task: one state of the project, in its log. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';

type Status = { status: string; state_dir: string; halted: { by: string; reason: string; now: boolean } | null };

const SLOW = 'steps: {implement: [{after: 30m}, {}]}\n';
const SHORT = 'steps: {implement: [{after: 1500ms}]}\n';
const TWO =
  'version: 1\ndescription: d\nsteps:\n  implement: {role: implementer}\n  second: {role: implementer, needs: [implement]}\n';

const status = (world: World) => world.json<Status>(['status']);

async function running(world: World, script: string, ...more: string[]) {
  const run = world.start(['run', 'x', '--simulate', '--script', world.file('play.yaml', script), ...more]);
  await eventually(async () => (await world.tasks()).some((one) => one.status === 'running'), 'a task runs');
  return run;
}

const attempts = async (world: World) =>
  (await world.events()).filter(({ type }) => type === 'attempt.started.2').length;

async function requested(world: World): Promise<string> {
  const { state_dir } = await status(world);
  mkdirSync(state_dir, { recursive: true });
  const file = join(state_dir, 'PAUSE_REQUESTED');
  writeFileSync(file, '');
  return file;
}

describe('a halted project', () => {
  test('finishes what is under way and starts nothing more; its process leaves with 4', async () => {
    using world = new World();
    const { done } = await running(world, SHORT, '--workflow', world.file('two.yaml', TWO));
    const halted = await world.run(['pause', '--all', '--reason', 'release day']);
    expect(halted.stdout).toContain('the project is halted: nothing new starts, attempts under way may finish');
    const { code, stderr } = await done;
    expect([code, stderr]).toEqual([4, expect.stringContaining('(release day), so nothing starts')]);
    expect(await attempts(world)).toBe(1);
    const shown = await world.run(['status']);
    expect(shown.stdout.split('\n')[0]).toMatch(
      /^halted by .*: release day\. `supervisor resume` lets the project run again/,
    );
    expect(await status(world)).toMatchObject({ status: 'halted', halted: { reason: 'release day', now: false } });
  });

  test('goes on after `resume`: what was made stays', async () => {
    using world = new World();
    expect((await world.run(['halt'])).code).toBe(0);
    const made = await world.run(['run', 'x', '--simulate']);
    expect(made.code, made.stderr).toBe(4);
    const [task] = await world.tasks();
    expect(task?.status).toBe('queued');
    const still = await world.run(['resume', task?.task_id ?? '']);
    expect([still.code, still.stderr]).toEqual([4, expect.stringContaining('`supervisor resume` lets it run again')]);
    expect(await attempts(world)).toBe(0);
    expect(await world.json(['resume'])).toEqual({ status: 'running' });
    expect((await status(world)).halted).toBeNull();
    expect((await world.run(['resume', task?.task_id ?? ''])).code).toBe(0);
    expect(await world.json(['verify'])).toMatchObject({ ok: true });
  });

  test('with --now cuts attempts under way, which begin again after `resume`', async () => {
    using world = new World();
    const { done } = await running(world, SLOW);
    expect(await world.json(['halt', '--now'])).toEqual({ status: 'halted', now: true });
    expect((await done).code).toBe(4);
    const settled = (await world.events()).filter(({ type }) => type === 'attempt.settled.2');
    expect(settled.map(({ data }) => data)).toMatchObject([{ class: 'interrupted', reason: 'the project was halted' }]);
    expect((await world.run(['resume'])).code).toBe(0);
    const [task] = await world.tasks();
    expect((await world.run(['resume', task?.task_id ?? ''])).code).toBe(0);
    expect(await attempts(world)).toBe(2);
  });

  test('stays halted when the process that worked on it is killed', async () => {
    using world = new World();
    const { child, done } = await running(world, SLOW);
    await world.run(['halt']);
    child.kill('SIGKILL');
    await done;
    const [task] = await world.tasks();
    expect((await world.run(['resume', task?.task_id ?? ''], { SUPERVISOR_LEASE_MS: '100' })).code).toBe(4);
    expect(await attempts(world)).toBe(1);
  });
});

test('a process that follows or attaches leaves, too; the driver is still at work', async () => {
  using world = new World();
  const { child, done } = await running(world, SLOW);
  expect((await world.run(['halt'])).code).toBe(0);
  const made = await world.run(['run', 'y', '--simulate']);
  expect([made.code, made.stderr]).toEqual([4, expect.stringContaining('so nothing starts')]);
  const tasks = await world.tasks();
  expect(tasks.map(({ status }) => status).sort()).toEqual(['queued', 'running']);
  const left = tasks.find(({ status }) => status === 'queued')?.task_id ?? '';
  const watched = await world.run(['attach', left]);
  expect([watched.code, watched.stderr]).toEqual([4, expect.stringContaining('`supervisor resume` lets it run again')]);
  child.kill('SIGKILL');
  await done;
});

test.each([
  [['halt', '--now'], 'board.halted.1'],
  [['resume'], 'board.resumed.1'],
  [['pause'], 'task.paused.1'],
])('%j is possible with a mistake in the config', async (args, type) => {
  using world = new World();
  const { child, done } = await running(world, SLOW);
  if (args[0] === 'resume') await world.run(['halt']);
  world.userConfig('secrets: {allow: [\n');
  const [task] = await world.tasks();
  const { code, stderr } = await world.run(args[0] === 'pause' ? ['pause', task?.task_id ?? ''] : args);
  expect([code, stderr]).toEqual([0, '']);
  expect((await world.events()).map((event) => event.type)).toContain(type);
  child.kill('SIGKILL');
  await done;
});

describe('PAUSE_REQUESTED in the state directory of the project', () => {
  test('halts it before anything starts; removed by hand it still is halted, `resume` takes it away', async () => {
    using world = new World();
    const file = await requested(world);
    expect(await status(world)).toMatchObject({ status: 'halted', halted: { by: 'file' } });
    expect((await world.run(['run', 'x', '--simulate'])).code).toBe(4);
    expect(await attempts(world)).toBe(0);
    expect((await world.run(['resume'])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    const [task] = await world.tasks();
    expect((await world.run(['resume', task?.task_id ?? ''])).code).toBe(0);
  });

  test('may be a directory with something in it: `resume` takes it away', async () => {
    using world = new World();
    const { state_dir } = await status(world);
    const folder = join(state_dir, 'PAUSE_REQUESTED');
    mkdirSync(join(folder, 'inside'), { recursive: true });
    expect((await world.run(['run', 'x', '--simulate'])).code).toBe(4);
    expect((await world.run(['resume'])).code).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });

  test('halts a project that a process works on', async () => {
    using world = new World();
    const { done } = await running(world, SHORT, '--workflow', world.file('two.yaml', TWO));
    await requested(world);
    expect((await done).code).toBe(4);
    expect(await attempts(world)).toBe(1);
    expect(await status(world)).toMatchObject({ halted: { reason: expect.stringContaining('PAUSE_REQUESTED') } });
  });
});

test.each([
  [['pause'], 'TASK is missing'],
  [['pause', 't-1', '--all'], 'leave out t-1'],
  [['pause', 't-1', '--now'], '--now belongs to --all'],
  [['resume', '--say', 'x'], '--say is about one task'],
])('%j is refused before anything is sent: %s', async (args, why) => {
  using world = new World();
  const { code, stderr } = await world.run(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
});
