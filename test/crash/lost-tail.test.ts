/** OF-07: a log whose end was lost is not built upon; the operator can take it as it is, by his word. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';

/** Two tasks are done; then the log is again what it was after the first. */
async function putOldCopyBack(world: World): Promise<void> {
  const log = join(world.state, 'log.db');
  await world.run(['run', 'first', '--simulate']);
  copyFileSync(log, join(world.dir, 'old.db'));
  await world.run(['run', 'second', '--simulate']);
  copyFileSync(join(world.dir, 'old.db'), log);
  for (const suffix of ['-wal', '-shm']) rmSync(log + suffix, { force: true });
}

test('an older copy put in place of the log is refused by run, named by verify, and accepted by --reanchor', async () => {
  using world = new World();
  await putOldCopyBack(world);

  const refused = await world.run(['run', 'third', '--simulate']);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('log_truncated') });
  const named = await world.run(['verify']);
  expect(named.code).toBe(1);
  expect(named.stdout).toMatch(/log_truncated: sidecar has seen event \d+/);
  expect(named.stdout).toContain('supervisor verify --reanchor');

  expect((await world.run(['verify', '--reanchor'])).code).toBe(0);
  expect((await world.run(['run', 'third', '--simulate'])).code).toBe(0);
  expect((await world.run(['verify'])).code).toBe(0);
});

test('without the anchors the loss goes unseen (positive control)', async () => {
  using world = new World();
  await putOldCopyBack(world);
  rmSync(join(world.state, 'anchors'), { recursive: true });
  rmSync(join(world.repository, '.git', 'refs', 'supervisor'), { recursive: true });
  expect((await world.run(['run', 'third', '--simulate'])).code).toBe(0);
});

test('a log that is gone altogether is noticed by the ref in the repository, and not built anew without a word', async () => {
  using world = new World();
  await world.run(['run', 'first', '--simulate']);
  rmSync(world.state, { recursive: true });
  expect(await world.run(['verify'])).toMatchObject({ code: 1, stdout: expect.stringContaining('there is no log') });
  expect(await world.run(['run', 'second', '--simulate'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('log_truncated'),
  });
  expect((await world.run(['verify', '--reanchor'])).code).toBe(0);
  expect((await world.run(['run', 'second', '--simulate'])).code).toBe(0);
});

test('a log that is removed while it is in use ends the run: nothing is written where nobody reads', async () => {
  using world = new World();
  // Long enough for the log to be removed meanwhile, on a slow machine too.
  const script = world.file('slow.yaml', 'steps: {implement: [{after: 10s}]}\n');
  const run = world.start(['run', 'x', '--simulate', '--script', script]);
  await eventually(async () => (await world.tasks()).some((task) => task.status === 'running'), 'the task runs');
  rmSync(world.state, { recursive: true });
  const { code, stderr } = await run.done;
  expect(stderr).toContain('was removed or exchanged');
  expect(code).toBe(5);
});
