/** OF-13, OF-19: `land` moves a branch only to what was checked on it; an obstacle is named, and stays. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { accepted, ENV, refused, run } from '../real/task.ts';
import { World } from '../support/cli.ts';
import { digest } from '../workspace/repository.ts';

/** Green when the change is in, and nobody has broken b.txt. */
const GATE = ['--gate', 'tests=grep -qx right a.txt && ! grep -q broken b.txt'];
const world = new World();
let task: RunReport & { branch: string; commit: string; base: string };

beforeAll(async () => {
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' });
  task = await accepted(world, [{ files: { 'a.txt': 'wrong\n' } }, { files: { 'a.txt': 'right\n' } }], GATE);
});
afterAll(() => world[Symbol.dispose]());

const at = (ref: string): string => world.git('rev-parse', ref);
const land = (...args: string[]) => world.run(['land', ...args], ENV);
/** A branch that is not checked out, with one more commit. */
function branch(name: string, files: Readonly<Record<string, string>> | null): string {
  world.git('branch', name, task.base);
  if (files === null) return task.base;
  const worktree = join(world.dir, 'beside');
  world.git('worktree', 'add', '-q', worktree, name);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(worktree, path), text);
  world.git('-C', worktree, 'commit', '-q', '-a', '-m', `on ${name}`);
  world.git('worktree', 'remove', worktree);
  return at(name);
}

test('a branch that is not checked out is moved; index and working tree stay; twice is once', async () => {
  branch('release', null);
  const index = world.git('ls-files', '-s');
  const { code, stdout, stderr } = await land(task.task_id, '--onto', 'release');
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining(`release is at ${task.commit.slice(0, 12)}`)]);
  expect([at('release'), at('main'), world.git('ls-files', '-s')]).toEqual([task.commit, task.base, index]);
  expect(world.git('status', '--porcelain')).toBe('');
  const again = await world.json(['land', task.task_id, '--onto', 'release']);
  expect(again).toEqual({ task_id: task.task_id, onto: 'release', commit: task.commit, red: null });
  const asked = (await world.events()).filter(({ type }) => type === 'task.landing.1');
  const who = `operator:${userInfo().username}`;
  expect(asked.map(({ actor, data }) => [actor, (data as { by: string }).by])).toEqual(Array(2).fill([who, who]));
  const facts = (await world.events()).filter(({ type }) => type === 'task.landed.1');
  expect(facts.map(({ data }) => data)).toEqual(Array(2).fill({ onto: 'release', commit: task.commit }));
  const landed = { onto: 'release', commit: task.commit };
  expect(await world.json(['show', task.task_id])).toMatchObject({ landed });
  expect(await world.json(['status'])).toMatchObject({ tasks: [{ task_id: task.task_id, landed }] });
  expect((await world.run(['status'])).stdout).toMatch(/accepted .*\(\d+ attempts?, landed on release\)/);
});

test('OF-19: the branch has moved: the change is put on top, and its gates run again on that tree', async () => {
  const moved = branch('moved', { 'c.txt': 'later\n' });
  const { code, stdout, stderr } = await land(task.task_id, '--onto', 'moved');
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/has moved[\s\S]*tests\s+pass/)]);
  expect(world.git('rev-list', '--parents', '-1', 'moved').split(' ')).toEqual([at('moved'), moved]);
  expect([world.git('show', 'moved:a.txt'), world.git('show', 'moved:c.txt')]).toEqual(['right', 'later']);
  expect(at(`${task.branch}-on-${moved.slice(0, 12)}`)).toBe(at('moved'));
  expect(at(task.branch)).toBe(task.commit);
  const landed = at('moved');
  expect(await world.json(['land', task.task_id, '--onto', 'moved'])).toMatchObject({ commit: landed });
  expect(at('moved')).toBe(landed);
});

test('a gate that has seen the integrated tree is not run again on another branch, and says cached; on a new tree it runs', async () => {
  const tip = branch('first', { 'b.txt': 'further\n' });
  world.git('branch', 'second', tip);
  const said = async (onto: string) => {
    const { code, stdout, stderr } = await land(task.task_id, '--onto', onto);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/has moved[^\n]*its gates check the result/);
    return /^ +tests +(.*)$/m.exec(stdout)?.[1];
  };
  const last = async () => (await world.events()).findLast(({ type }) => type === 'line.gated.1')?.data;
  expect(await said('first')).toBe('pass');
  expect(await last()).toMatchObject({ cached: false });
  expect(await said('second')).toBe('pass (cached)');
  expect(await last()).toMatchObject({ cached: true });
  branch('third', { 'b.txt': 'and further\n' });
  expect(await said('third')).toBe('pass');
});

