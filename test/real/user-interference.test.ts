/** OF-11..13, OF-15, OF-19, OF-25: what the user, another Supervisor or a lock does beside a real task. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { eventually, type Result, World } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { doubled } from '../support/log-checks.ts';
import { released, UNTIL_RELEASED, waits } from '../support/release.ts';
import { stop } from '../support/stop.ts';
import { settled } from '../support/traces.ts';
import { accepted, ENV, type Plays, refused, script } from './task.ts';

const GATE = ['--gate', 'tests=grep -qx right a.txt'];
const RIGHT = { files: { 'a.txt': 'right\n' } };

function started(world: World, title: string, plays: Plays, env: Readonly<Record<string, string>> = {}) {
  return world.start(['run', title, '--script', script(world, plays), ...GATE, '--json'], { ...ENV, ...env });
}

/** The worker is at it: its note is written to the workspace, which the sandbox sees. */
async function working(world: World, title: string): Promise<string> {
  return eventually(async () => {
    const events = await world.events();
    const made = events.find(
      ({ type, data }) => type === 'task.created.1' && (data as { title: string }).title === title,
    );
    if (made === undefined) return null;
    const begun = events.some(({ type, stream }) => type === 'attempt.started.2' && stream === made.stream);
    return begun ? made.stream.replace('task/', '') : null;
  }, `${title} is worked on`);
}

const reportOf = ({ code, stdout, stderr }: Result, exit = 0): RunReport => {
  expect(code, stderr + stdout).toBe(exit);
  return JSON.parse(stdout) as RunReport;
};

async function sound(world: World): Promise<void> {
  expect(doubled(await world.events())).toEqual([]);
  expect(await world.health()).toEqual({ findings: [], leased: false });
  expect(await settled(() => leftOver(world))).toEqual([]);
  world.git('fsck', '--strict');
}

test('OF-15: staged, changed and untracked files stay as they are, also one that the task changes; so does a lock of the index', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const put = (name: string, text: string) => writeFileSync(join(world.repository, name), text);
  put('b.txt', 'staged\n');
  world.git('add', 'b.txt');
  put('b.txt', 'staged, then changed\n');
  put('a.txt', 'mine\n');
  put('untracked.txt', 'untracked\n');
  const names = ['a.txt', 'b.txt', 'untracked.txt', '.git/index', '.git/HEAD'];
  const bytes = () => names.map((name) => readFileSync(join(world.repository, name), 'hex'));
  const before = bytes();
  const lock = join(world.repository, '.git', 'index.lock');
  writeFileSync(lock, '');
  const files = { 'a.txt': 'right\n', 'untracked.txt': 'of the task\n' };
  const task = await accepted(world, [{ files }], GATE);
  expect(existsSync(lock)).toBe(true);
  rmSync(lock);
  expect(bytes()).toEqual(before);
  expect(world.git('stash', 'list')).toBe('');
  expect(world.git('diff', '--name-only', task.base, task.branch)).toBe('a.txt\nuntracked.txt');
  expect(world.git('show', `${task.commit}:untracked.txt`)).toBe('of the task');
  await sound(world);
});

test('OF-19: while the worker is at it the user moves on, deletes the branch and collects garbage: nothing is lost', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const base = world.git('rev-parse', 'HEAD');
  const run = started(world, 'slow', [{ ...RIGHT, run: UNTIL_RELEASED }]);
  await working(world, 'slow');
  // Nothing of the user's reaches the base any more.
  world.git('checkout', '-q', '--orphan', 'other');
  world.git('commit', '-q', '-m', 'anew');
  world.git('branch', '-q', '-D', 'main');
  world.git('reflog', 'expire', '--expire=now', '--all');
  world.git('gc', '-q', '--prune=now');
  await released(world);
  const task = reportOf(await run.done);
  expect(task).toMatchObject({ status: 'accepted', base, onto: 'main' });
  expect(world.git('rev-parse', `${task.branch}^`)).toBe(base);
  refused(await world.run(['land', task.task_id]), 1, 'there is no branch main', `git branch main ${task.commit}`);
  // Two histories that share nothing can still take the same change.
  world.git('checkout', '-q', '--detach');
  refused(await world.run(['land', task.task_id, '--onto', 'other']), 0);
  expect(world.git('show', 'other:a.txt')).toBe('right');
  await sound(world);
});

