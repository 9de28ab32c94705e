/** `retry TASK` and `resume --from`: once more, and from which tree. */
import { expect, test } from 'vitest';
import { ENV, script } from '../real/task.ts';
import { eventually, World } from '../support/cli.ts';

const woken = async (world: World) => (await world.events()).filter(({ type }) => type === 'step.woken.1').length;

test('a task that waits for its next attempt begins it now; one that is accepted has nothing to retry', async () => {
  using world = new World();
  world.userConfig('limits: {backoff: {tries: 3, first: 1h, factor: 2, max: 2h}}\n');
  const play = world.file('play.yaml', 'steps: {implement: [{outcome: transient, reason: the network blinked}, {}]}\n');
  const run = world.start(['run', 'x', '--simulate', '--script', play]);
  const task = await eventually(
    async () => (await world.tasks()).find(({ status }) => status === 'waiting')?.task_id ?? null,
    'the task waits for its next attempt',
  );
  const retried = await world.run(['retry', task]);
  expect(retried.code, retried.stderr + retried.stdout).toBe(0);
  expect((await run.done).code).toBe(0);
  expect(await woken(world)).toBe(1);
  const again = await world.run(['retry', task]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('it has nothing to retry')]);
});

test('a task that failed is tried again; one that asks whether to try again gets its yes', async () => {
  using world = new World();
  world.userConfig('limits: {attempts: 1}\n');
  const fails = world.file(
    'fails.yaml',
    'steps: {implement: [{gates: {tests: fail}}, {gates: {tests: pass}}]}\npeople: {implement: [wait]}\n',
  );
  expect((await world.run(['run', 'x', '--simulate', '--script', fails])).code).toBe(1);
  const [first] = await world.tasks();
  expect((await world.run(['retry', first?.task_id ?? ''])).code).toBe(0);
  const asks = world.file(
    'w.yaml',
    'version: 1\ndescription: d\nsteps:\n  implement: {role: implementer, attempts: 1, retry_policy: {on_failure: ask_human}}\n',
  );
  expect((await world.run(['run', 'y', '--simulate', '--script', fails, '--workflow', asks])).code).toBe(3);
  const second = (await world.tasks()).find(({ status }) => status === 'waiting')?.task_id ?? '';
  expect((await world.run(['retry', second])).code).toBe(0);
});

test('`resume --from` says in which tree the next attempt starts', async () => {
  using world = new World();
  world.userConfig('limits: {attempts: 1}\n');
  const plays = script(world, [
    { files: { 'half.txt': 'x\n' } },
    { files: { 'other.txt': 'y\n' } },
    { files: { 'whole.txt': 'z\n' } },
  ]);
  const gate = ['--gate', 'tests=test -e whole.txt'];
  expect((await world.run(['run', 'make it right', '--script', plays, ...gate], ENV)).code).toBe(1);
  const task = (await world.tasks())[0]?.task_id ?? '';
  const odd = await world.run(['resume', task, '--from', 'somewhere'], ENV);
  expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('say last')]);
  // By itself it would go on in what its gates sent back.
  expect((await world.run(['resume', task, '--from', 'line'], ENV)).code).toBe(1);
  expect(world.git('ls-tree', '--name-only', await candidate(world))).not.toContain('half.txt');
  const last = await world.run(['resume', task, '--from', 'last'], ENV);
  expect(last.code, last.stderr + last.stdout).toBe(0);
  const files = world.git('ls-tree', '--name-only', await candidate(world));
  expect(files).toContain('other.txt');
  expect(files).toContain('whole.txt');
  expect(files).not.toContain('half.txt');
});

/** The tree that was captured last. */
async function candidate(world: World): Promise<string> {
  const made = (await world.events()).flatMap(({ type, data }) =>
    type === 'attempt.produced.2' ? [(data as { candidate: { tree: string } }).candidate.tree] : [],
  );
  return made.at(-1) ?? '';
}
