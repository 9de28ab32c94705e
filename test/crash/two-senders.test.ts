/** Two processes submit 1,000 commands each while a third one works: none is lost, none doubled, each sender's order kept. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/programs/submit-many.ts', import.meta.url));

test('2,000 commands of two other processes are each decided exactly once', async () => {
  using world = new World();
  const run = world.start([
    'run',
    'x',
    '--simulate',
    '--script',
    world.file('slow.yaml', 'steps: {implement: [{after: 60s}]}\n'),
  ]);
  const [task] = await eventually(async () => {
    const tasks = await world.tasks();
    return tasks.length > 0 && tasks;
  }, 'the task is there');
  const send = (name: string) =>
    promisify(execFile)(process.execPath, [PROGRAM, world.state, world.repository, name, '1000']);
  await Promise.all([send('a'), send('b')]);
  const texts = await eventually(async () => {
    const found = (await world.events())
      .filter((event) => event.type === 'goal.set.1')
      .map((event) => (event.data as { text: string }).text);
    return found.length >= 2_000 && found;
  }, 'all commands are decided');
  for (const name of ['a', 'b']) {
    expect(texts.filter((text) => text.startsWith(`${name} `))).toEqual(
      Array.from({ length: 1_000 }, (_, k) => `${name} ${k}`),
    );
  }
  expect(texts).toHaveLength(2_000);
  await world.run(['cancel', task?.task_id ?? '']);
  expect((await run.done).code).toBe(1);
  expect(await world.health()).toEqual({ findings: [], leased: false });
});
