/** The config section `git`: how the branch, the commit and the landing of a task look. */
import { describe, expect, test } from 'vitest';
import { accepted, ENV, refused, script } from '../real/task.ts';
import { World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=grep -q two a.txt'];
const CHANGE = [{ files: { 'a.txt': 'two\n' } }];
const FILES = { 'a.txt': 'one\n', 'b.txt': 'b\n' };

function worldWith(git: Readonly<Record<string, unknown>>, subjects: readonly string[] = ['begin']): World {
  const world = new World();
  for (const [n, subject] of subjects.entries()) world.commit({ ...FILES, 'n.txt': `${n}\n` }, subject);
  world.userConfig(JSON.stringify({ git }));
  return world;
}

const message = (world: World, ref: string): string => world.git('log', '-1', '--format=%B', ref);

describe('a commit', () => {
  test('is on a branch that the pattern names, and says what was judged', async () => {
    using world = worldWith({ branch_pattern: 'agents/{description}/{task_id}' });
    const { task_id: task, branch } = await accepted(world, CHANGE, GATE);
    expect(branch).toBe(`agents/make-it-right/${task}`);
    expect(message(world, branch)).toMatch(
      /^make it right\n[\s\S]*\nSupervisor-Task: .*\nSupervisor-Change: .*\nSupervisor-Verdict: APPROVE 1\.00$/m,
    );
  });

  test('has a conventional subject where the project writes so, and a plain one elsewhere', async () => {
    const habit = ['feat: begin', 'fix(core): a', 'docs: b', 'chore!: c', 'fix: d'];
    using conventional = worldWith({}, habit);
    expect(message(conventional, (await accepted(conventional, CHANGE, GATE)).branch)).toMatch(
      /^feat: make it right\n/,
    );
    using plain = worldWith({ subject: 'plain' }, habit);
    expect(message(plain, (await accepted(plain, CHANGE, GATE)).branch)).toMatch(/^make it right\n/);
    using chosen = worldWith({ subject: 'conventional' });
    expect(message(chosen, (await accepted(chosen, CHANGE, GATE)).branch)).toMatch(/^feat: make it right\n/);
    using usual = worldWith({});
    expect(message(usual, (await accepted(usual, CHANGE, GATE)).branch)).toMatch(/^make it right\n/);
  });

  test('waits for a person with auto_commit: false', async () => {
    using world = worldWith({ auto_commit: false });
    const asked = await world.run(['run', 'x', '--script', script(world, CHANGE), ...GATE, '--json'], ENV);
    const report = JSON.parse(asked.stdout) as { task_id: string };
    expect([asked.code, report]).toMatchObject([
      3,
      { status: 'waiting', waiting: [{ step: 'commit-word', text: 'May this change be committed?' }] },
    ]);
    expect(world.git('branch', '--list', 'ai/*')).toBe('');
    expect((await world.run(['approve', report.task_id], ENV)).code).toBe(0);
    expect(world.git('branch', '--list', 'ai/*')).toContain(report.task_id);
  });
});

test('auto_commit: false asks before an undo too, and before a commit that is asked about only afterwards', async () => {
  using world = worldWith({ auto_commit: false });
  const flow = world.file(
    'flow.yaml',
    'name: flow\nsteps:\n  implement: {role: implementer}\n  keep: {kind: commit, needs: [implement]}\n  after: {kind: human, text: Good?, needs: [keep]}\n',
  );
  const args = ['run', 'x', '--workflow', flow, '--script', script(world, CHANGE), ...GATE, '--json'];
  const { code, stdout } = await world.run(args, ENV);
  const { task_id: task } = JSON.parse(stdout) as { task_id: string };
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { waiting: [{ step: 'commit-word' }] }]);
  expect(world.git('branch', '--list', 'ai/*')).toBe('');
  expect((await world.run(['approve', task], ENV)).code).toBe(3);
  expect((await world.run(['approve', task, 'after'], ENV)).code).toBe(0);
  expect((await world.run(['land', task, '--yes'], ENV)).code).toBe(0);
  expect((await world.run(['undo', task], ENV)).stdout).toContain('commit-word');
});

