/** `lines` and `land --all`: every accepted task lands, or says why not; each queue shows what it waits for. */
import { expect, test } from 'vitest';
import { accepted, ENV } from '../real/task.ts';
import { World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=! grep -q broken a.txt b.txt c.txt'];
const make = async (world: World, files: Record<string, string>) => (await accepted(world, [{ files }], GATE)).task_id;

test('land --all lands each accepted task, in the order in which they were made; the others say why not', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' });
  const first = await make(world, { 'a.txt': 'ONE\n' });
  const clash = await make(world, { 'a.txt': 'another one\n' });
  const third = await make(world, { 'c.txt': 'THREE\n' });
  const before = await world.run(['lines'], ENV);
  expect([before.code, before.stdout]).toEqual([0, expect.stringContaining('no branch has a landing queue yet')]);

  const { code, stdout, stderr } = await world.run(['land', '--all', '--yes', '--json'], ENV);
  expect(code, stderr).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    landed: [first, third].map((task_id) => ({ task_id, onto: 'main', commit: expect.any(String), red: null })),
    not_landed: [{ task_id: clash, code: 'conflict', reason: expect.stringContaining('conflicts in a.txt') }],
  });
  expect(['a.txt', 'c.txt'].map((path) => world.git('show', `main:${path}`))).toEqual(['ONE', 'THREE']);

  const lines = await world.json(['lines', 'main']);
  const past = [
    { task_id: third, state: 'landed' },
    { task_id: clash, state: 'conflict' },
    { task_id: first, state: 'landed' },
  ];
  expect(lines).toMatchObject({ lines: [{ name: 'main', state: 'idle', queue: [], past }] });
  const shown = await world.run(['lines'], ENV);
  expect(shown.stdout).toMatch(new RegExp(`^main at .*: idle\n  ${third} +landed as .*\n  ${clash} +conflict\n`));
  const again = await world.run(['land', '--all', '--yes'], ENV);
  expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('0 of 1 landed')]);
  expect((await world.run(['lines', 'nowhere'], ENV)).code).toBe(1);
});

test('the queue of a red branch says so, and names the person it waits for', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' });
  world.userConfig(JSON.stringify({ gates: [{ name: 'tests', command: '! grep -q broken b.txt' }] }));
  const { task_id: task } = await accepted(world, [{ files: { 'a.txt': 'ONE\n' } }], []);
  world.commit({ 'b.txt': 'broken\n' });
  expect((await world.run(['land', task, '--yes'], ENV)).code).toBe(4);
  const status = await world.run(['status'], ENV);
  expect(status.stdout).toMatch(
    /waits for you\n.*main is red by itself \(gate tests\): repair it.*\n +answer supervisor land t-/,
  );
  const line = { state: 'stopped', queue: [{ task_id: task, waits_for: 'a person: the branch is red by itself' }] };
  expect(await world.json(['lines'])).toMatchObject({ lines: [line] });
  const shown = await world.run(['lines', 'main'], ENV);
  expect(shown.stdout).toMatch(/^main at .*: stopped\n {2}stopped +red by itself at .* \(gate tests\)\n/);
});