test('IF-20: a branch behind the base gets the change of the task and nothing else', async () => {
  const behind = branch('behind', null);
  world.commit({ 'd.txt': 'of somebody else\n' });
  const gate = ['--gate', 'tests=grep -qx later b.txt'];
  const later = await accepted(world, [{ files: { 'b.txt': 'later\n' } }], gate);
  const { code, stdout, stderr } = await land(later.task_id, '--onto', 'behind');
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/has moved[\s\S]*tests\s+pass/)]);
  expect(at('behind^')).toBe(behind);
  expect(world.git('diff', '--name-only', behind, 'behind')).toBe('b.txt');
  world.git('reset', '-q', '--hard', task.base);
});

test('OF-19: red on the new ground: nothing is landed, and what the gate said is shown', async () => {
  const moved = branch('red', { 'b.txt': 'broken\n' });
  refused(
    await land(task.task_id, '--onto', 'red'),
    1,
    'gate tests: fail on the integrated tree',
    'nothing was landed',
  );
  expect([at('red'), at(task.branch)]).toEqual([moved, task.commit]);
});

test('OF-19: a conflict is named with its paths, and both sides stay', async () => {
  const moved = branch('clash', { 'a.txt': 'mine\n' });
  refused(await land(task.task_id, '--onto', 'clash'), 1, 'conflicts in a.txt', `merge ${task.branch} by hand`);
  expect([at('clash'), at(task.branch)]).toEqual([moved, task.commit]);
});

test('a change that the branch already contains has landed', async () => {
  const moved = branch('same', { 'a.txt': 'right\n' });
  expect(await world.json(['land', task.task_id, '--onto', 'same'])).toMatchObject({ commit: moved });
  expect(at('same')).toBe(moved);
});

test('OF-15: checked out: refused with the command that does it; with changes, they are named first', async () => {
  const command = `git merge --ff-only ${task.commit}`;
  refused(await land(task.task_id), 3, `main is checked out in ${world.repository} and clean`, '--yes', command);
  writeFileSync(join(world.repository, 'b.txt'), 'mine\n');
  // Our own refs say how far the log has come.
  const seen = () => digest(world.repository, /^\.git\/(objects|refs\/supervisor)/);
  const before = seen();
  refused(await land(task.task_id), 1, 'with changes in b.txt: commit or stash them, then repeat this command');
  expect([seen(), at('main')]).toEqual([before, task.base]);
  world.git('checkout', '-q', 'b.txt');
});

test('OF-13: a lock of the index is waited for, named and left; so is one of the branch, and then it lands', async () => {
  const index = join(world.repository, '.git', 'index.lock');
  writeFileSync(index, '');
  refused(await land(task.task_id), 1, index, 'remove that file yourself');
  expect(existsSync(index)).toBe(true);
  rmSync(index);

  branch('locked', null);
  const lock = join(world.repository, '.git', 'refs', 'heads', 'locked.lock');
  writeFileSync(lock, '');
  refused(await land(task.task_id, '--onto', 'locked'), 5, lock, 'remove that file yourself');
  expect([existsSync(lock), at('locked')]).toEqual([true, task.base]);
  rmSync(lock);
  expect((await land(task.task_id, '--onto', 'locked')).code).toBe(0);
  expect(at('locked')).toBe(task.commit);
});

test('UI-19, UI-22, UI-23: names that are no branch, no task, or a command line', async () => {
  refused(await land(task.task_id, '--onto', 'nope'), 1, 'there is no branch nope', '`git branch nope');
  refused(await land(task.task_id, '--onto', '../x'), 5, 'is no name for a branch');
  refused(await land(task.task_id, '--onto', '-x'), 2, '--onto=-x');
  refused(await land(task.task_id, '--onto=-x'), 5, 'is no name for a branch');
  refused(await land(task.task_id, '--onto', '\u001b]52;c;x\u0007'), 5, 'no name for a branch');
  refused(await land('t-nope'), 1, 't-nope');
  const odd = '$(id>rt);`id>rt`&&x|y';
  branch(odd, null);
  expect(await world.json(['land', task.task_id, '--onto', odd])).toMatchObject({ onto: odd });
  expect([at(`refs/heads/${odd}`), existsSync(join(world.repository, 'rt'))]).toEqual([task.commit, false]);
});

