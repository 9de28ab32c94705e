/** OF-20: red on the integrated tree runs twice more, and only the task that caused it is blamed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accepted, ENV, refused } from '../real/task.ts';
import { World } from '../support/cli.ts';

let world: World;
beforeEach(() => {
  world = new World();
  world.commit({ 'x.txt': 'off\n', 'y.txt': 'off\n', 'b.txt': 'fine\n' });
});
afterEach(() => world[Symbol.dispose]());

const at = (ref: string): string => world.git('rev-parse', ref);
const land = (...args: string[]) => world.run(['land', ...args, '--onto', 'line'], ENV);
const config = (command: string) => world.userConfig(JSON.stringify({ gates: [{ name: 'tests', command }] }));
const change = (files: Readonly<Record<string, string>>, ...more: string[]) => accepted(world, [{ files }], more);

/** One more commit on the line, by a person. */
function byHand(files: Readonly<Record<string, string>>): string {
  world.git('checkout', '-q', 'line');
  world.commit(files, 'by hand');
  world.git('checkout', '-q', 'main');
  return at('line');
}

test('a branch that is red by itself stops its queue, names no task, and goes on when a person says so', async () => {
  config('! grep -q broken b.txt');
  const task = await change({ 'x.txt': 'on\n' });
  world.git('branch', 'line');
  const red = byHand({ 'b.txt': 'broken\n' });
  const said = refused(await land(task.task_id), 4, 'line is red by itself', 'no task is to blame');
  expect(said).toMatch(/tests\s+fail[\s\S]*on the branch without the change[\s\S]*tests\s+fail/);
  expect(at('line')).toBe(red);
  expect(await world.json(['show', task.task_id])).toMatchObject({ landing: 'line', landed: null });
  byHand({ 'b.txt': 'mended\n' });
  expect((await land(task.task_id)).code).toBe(0);
  expect([world.git('show', 'line:x.txt'), world.git('show', 'line:b.txt')]).toEqual(['on', 'mended']);
});

test('green alone, red together: the later one goes back, and the other is named', async () => {
  config('test "$(cat x.txt y.txt | grep -c on)" -lt 2');
  const one = await change({ 'x.txt': 'on\n' });
  const two = await change({ 'y.txt': 'on\n' });
  const third = await change({ 'b.txt': 'other\n' });
  world.git('branch', 'line');
  expect((await land(one.task_id)).code).toBe(0);
  expect((await land(third.task_id)).code).toBe(0);
  const tip = at('line');
  const said = refused(await land(two.task_id), 1, 'red together with', one.task_id);
  expect(said).toMatch(/fail[\s\S]*without the change[\s\S]*pass[\s\S]*same tree again[\s\S]*fail/);
  expect(at('line')).toBe(tip);
});

test('red and then green on the same tree: unstable; it lands only with --unstable', async () => {
  const count = world.file('count', '0');
  // Only both together make it depend on chance, which here is a counter: red, green, red, green …
  config(
    `grep -q off x.txt || grep -q off y.txt || { n=$(cat ${count}); echo $((n + 1)) > ${count}; test $((n % 2)) = 1; }`,
  );
  const task = await change({ 'x.txt': 'on\n' }, '--unsafe-no-sandbox');
  world.git('branch', 'line');
  const tip = byHand({ 'y.txt': 'on\n' });
  refused(await land(task.task_id, '--unverified'), 3, 'red and then green on the same tree', '--unstable');
  expect(at('line')).toBe(tip);
  // What is remembered of that tree is red, so it is asked again each time, and never lands silently.
  writeFileSync(count, '1');
  refused(await land(task.task_id, '--unverified'), 3, 'red and then green on the same tree');
  expect([at('line'), readFileSync(count, 'utf8').trim()]).toEqual([tip, '2']);
  writeFileSync(count, '1');
  expect((await land(task.task_id, '--unverified', '--unstable')).code).toBe(0);
  expect(at('line^')).toBe(tip);
  expect(join(world.dir, 'count')).toBe(count);
});
