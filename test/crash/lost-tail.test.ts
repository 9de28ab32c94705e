/** OF-07: a log whose end was lost is not built upon; the operator can take it as it is, by his word. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accepted, ENV, run } from '../real/task.ts';
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

test('a log that is gone altogether is noticed by the ref in the repository, and not silently built anew', async () => {
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

test('a log that is removed while it is in use ends the run: no event is written where it cannot be read', async () => {
  using world = new World();
  // Long enough for the log to be removed meanwhile, on a slow machine too.
  const script = world.file('slow.yaml', 'steps: {implement: [{after: 10s}]}\n');
  const run = world.start(['run', 'x', '--simulate', '--script', script]);
  await eventually(async () => (await world.tasks()).some((task) => task.status === 'running'), 'the task runs');
  rmSync(world.state, { recursive: true });
  const { code, stderr } = await run.done;
  expect(stderr).toContain('was removed or replaced');
  expect(code).toBe(5);
});

const pinsOf = (world: World) =>
  world
    .git('for-each-ref', '--format=%(refname)', 'refs/supervisor/base', 'refs/supervisor/candidate')
    .split('\n')
    .filter((ref) => ref !== '');

/** One task that was accepted and one that was not, for real: each has pins. The worker repeats its change, so a person has to look. */
async function worked(world: World): Promise<readonly string[]> {
  world.commit({ 'a.txt': 'one\n' });
  const gate = ['--gate', 'tests=grep -qx right a.txt'];
  await accepted(world, [{ files: { 'a.txt': 'right\n' } }], gate);
  expect((await run(world, [{ files: { 'a.txt': 'wrong\n' } }], gate)).code).toBe(4);
  return pinsOf(world);
}

test('gc does not trust a log that run refuses and removes nothing; doctor says what to do', async () => {
  using world = new World();
  const pins = await worked(world);
  expect(pins.length).toBeGreaterThanOrEqual(4);
  rmSync(world.state, { recursive: true });

  const asked = [['gc', '--dry-run'], ['gc'], ['gc', '--all']];
  for (const args of asked)
    expect(await world.run(args, ENV)).toMatchObject({ code: 5, stderr: expect.stringContaining('log_truncated') });
  // Run opens a new log before it refuses: then there is one, and it is empty.
  const again = await world.run(['run', 'x', '--simulate'], ENV);
  expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('log_truncated') });
  for (const args of asked) {
    const { code, stderr } = await world.run(args, ENV);
    expect({ code, stderr }, args.join(' ')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('log_truncated'),
    });
  }
  const doctor = await world.run(['doctor'], ENV);
  expect(doctor.code).toBe(5);
  expect(doctor.stdout).toMatch(/✗ log .*log_truncated/);
  expect(doctor.stdout).toContain('supervisor verify --reanchor');
  expect(pinsOf(world)).toEqual(pins);
});

test('work of tasks that the log has lost stays after --reanchor, until gc --all', async () => {
  using world = new World();
  const pins = await worked(world);
  rmSync(world.state, { recursive: true });
  expect((await world.run(['verify', '--reanchor'], ENV)).code).toBe(0);
  expect((await world.run(['run', 'x', '--simulate'], ENV)).code).toBe(0);
  expect((await world.run(['gc'], ENV)).code).toBe(0);
  expect(pinsOf(world)).toEqual(pins);
  expect((await world.run(['gc', '--all'], ENV)).code).toBe(0);
  expect(pinsOf(world)).toEqual([]);
});

test('a list entry that is gone from an otherwise sound log is no reason to remove its work', async () => {
  using world = new World();
  const pins = await worked(world);
  const { DatabaseSync } = await import('node:sqlite');
  const log = new DatabaseSync(join(world.state, 'log.db'));
  log.exec("DELETE FROM stream WHERE name LIKE 'task/%'");
  log.close();
  expect(await world.run(['gc', '--all'], ENV)).toMatchObject({ code: 5, stderr: expect.stringContaining('missing') });
  const doctor = await world.run(['doctor'], ENV);
  expect(doctor.stdout).toContain('fix: supervisor verify --rebuild');
  expect(pinsOf(world)).toEqual(pins);
});

test('control: on a sound log gc removes the pins of what was accepted', async () => {
  using world = new World();
  const pins = await worked(world);
  expect((await world.run(['gc'], ENV)).code).toBe(0);
  expect(pinsOf(world).length).toBeLessThan(pins.length);
  expect(pinsOf(world).length).toBeGreaterThan(0);
});