test('OF-13: a lock on the branch to be made is waited for, named and left; the work waits for `resume`', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const run = started(world, 'locked', [{ ...RIGHT, run: UNTIL_RELEASED }]);
  const id = await working(world, 'locked');
  const lock = join(world.repository, '.git', 'refs', 'heads', 'ai', `${id}-locked.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, '');
  await released(world);
  const stopped = reportOf(await run.done, 4);
  expect(stopped.status).toBe('escalated');
  expect(stopped.verdict.reasons.join()).toContain(`${lock} is held by another git process`);
  expect([existsSync(lock), world.git('branch', '--list', 'ai/*')]).toEqual([true, '']);
  rmSync(lock);
  const task = reportOf(await world.run(['resume', id, '--json']));
  expect(task).toMatchObject({ status: 'accepted', candidate: stopped.candidate, change_id: stopped.change_id });
  // The work was done already: only what was not possible is done again.
  expect(task.steps).toMatchObject([{ attempts: 1 }]);
  await sound(world);
});

test('a branch of the user in the place of ours is a sentence, and `resume` goes on when it is gone', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  world.git('branch', 'ai');
  const stopped = reportOf(await started(world, 'taken', [RIGHT]).done, 4);
  refused({ code: 4, signal: null, stdout: stopped.verdict.reasons.join(), stderr: '' }, 4, 'branch ai is in the way');
  world.git('branch', '-m', 'ai', 'mine');
  const task = reportOf(await world.run(['resume', stopped.task_id, '--json']));
  expect(task).toMatchObject({ status: 'accepted', candidate: stopped.candidate });
  await sound(world);
});

test('OF-11: a second run enqueues, follows and ends with the code of its own task; both are done once', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const first = started(world, 'first', [{ ...RIGHT, run: UNTIL_RELEASED }]);
  await working(world, 'first');
  const plays = script(
    world,
    ['wrong', 'bad', 'worse'].map((text) => ({ files: { 'a.txt': `${text}\n` } })),
  );
  const second = await world.run(['run', 'second', '--script', plays, ...GATE]);
  expect(second.stdout).toContain('another supervisor (pid');
  expect(second.code, second.stderr).toBe(1);
  await released(world);
  expect(reportOf(await first.done)).toMatchObject({ status: 'accepted', steps: [{ attempts: 1 }] });
  expect((await world.tasks()).map(({ status }) => status).sort()).toEqual(['accepted', 'failed']);
  expect(world.git('branch', '--list', 'ai/*').split('\n')).toHaveLength(1);
  await sound(world);
});

test('OF-12: the driver is killed with its worker at work: who followed takes over, nothing is done twice', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const lease = { SUPERVISOR_LEASE_MS: '1500' };
  const first = started(world, 'first', [{ ...RIGHT, run: 'sleep 2' }], lease);
  const id = await working(world, 'first');
  const second = started(world, 'second', [{ ...RIGHT, run: 'sleep 2' }], lease);
  await eventually(async () => (await world.tasks()).length === 2, 'the second task is enqueued');
  first.child.kill('SIGKILL');
  expect(reportOf(await second.done)).toMatchObject({ status: 'accepted' });
  expect(reportOf(await world.run(['resume', id, '--json'], lease))).toMatchObject({ status: 'accepted' });
  expect(world.git('branch', '--list', 'ai/*').split('\n')).toHaveLength(2);
  await sound(world);
});

test('OF-25: an attempt whose Supervisor slept past its lease is given up, and its results are not used', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const lease = { SUPERVISOR_LEASE_MS: '700' };
  const late = { files: { 'a.txt': 'right\n', 'late.txt': 'late\n' }, run: UNTIL_RELEASED };
  const first = started(world, 'late', [late], lease);
  const id = await working(world, 'late');
  await waits(world);
  await stop(first.child, join(world.state, 'log.db'));
  const other = script(world, [{ ...RIGHT, run: 'true' }]);
  const task = reportOf(await world.run(['resume', id, '--script', other, '--json'], lease));
  expect(task.status).toBe('accepted');
  const before = await world.events();
  await released(world);
  first.child.kill('SIGCONT');
  const woken = await first.done;
  // It finds the lease taken, follows, and tells how the task ended: by the other one's attempt.
  expect(reportOf(woken)).toMatchObject({ status: 'accepted', commit: task.commit });
  expect(await world.events()).toEqual(before);
  expect(world.git('diff', '--name-only', 'main', `${task.branch}`)).toBe('a.txt');
  expect(world.git('rev-parse', `${task.branch}`)).toBe(task.commit);
  await sound(world);
});

test('on a stop, it ends its worker and leaves nothing; `resume` continues; `cancel` ends a task for good', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n' });
  const first = started(world, 'stopped', [{ ...RIGHT, run: 'sleep 600' }]);
  const id = await working(world, 'stopped');
  first.child.kill('SIGINT');
  const { code, stderr, stdout } = await first.done;
  expect([code, stderr + stdout]).toEqual([130, expect.stringContaining(`supervisor resume ${id}`)]);
  expect(await settled(() => leftOver(world))).toEqual([]);
  const again = world.start(['resume', id, '--json']);
  await eventually(
    async () => (await world.events()).filter(({ type }) => type === 'attempt.started.2').length > 1,
    'it goes on',
  );
  expect((await world.run(['cancel', id, '--reason', 'no longer needed'])).code).toBe(0);
  expect(reportOf(await again.done, 1)).toMatchObject({ status: 'cancelled', commit: null });
  expect(world.git('branch', '--list', 'ai/*')).toBe('');
  refused(await world.run(['land', id]), 1, 'is cancelled and has no commit');
  await sound(world);
});
