/** `undo`: what a task had landed is taken back by a commit of its own, which the gates check as any change. */
import { describe, expect, test } from 'vitest';
import { accepted, ENV, refused } from '../real/task.ts';
import { World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=! grep -q broken a.txt b.txt'];
const EIGHT = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** A world in which a task has changed a.txt, added new.txt, removed old.txt, and landed. */
async function landedTask(): Promise<World & { task: string }> {
  const world = new World();
  world.commit({ 'a.txt': text(EIGHT), 'b.txt': 'two\n', 'old.txt': 'old\n' });
  const files = { 'a.txt': text(['ONE', ...EIGHT.slice(1)]), 'new.txt': 'new\n', 'old.txt': null };
  const { task_id: task } = await accepted(world, [{ files }], GATE);
  const landed = await world.run(['land', task, '--yes'], ENV);
  expect(landed.code, landed.stderr).toBe(0);
  return Object.assign(world, { task });
}

const undo = (world: World, task: string) => world.run(['undo', task, '--json'], ENV);

describe('a task that has landed', () => {
  test('is undone by a task without a worker; what others changed since stays', async () => {
    using world = await landedTask();
    world.commit({ 'a.txt': text(['ONE', ...EIGHT.slice(1, 7), 'EIGHT']), 'b.txt': 'of somebody else\n' });
    const { code, stdout, stderr } = await undo(world, world.task);
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as { task_id: string; title: string; status: string; cost: { usd: number } };
    expect(report).toMatchObject({ title: 'Undo "make it right"', status: 'accepted', cost: { usd: 0 } });
    expect(report).toMatchObject({
      steps: [{ id: 'undo', cli: 'git', evidence: [{ gate: 'tests', status: 'pass' }] }],
    });
    const landed = await world.run(['land', report.task_id, '--yes'], ENV);
    expect(landed.code, landed.stderr).toBe(0);
    expect(world.git('show', 'main:a.txt')).toBe(text([...EIGHT.slice(0, 7), 'EIGHT']).trimEnd());
    expect(world.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['a.txt', 'b.txt', 'old.txt']);
    expect(world.git('show', 'main:b.txt')).toBe('of somebody else');
    expect(world.git('log', '-1', '--format=%B', 'main')).toMatch(/^Undo "make it right"\n[\s\S]*Supervisor-Task: /);
    refused(await world.run(['undo', world.task], ENV), 1, 'nothing is left to undo');
  });

  test('is not undone where the gates are red without it', async () => {
    using world = new World();
    world.commit({ 'a.txt': 'broken\n', 'b.txt': 'two\n' });
    const fixed = await accepted(world, [{ files: { 'a.txt': 'right\n' } }], GATE);
    expect((await world.run(['land', fixed.task_id, '--yes'], ENV)).code).toBe(0);
    const { code, stdout } = await undo(world, fixed.task_id);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { status: 'failed' }]);
  });

  test('is not undone where something newer stands on it: the files are named, nothing changes', async () => {
    using world = await landedTask();
    world.commit({ 'a.txt': text(['one and only', ...EIGHT.slice(1)]) });
    const tip = world.git('rev-parse', 'main');
    refused(
      await world.run(['undo', world.task], ENV),
      1,
      'what landed since then depends on it, in a.txt',
      'git revert',
    );
    expect(world.git('rev-parse', 'main')).toBe(tip);
  });
});

test('a task that has not landed has nothing to undo', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const { task_id: task } = await accepted(world, [{ files: { 'a.txt': 'right\n' } }], GATE);
  refused(
    await world.run(['undo', task], ENV),
    1,
    `task ${task} is accepted and has not landed: there is nothing to undo`,
  );
});

test('a change that another person had put on the branch is not undone by taking back their next commit', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const { task_id: task } = await accepted(world, [{ files: { 'a.txt': 'right\n' } }], GATE);
  world.commit({ 'a.txt': 'right\n' }, 'the same by hand');
  world.commit({ 'b.txt': 'of ana\n' }, 'of ana');
  expect((await world.run(['land', task, '--yes'], ENV)).code).toBe(0);
  refused(await world.run(['undo', task], ENV), 1, 'held the change of task', 'by another commit');
  expect(world.git('show', 'main:b.txt')).toBe('of ana');
});
