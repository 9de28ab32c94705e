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

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s stops politely, exits 130, and says how to go on',
  async (signal) => {
    using world = new World();
    const { child, done, task } = await running(world);
    child.kill(signal);
    const { code, stderr } = await done;
    expect(code).toBe(130);
    expect(stderr).toContain(`supervisor resume ${task}`);
    expect(await world.json(['status'])).toMatchObject({ status: 'idle', tasks: [{ status: 'queued' }] });
    const resumed = await world.run(['resume', task]);
    expect(resumed.stdout).toContain('goes on with implement: its turn');
    expect(resumed.code, resumed.stderr).toBe(0);
    const report = await world.json<{ steps: { attempts: number }[] }>(['show', task]);
    expect(report.steps[0]?.attempts).toBe(2);
    expect(await world.json(['verify'])).toMatchObject({ ok: true });
  },
);

test('a second Ctrl-C stops at once, and the log can still be resumed', async () => {
  using world = new World();
  const { child, done, task } = await running(world);
  child.kill('SIGINT');
  child.kill('SIGINT');
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
