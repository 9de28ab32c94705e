/** OF-28: stop and go on, in every way a person or a machine can stop a process. */
import { expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';

const SLOW = 'steps: {implement: [{after: 30m}, {}]}\n';

async function running(world: World) {
  const run = world.start(['run', 'x', '--simulate', '--script', world.file('slow.yaml', SLOW)]);
  const task = await eventually(
    async () => (await world.tasks()).find((one) => one.status === 'running')?.task_id ?? null,
    'a task runs',
  );
  return { ...run, task };
}

/** Goes on with the task and finds it done by its second attempt. */
async function goesOn(world: World, task: string): Promise<void> {
  const resumed = await world.run(['resume', task]);
  expect(resumed.stdout).toContain('goes on with implement: its turn');
  expect(resumed.code, resumed.stderr).toBe(0);
  const report = await world.json<{ steps: { attempts: number }[] }>(['show', task]);
  expect(report.steps[0]?.attempts).toBe(2);
  expect(await world.json(['verify'])).toMatchObject({ ok: true });
}

test('Ctrl-C pauses its task and exits 130; an unrelated run leaves it alone, resume goes on', async () => {
  using world = new World();
  const { child, done, task } = await running(world);
  child.kill('SIGINT');
  const { code, stderr } = await done;
  expect(code).toBe(130);
  expect(stderr).toContain(
    `task ${task} is paused. \`supervisor resume ${task}\` goes on with it: the attempt that was cut starts again, and costs again.`,
  );
  expect(await world.json(['status'])).toMatchObject({ tasks: [{ status: 'paused' }] });
  const other = await world.run(['run', 'y', '--simulate']);
  expect(other.code, other.stderr).toBe(0);
  expect(other.stderr).not.toContain(task);
  expect((await world.tasks()).find(({ task_id }) => task_id === task)?.status).toBe('paused');
  await goesOn(world, task);
});

test('SIGTERM stops the process and does not pause the task: the next run says so, and goes on with it', async () => {
  using world = new World();
  const { child, done, task } = await running(world);
  child.kill('SIGTERM');
  const { code, stderr } = await done;
  expect(code).toBe(130);
  expect(stderr).toContain(`\`supervisor resume ${task}\` goes on with it, and so does the next \`supervisor run\``);
  expect(await world.json(['status'])).toMatchObject({ status: 'stopped', tasks: [{ status: 'queued' }] });
  await goesOn(world, task);
});

test('SIGHUP: the task goes on without a terminal', async () => {
  using world = new World();
  const short = world.file('short.yaml', 'steps: {implement: [{after: 1s}]}\n');
  const { child, done } = world.start(['run', 'x', '--simulate', '--script', short]);
  await eventually(async () => (await world.tasks()).some(({ status }) => status === 'running'), 'a task runs');
  child.kill('SIGHUP');
  expect((await done).code).toBe(0);
  expect(await world.tasks()).toMatchObject([{ status: 'accepted' }]);
});

test('a task is paused from another terminal: its process ends with 3 and the task waits', async () => {
  using world = new World();
  const { done, task } = await running(world);
  expect(await world.json(['pause', task])).toEqual({ task_id: task, status: 'paused' });
  expect((await done).code).toBe(3);
  expect(await world.json(['show', task])).toMatchObject({ status: 'paused' });
  await goesOn(world, task);
});

test('three times Ctrl-C does not wait for anything, and the log can still be resumed', async () => {
  using world = new World();
  const { child, done, task } = await running(world);
  for (let n = 0; n < 3; n += 1) child.kill('SIGINT');
  expect((await done).code).toBe(130);
  const resumed = await world.run(['resume', task]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(await world.json(['verify'])).toMatchObject({ ok: true });
});

test('cancel works beside a running process, which then ends with code 1', async () => {
  using world = new World();
  const { done, task } = await running(world);
  const cancelled = await world.json(['cancel', task, '--reason', 'changed my mind']);
  expect(cancelled).toMatchObject({ status: 'cancelled' });
  const { code, stdout } = await done;
  expect(code).toBe(1);
  expect(stdout).toContain('cancelled: changed my mind');
});

test('cancel works without a running process, and a second cancel is refused', async () => {
  using world = new World();
  const { child, done, task } = await running(world);
  child.kill('SIGINT');
  await done;
  expect((await world.run(['cancel', task])).code).toBe(0);
  const again = await world.run(['cancel', task]);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('is cancelled already');
  expect((await world.run(['resume', task])).code).toBe(1);
});
