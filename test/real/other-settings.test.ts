/** OF-31: a task is judged by what it was made under: another configuration asks, and what was pinned stays. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';
import { released, UNTIL_RELEASED, waits } from '../support/release.ts';
import { script } from './task.ts';

const slow = (gate: string) => `gates: [{name: tests, command: "${gate}"}]\n`;

test('OF-31: a run handed to a driver with laxer gates is not judged by those', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  world.userConfig(slow(UNTIL_RELEASED));
  const first = world.start(['run', 'first', '--script', script(world, [{ files: { 'b.txt': 'x\n' } }])]);
  await eventually(
    async () => (await world.tasks()).some((task) => task.status === 'running') || null,
    'the first runs',
  );
  world.userConfig(slow('grep -q good a.txt'));
  const bad = script(
    world,
    ['bad', 'worse', 'worst', 'none'].map((text) => ({ files: { 'a.txt': `${text}\n` } })),
  );
  const second = await world.run(['run', 'second', '--script', bad]);
  expect(second).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('has changed since the task was made'),
  });
  await released(world);
  expect((await first.done).code).toBe(0);
  const task = (await world.tasks()).find(({ status }) => status === 'escalated');
  // The operator's own word: it goes on, under what is configured now, and is red.
  expect(await world.run(['resume', task?.task_id ?? ''])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('tests failed'),
  });
  expect(world.git('branch', '--list', 'ai/*').split('\n')).toHaveLength(1);
});

/** Whether the change is accepted by the gate of its role after the run was stopped, the role was rewritten, and it goes on. */
async function afterUpgrade(rewritten: string) {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  world.userConfig('gates: [{name: tests, command: "true"}]\nlimits: {attempts: 1}\n');
  const folder = join(world.home, '.supervisor', 'roles');
  mkdirSync(folder, { recursive: true });
  const role = (command: string) =>
    writeFileSync(
      join(folder, 'careful.yaml'),
      `extends: implementer\ndescription: d\ngates:\n  - {name: good, command: "${command}"}\n`,
    );
  role('grep -q good a.txt');
  const play = { files: { 'a.txt': 'bad\n' }, run: UNTIL_RELEASED };
  const first = world.start(['run', 'x', '--role', 'careful', '--script', script(world, [play, play])]);
  await waits(world);
  first.child.kill('SIGINT');
  await first.done;
  role(rewritten);
  const [task] = await world.tasks();
  const id = task?.task_id ?? '';
  const again = world.start(['resume', id, '--json']);
  await released(world);
  const { code, stdout } = await again.done;
  const created = (await world.events()).find(({ type }) => type === 'task.created.1');
  return { code, gates: stdout.match(/"gate": ?"good"/g)?.length ?? 0, created: JSON.stringify(created?.data) };
}

test('OF-31: a role that was rewritten while a run was stopped judges nothing in it: its gate is the one that was recorded', async () => {
  const same = await afterUpgrade('grep -q good a.txt');
  const laxer = await afterUpgrade('true');
  expect([same.code, laxer.code]).toEqual([1, 1]);
  for (const { created } of [same, laxer]) {
    expect(created).toContain('grep -q good a.txt');
    expect(created).toMatch(/"settings":"[0-9a-f]{64}"/);
  }
});

test('OF-31, the control: a task that is made under the rewritten role is judged by that', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  world.userConfig('gates: [{name: tests, command: "true"}]\n');
  const folder = join(world.home, '.supervisor', 'roles');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'careful.yaml'),
    'extends: implementer\ndescription: d\ngates:\n  - {name: good, command: "true"}\n',
  );
  const plays = script(world, [{ files: { 'a.txt': 'bad\n' } }]);
  expect((await world.run(['run', 'x', '--role', 'careful', '--script', plays])).code).toBe(0);
});
