/** OF-11, OF-12: two orchestrators on one project; a stopped one that wakes after its lease is fenced by the store. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/app/config/environment.ts';
import { locateProject, openStore } from '../../src/app/open-store.ts';
import { thisProcess } from '../../src/os/machine/identity.ts';
import { eventually, World } from '../support/cli.ts';
import { stop } from '../support/stop.ts';

/** Longer than a test may take: for who is stopped, killed or taken over before. */
const ENDLESS = 'steps: {implement: [{after: 30m}]}\n';
/** Long enough for another process to start meanwhile, on a slow machine too. */
const SLOW = 'steps: {implement: [{after: 15s}]}\n';
const QUICK = 'steps: {implement: [{after: 10ms}]}\n';
const SHORT_LEASE = { SUPERVISOR_LEASE_MS: '600' };

async function taskOf(world: World): Promise<string> {
  return eventually(
    async () => (await world.tasks()).find((task) => task.status === 'running')?.task_id ?? null,
    'a task runs',
  );
}

test('a process stopped past its lease is taken over, and every append of it is refused when it wakes', async () => {
  using world = new World();
  const first = world.start(['run', 'x', '--simulate', '--script', world.file('slow.yaml', ENDLESS)], SHORT_LEASE);
  const task = await taskOf(world);
  await stop(first.child, join(world.state, 'log.db'));
  const second = await world.run(['resume', task, '--script', world.file('quick.yaml', QUICK)], SHORT_LEASE);
  expect(second.code, second.stderr).toBe(0);
  const before = await world.events();
  first.child.kill('SIGCONT');
  const woken = await first.done;
  // It follows the one that took over, and tells how the task ended.
  expect([woken.code, woken.stdout]).toEqual([0, expect.stringContaining('accepted')]);
  expect(await world.events()).toEqual(before);
  expect(await world.json(['verify'])).toMatchObject({ ok: true });
});

test('a second run beside a living one hands its task over, follows it, and exits with its code', async () => {
  using world = new World();
  const first = world.start(['run', 'first', '--simulate', '--script', world.file('slow.yaml', SLOW)]);
  await taskOf(world);
  const second = await world.run(['run', 'second', '--simulate']);
  expect(second.stdout).toContain('another supervisor (pid');
  expect(second.code, second.stderr).toBe(0);
  expect((await first.done).code).toBe(0);
  expect((await world.tasks()).map((task) => task.status)).toEqual(['accepted', 'accepted']);
});

test('when the driver is killed, a follower takes over and finishes both tasks', async () => {
  using world = new World();
  const endless = world.file('endless.yaml', ENDLESS.replace('}]}', '}, {}]}'));
  const first = world.start(['run', 'first', '--simulate', '--script', endless], SHORT_LEASE);
  const task = await taskOf(world);
  const quick = world.file('quick.yaml', QUICK);
  const second = world.start(['run', 'second', '--simulate', '--script', quick], SHORT_LEASE);
  await eventually(() => second.output().includes('another supervisor'), 'the second one follows');
  first.child.kill('SIGKILL');
  expect((await second.done).code).toBe(0);
  const resumed = await world.run(['resume', task, '--simulate-not-a-flag']);
  expect(resumed.code).toBe(2);
  expect((await world.run(['resume', task])).code).toBe(0);
  expect(await world.json(['verify'])).toMatchObject({ ok: true });
});

test('a stale lease with a pid that now belongs to another program is recovered at once', async () => {
  using world = new World();
  const first = world.start([
    'run',
    'x',
    '--simulate',
    '--script',
    world.file('slow.yaml', ENDLESS.replace('}]}', '}, {}]}')),
  ]);
  const task = await taskOf(world);
  first.child.kill('SIGKILL');
  await first.done;
  // This test's own process lives and has this pid, but it did not start when the lease says its owner did.
  const store = await openStore(readEnvironment({ SUPERVISOR_HOME: world.state }), { readOnly: false });
  const forged = { ...thisProcess(), started: '1' };
  expect(await store.acquire(locateProject(world.repository).id, forged, 3_600_000)).toMatchObject({ type: 'leased' });
  await store.close();
  const resumed = await world.run(['resume', task]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stdout).not.toContain('another supervisor');
});

test('a second run killed right after it handed its task in has not lost it: the driver takes it on, once', async () => {
  using world = new World();
  const first = world.start(['run', 'first', '--simulate', '--script', world.file('slow.yaml', SLOW)]);
  await taskOf(world);
  const second = await world.run(['run', 'second', '--simulate'], { SUPERVISOR_FAILPOINT: 'inbox.after#1' });
  expect(second.signal).toBe('SIGKILL');
  expect((await first.done).code).toBe(0);
  const created = (await world.events()).filter((event) => event.type === 'task.created.1');
  expect(created.map((event) => (event.data as { title: string }).title)).toEqual(['first', 'second']);
  expect(await world.health()).toEqual({ findings: [], leased: false });
});