describe('a landing', () => {
  const parents = (world: World): number => world.git('log', '-1', '--format=%P', 'main').split(' ').length;

  test.each([false, true])('as a merge has two parents, the tip first (the branch went on: %s)', async (moved) => {
    using world = worldWith({ landing: 'merge' });
    const { task_id: task, commit } = await accepted(world, CHANGE, GATE);
    if (moved) world.commit({ 'b.txt': 'of somebody else\n' });
    const tip = world.git('rev-parse', 'main');
    const landed = await world.run(['land', task, '--yes'], ENV);
    expect(landed.code, landed.stderr).toBe(0);
    expect(world.git('log', '-1', '--format=%P', 'main')).toBe(`${tip} ${commit}`);
    expect([message(world, 'main').split('\n')[0], world.git('show', 'main:a.txt')]).toEqual([
      'Merge "make it right"',
      'two',
    ]);
    expect((await world.json(['land', task, '--yes'])) as object).toMatchObject({
      commit: world.git('rev-parse', 'main'),
    });
  });

  test.each([false, true])(
    'as one commit has one parent and the record of the task (the branch went on: %s)',
    async (moved) => {
      using world = worldWith({ landing: 'squash', author: 'Ana Example <ana@example.com>' });
      const { task_id: task } = await accepted(world, CHANGE, GATE);
      if (moved) world.commit({ 'b.txt': 'of somebody else\n' });
      const tip = world.git('rev-parse', 'main');
      const landed = await world.run(['land', task, '--yes'], ENV);
      expect(landed.code, landed.stderr).toBe(0);
      expect(world.git('log', '-1', '--format=%P|%an <%ae>|%s', 'main')).toBe(
        `${tip}|Ana Example <ana@example.com>|make it right`,
      );
      expect(message(world, 'main')).toMatch(
        new RegExp(
          `\\nThe worker says:\\n> [\\s\\S]*\\nSupervisor-Task: ${task}\\n[\\s\\S]*Supervisor-Verdict: APPROVE`,
        ),
      );
      const again = await world.json(['land', task, '--yes']);
      expect([again['commit'], world.git('rev-parse', 'main^')]).toEqual([world.git('rev-parse', 'main'), tip]);
    },
  );

  test('as a merge is undone, as any other', async () => {
    using world = worldWith({ landing: 'merge' });
    const { task_id: task } = await accepted(world, CHANGE, ['--gate', 'tests=test -s a.txt']);
    expect((await world.run(['land', task, '--yes'], ENV)).code).toBe(0);
    const undone = await world.json<{ task_id: string }>(['undo', task]);
    expect((await world.run(['land', undone.task_id, '--yes', '--as', 'squash'], ENV)).code).toBe(0);
    expect([world.git('show', 'main:a.txt'), parents(world)]).toEqual(['one', 1]);
  });

  test('shows what it would do and lands only with a yes, with dry_run_preview', async () => {
    using world = worldWith({ dry_run_preview: true });
    const { task_id: task } = await accepted(world, CHANGE, GATE);
    const before = world.git('rev-parse', 'main');
    const said = refused(await world.run(['land', task], ENV), 3, 'What would be landed', '--yes');
    expect([said.includes(`${task}: make it right`), world.git('rev-parse', 'main')]).toEqual([true, before]);
    expect((await world.run(['land', task, '--yes'], ENV)).code).toBe(0);
    expect(world.git('rev-parse', 'main')).not.toBe(before);
  });
});

test.each([
  [{ branch_pattern: 'ai/{description}' }, 'must have {task_id} in it'],
  [{ branch_pattern: 'ai/{task_id}/{user}' }, 'knows {task_id} and {description}'],
  [{ branch_pattern: '{task_id}..x' }, 'does not make a name for a branch'],
  [{ auto_branch: false }, 'can only be true: a commit needs a branch'],
  [{ landing: 'rebase' }, 'landing'],
])('%o is refused with line and what to do', async (git, said) => {
  using world = worldWith(git);
  refused(await world.run(['run', 'x', '--simulate'], ENV), 2, 'config.yaml:1:', said);
});
