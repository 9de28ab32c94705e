/** No sweep removes the workspace of a landing that checks, and stopping the landing lands nothing. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';
import { script } from './task.ts';

test('gc refuses while a landing checks; Ctrl-C ends the landing with 130, and the line stays', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  world.git('branch', 'line');
  const gate = 'tests=test ! -e slow || sleep 60';
  const played = script(world, [{ files: { 'b.txt': 'x\n' } }]);
  expect(await world.run(['run', 'first', '--onto', 'line', '--gate', gate, '--script', played])).toMatchObject({
    code: 0,
  });
  const [task] = await world.tasks();
  world.git('checkout', '-q', 'line');
  world.commit({ slow: '' });
  world.git('checkout', '-q', 'main');
  const line = world.git('rev-parse', 'line');

  const landing = world.start(['land', task?.task_id ?? '']);
  const trees = () =>
    readdirSync(join(world.state, 'workspaces'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('tree/slow'),
    );
  await eventually(() => trees().length > 0, 'the integrated tree is checked');
  expect(await world.run(['gc'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('works on this project'),
  });
  expect(trees()).toHaveLength(1);
  landing.child.kill('SIGINT');
  expect((await landing.done).code).toBe(130);
  expect(world.git('rev-parse', 'line')).toBe(line);
  expect((await world.run(['gc'])).code).toBe(0);
});