test('a landing that was killed is shown, is kept by gc, and is carried out by the next run', async () => {
  branch('killed', { 'c.txt': 'later\n' });
  const killed = await world.run(['land', task.task_id, '--onto', 'killed'], {
    ...ENV,
    SUPERVISOR_FAILPOINT: 'effect.after gate.run#1',
  });
  expect(killed.code, killed.stderr).not.toBe(0);
  expect((await world.run(['status'])).stdout).toMatch(/in the landing queue of killed/);
  expect(await world.json(['show', task.task_id])).toMatchObject({ landing: 'killed' });
  const pins = () => world.git('for-each-ref', '--format=%(refname)', 'refs/supervisor/candidate').split('\n');
  expect(pins()).toContainEqual(expect.stringContaining('.land'));
  await world.json(['gc']);
  expect(pins()).toContainEqual(expect.stringContaining('.land'));
  await accepted(world, [{ files: { 'b.txt': 'other\n' } }], ['--gate', 'tests=true']);
  expect([world.git('show', 'killed:a.txt'), world.git('show', 'killed:c.txt')]).toEqual(['right', 'later']);
  expect(await world.json(['show', task.task_id])).toMatchObject({ landed: { onto: 'killed', commit: at('killed') } });
  expect((await world.run(['status'])).stdout).not.toMatch(/landing queue/);
});

test('an unaccepted task has nothing to land; an unchecked one needs a flag', async () => {
  const failed = await run(world, [{ files: { 'a.txt': 'wrong\n' } }], GATE);
  expect(failed.code).toBe(4);
  const { task_id, commit } = JSON.parse(failed.stdout) as RunReport;
  expect(commit).toBeNull();
  refused(await land(task_id, '--onto', 'release'), 1, 'is escalated and has no commit');

  const open = await accepted(world, [{ files: { 'a.txt': 'unseen\n' } }], ['--no-gates']);
  expect(open.verified).toBe(false);
  branch('unseen', null);
  refused(await land(open.task_id, '--onto', 'unseen'), 1, 'no gate checked', '--unverified');
  expect(at('unseen')).toBe(task.base);
  expect((await land(open.task_id, '--onto', 'unseen', '--unverified')).code).toBe(0);
  expect(at('unseen')).toBe(open.commit);
});

test('OF-19: the branch that is checked out has moved: with --yes the integrated commit is made and the clean checkout moves to it; no hook runs', async () => {
  world.commit({ 'c.txt': 'by hand\n' });
  const said = refused(await land(task.task_id), 3, 'git merge --ff-only ');
  const [, commit = ''] = /git merge --ff-only ([0-9a-f]+)/.exec(said) ?? [];
  expect(world.git('rev-parse', `${commit}^`)).toBe(at('main'));
  // An ignored file in the way is the person's: nothing moves.
  writeFileSync(join(world.repository, '.git', 'info', 'exclude'), 'notes.md\n');
  writeFileSync(join(world.repository, 'notes.md'), 'mine\n');
  const adds = await accepted(world, [{ files: { 'notes.md': 'its\n' } }], ['--gate', 'tests=true']);
  refused(await land(adds.task_id, '--yes'), 1, 'notes.md', 'overwritten');
  expect(readFileSync(join(world.repository, 'notes.md'), 'utf8')).toBe('mine\n');
  rmSync(join(world.repository, 'notes.md'));
  const hook = join(world.repository, '.git', 'hooks', 'post-merge');
  writeFileSync(hook, `#!/bin/sh\ntouch ${world.dir}/hook-ran\n`, { mode: 0o755 });
  expect(await world.json(['land', task.task_id, '--yes'])).toMatchObject({ onto: 'main', commit });
  expect(existsSync(join(world.dir, 'hook-ran'))).toBe(false);
  expect(at('main')).toBe(commit);
  expect([world.git('show', 'main:a.txt'), world.git('show', 'main:c.txt')]).toEqual(['right', 'by hand']);
  expect(world.git('status', '--porcelain')).toBe('');
  expect(await world.health()).toEqual({ findings: [], leased: false });
  world.git('fsck', '--strict');
});
