/** A task is judged by what it was made under: a driver with another configuration does not work on it. */
import { expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';
import { released, UNTIL_RELEASED } from '../support/release.ts';
import { script } from './task.ts';

const slow = (gate: string) => `gates: [{name: tests, command: "${gate}"}]\n`;

test('a run handed to a driver with laxer gates is not judged by those', async () => {
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
    stdout: expect.stringContaining('another one than the task was made under'),
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
