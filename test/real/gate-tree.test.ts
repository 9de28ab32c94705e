/** A gate sees all of its tree until it ends, whoever else tidies up meanwhile: what is red never turns green by that. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';
import { stop } from '../support/stop.ts';
import { list } from '../support/traces.ts';
import { accepted, ENV, refused, script } from './task.ts';

/** Only what is red takes its time: there are things to be done meanwhile, on a slow machine too. */
const SLOW_GATE = ['--gate', 'tests=! grep -q broken b.txt || { sleep 12; ls; ! grep -q broken b.txt; }'];
const OTHER = [{ files: { 'c.txt': 'x\n' } }];

/** The trees of gates that are at work on what is red, as the file system knows them. */
function gateTrees(world: World): number[] {
  const root = join(world.state, 'workspaces');
  const places = list(root).flatMap((project) => list(join(root, project)).map((name) => join(root, project, name)));
  return places
    .filter((place) => place.includes('.gate-') && readText(join(place, 'tree/b.txt')).includes('broken'))
    .flatMap((place) => statSync(join(place, 'tree'), { throwIfNoEntry: false })?.ino ?? []);
}

const readText = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

const gateTree = (world: World): number | null => gateTrees(world)[0] ?? null;

test('OF-25: a Supervisor that wakes after its lease removes no tree of the one that took over', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  world.userConfig('limits: {attempts: 1}\n');
  const lease = { ...ENV, SUPERVISOR_LEASE_MS: '700' };
  const plays = script(world, [{ files: { 'b.txt': 'broken\n' } }]);
  const first = world.start(['run', 'late', '--script', plays, ...SLOW_GATE], lease);
  const before = await eventually(() => gateTree(world), 'the first has a gate at work');
  await stop(first.child, join(world.state, 'log.db'));
  const [task] = await world.tasks();
  const second = world.start(['resume', task?.task_id ?? '', '--json'], lease);
  await eventually(() => gateTrees(world).some((tree) => tree !== before), 'the second has a gate at work');
  // Its program has begun by then, and is not through.
  await setTimeout(700);
  first.child.kill('SIGCONT');
  // It follows the one that took over, and ends with the code of the task.
  expect((await first.done).code).toBe(1);
  refused(await second.done, 1);
  expect(world.git('branch', '--list', 'ai/*')).toBe('');
});

test('a run that starts meanwhile takes nothing away from a gate: red stays red, and the branch where it is', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const task = await accepted(world, [{ files: { 'a.txt': 'right\n' } }], SLOW_GATE);
  world.git('checkout', '-q', '-b', 'red');
  world.commit({ 'b.txt': 'broken\n' });
  world.git('checkout', '-q', 'main');
  const before = world.git('rev-parse', 'red');
  const land = world.start(['land', task.task_id, '--onto', 'red'], ENV);
  await eventually(() => gateTree(world), 'the gate has its tree');
  await setTimeout(700);
  await accepted(world, OTHER, ['--gate', 'tests=true']);
  refused(await land.done, 1, 'gate tests: fail', 'nothing was landed');
  expect(world.git('rev-parse', 'red')).toBe(before);
});

test('a landing that was handed to a process which died is not lost to the landing that it had begun', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const slow = ['--gate', 'tests=sleep 3; grep -qx right a.txt'];
  const { task_id: task } = await accepted(world, [{ files: { 'a.txt': 'right\n' } }], slow);
  for (const name of ['one', 'two']) {
    world.git('checkout', '-q', '-b', name, 'main');
    world.commit({ [`${name}.txt`]: 'x\n' });
  }
  world.git('checkout', '-q', 'main');
  const lease = { ...ENV, SUPERVISOR_LEASE_MS: '700' };
  const first = world.start(['land', task, '--onto', 'one'], lease);
  await eventually(async () => (await world.queues()).includes(1), 'the first is in its queue');
  await stop(first.child, join(world.state, 'log.db'));
  const second = world.start(['land', task, '--onto', 'two'], lease);
  refused(await second.done, 0, 'two is at');
  first.child.kill('SIGKILL');
  await first.done;
  for (const name of ['one', 'two']) expect(world.git('show', `${name}:a.txt`)).toBe('right');
});

test('one task, landed on two branches at the same time: each as if alone', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const task = await accepted(
    world,
    [{ files: { 'a.txt': 'right\n' } }],
    ['--gate', 'tests=sleep 0.5; grep -qx right a.txt'],
  );
  const branches = ['one', 'two'];
  for (const name of branches) {
    world.git('checkout', '-q', '-b', name, 'main');
    world.commit({ [`${name}.txt`]: 'x\n' });
  }
  world.git('checkout', '-q', 'main');
  const landed = await Promise.all(branches.map((name) => world.run(['land', task.task_id, '--onto', name], ENV)));
  for (const [n, result] of landed.entries()) {
    refused(result, 0, `${branches[n]} is at`);
    expect(world.git('show', `${branches[n]}:a.txt`)).toBe('right');
  }
});
