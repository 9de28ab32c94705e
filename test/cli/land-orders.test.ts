/** Orders of events around a landing: config changed, checkout in the way, undone, cancelled, moved by hand. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accepted, ENV, refused } from '../real/task.ts';
import { World } from '../support/cli.ts';

let world: World;
beforeEach(() => {
  world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  gates('test -s a.txt');
});
afterEach(() => world[Symbol.dispose]());

const gates = (command: string) => world.userConfig(JSON.stringify({ gates: [{ name: 'tests', command }] }));
const make = async (files: Readonly<Record<string, string>>) => accepted(world, [{ files }], []);
const land = (...args: string[]) => world.run(['land', ...args], ENV);
const at = (ref: string): string => world.git('rev-parse', ref);

test('a gate that was changed since the task was accepted runs again, also on a branch that has not moved', async () => {
  const task = await make({ 'a.txt': 'ONE\n' });
  world.git('branch', 'line');
  gates('grep -q one a.txt');
  const tip = at('line');
  refused(await land(task.task_id, '--onto', 'line'), 1, 'configuration is another one', 'gate tests');
  expect(at('line')).toBe(tip);
  gates('grep -q ONE a.txt');
  const landed = await land(task.task_id, '--onto', 'line');
  expect([landed.code, landed.stdout], landed.stderr).toEqual([
    0,
    expect.stringMatching(/another one[\s\S]*tests +pass/),
  ]);
  expect([at('line^'), world.git('show', 'line:a.txt')]).toEqual([tip, 'ONE']);
});

test('with the same configuration no gate runs on a branch that has not moved (control)', async () => {
  const task = await make({ 'a.txt': 'ONE\n' });
  world.git('branch', 'line');
  expect((await land(task.task_id, '--onto', 'line')).stdout).not.toContain('tests');
  expect(at('line')).toBe(task.commit);
});

test('a checkout with changes, in a rebase, or gone is reported before gates run', async () => {
  const task = await make({ 'a.txt': 'ONE\n' });
  world.commit({ 'b.txt': 'moved\n' });
  writeFileSync(join(world.repository, 'b.txt'), 'not committed\n');
  expect(refused(await land(task.task_id, '--yes'), 1, 'with changes in b.txt')).not.toContain('tests');
  world.git('checkout', '-q', '-f', '-b', 'aside');
  const other = join(world.dir, 'other');
  world.git('worktree', 'add', '-q', other, 'main');
  world.git('-C', other, 'checkout', '-q', '--detach');
  writeFileSync(join(world.repository, '.git', 'worktrees', 'other', 'BISECT_START'), 'main\n');
  expect(refused(await land(task.task_id, '--yes'), 1, 'rebase or bisect')).not.toContain('tests');
  rmSync(join(world.repository, '.git', 'worktrees', 'other', 'BISECT_START'));
  world.git('-C', other, 'checkout', '-q', 'main');
  rmSync(other, { recursive: true });
  expect(refused(await land(task.task_id, '--yes'), 1, 'is gone', 'git worktree prune')).not.toContain('tests');
  world.git('worktree', 'prune');
  expect((await land(task.task_id)).code).toBe(0);
});

test('a branch that is checked out twice does not move, because only one checkout could', async () => {
  const task = await make({ 'a.txt': 'ONE\n' });
  world.git('worktree', 'add', '-q', '-f', join(world.dir, 'other'), 'main');
  refused(await land(task.task_id, '--yes'), 1, 'only one of them could move');
});

test('a task that landed and was undone lands again; one that is still there lands once', async () => {
  const task = await make({ 'a.txt': 'ONE\n' });
  expect((await land(task.task_id, '--yes')).code).toBe(0);
  const undone = await world.json<{ task_id: string }>(['undo', task.task_id]);
  expect((await land(undone.task_id, '--yes')).code).toBe(0);
  expect(world.git('show', 'main:a.txt')).toBe('one');
  expect((await land(task.task_id, '--yes')).code).toBe(0);
  expect(world.git('show', 'main:a.txt')).toBe('ONE');
  const tip = at('main');
  world.commit({ 'a.txt': 'ONE and more\n' });
  expect((await land(task.task_id, '--yes')).code).toBe(0);
  expect(at('main^')).toBe(tip);
});

test('a conflict names the task that changed the same, or the commit of a person', async () => {
  const one = await make({ 'a.txt': 'ONE\n' });
  const two = await make({ 'a.txt': 'another one\n' });
  const three = await make({ 'b.txt': 'TWO\n' });
  expect((await land(one.task_id, '--yes')).code).toBe(0);
  refused(await land(two.task_id, '--yes'), 1, 'conflicts in a.txt', `Task ${one.task_id} changed the same`);
  for (const command of [['status'], ['show', two.task_id]])
    expect((await world.run(command)).stdout).toMatch(/ not landed +on main: main has moved to .* conflicts in a\.txt/);
  world.commit({ 'b.txt': 'by hand\n' });
  refused(await land(three.task_id, '--yes'), 1, `Commit ${at('main').slice(0, 12)} changed the same`);
});

test('cancel takes a task out of the queue of a branch that is red by itself', async () => {
  gates('! grep -q broken b.txt');
  const task = await make({ 'a.txt': 'ONE\n' });
  world.commit({ 'b.txt': 'broken\n' });
  expect((await land(task.task_id, '--yes')).code).toBe(4);
  expect(await world.queues()).toEqual([1]);
  refused(await world.run(['pause', task.task_id], ENV), 1, 'in the landing queue of main', 'supervisor cancel');
  refused(await world.run(['cancel', task.task_id], ENV), 0, `${task.task_id} stays accepted, and does not land`);
  expect(await world.queues()).toEqual([0]);
  expect(await world.json(['show', task.task_id])).toMatchObject({ status: 'accepted', landed: null });
  refused(await world.run(['cancel', task.task_id], ENV), 1, 'is accepted already');
});
