/** Where the next attempt starts, through the real command line: workspaces, sandboxes, gates and commits, with the scripted worker. */
import { describe, expect, test } from 'vitest';
import { eventually, World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=grep -q right a.txt'];
type Report = {
  readonly task_id: string;
  readonly status: string;
  readonly branch: string;
  readonly steps: readonly { readonly id: string; readonly history: readonly { class: string; reason: string }[] }[];
};

function worldWith(implement: readonly object[], step: object = {}) {
  const world = new World();
  world.commit({ 'a.txt': 'old\n', 'test/a.test.js': 'old test\n' }, 'begin');
  const script = world.file('script.yaml', JSON.stringify({ steps: { implement } }));
  const steps = [{ id: 'implement', kind: 'change', role: 'implementer', ...step }];
  const workflow = world.file('one.yaml', JSON.stringify({ name: 'one', version: 1, steps }));
  return { world, run: ['run', 'do it', '--workflow', workflow, '--script', script, ...GATE, '--json'] };
}
const historyOf = ({ steps }: Report) => steps.find(({ id }) => id === 'implement')?.history ?? [];

/** The second worker writes down what it found in its tree before it does anything. */
const LOOK = 'cat a.txt b.txt >found.txt 2>&1 || true';
const WRONG = { files: { 'a.txt': 'wrong\n', 'b.txt': 'of the first\n' } };
const RIGHT = { run: `${LOOK}; echo right >>a.txt` };

describe('a change that gates sent back', () => {
  test('is in the tree before the second worker starts, and the worker knows', async () => {
    const { world, run } = worldWith([WRONG, RIGHT]);
    using _ = world;
    const report = JSON.parse((await world.run(run)).stdout) as Report;
    expect(report.status).toBe('accepted');
    expect(world.git('show', `${report.branch}:found.txt`)).toBe('wrong\nof the first');
    expect(world.git('show', `${report.branch}:a.txt`)).toBe('wrong\nright');
    expect(world.git('show', `${report.branch}:b.txt`)).toBe('of the first');
    const packets = (await world.run(['show', report.task_id, '--packets'])).stdout;
    expect(packets.match(/The next attempt starts from the tree that was sent back/g)).toHaveLength(1);
    expect(packets).not.toContain('The next attempt starts from a clean tree');
  });

  test('is left out if the step says from: line, and the worker knows', async () => {
    const { world, run } = worldWith([WRONG, RIGHT], { from: 'line' });
    using _ = world;
    const report = JSON.parse((await world.run(run)).stdout) as Report;
    expect(world.git('show', `${report.branch}:found.txt`)).toContain('old\n');
    expect(world.git('ls-tree', '--name-only', report.branch)).not.toContain('b.txt');
    const packets = (await world.run(['show', report.task_id, '--packets'])).stdout;
    expect(packets).toContain('The next attempt starts from a clean tree');
  });

  test('is no change of the second worker: to take all of it back leaves nothing', async () => {
    const { world, run } = worldWith([WRONG, { run: 'rm b.txt; echo old >a.txt' }, { run: 'true' }]);
    using _ = world;
    const report = JSON.parse((await world.run(run)).stdout) as Report;
    expect(historyOf(report).map(({ reason }) => reason)).toEqual([
      expect.stringContaining('gate failed: tests'),
      'the worker changed nothing',
      'the worker changed nothing',
    ]);
  });
});

describe('a violation in the first change', () => {
  const VIOLATES = { files: { 'a.txt': 'right\n', 'test/a.test.js': 'weaker\n', 'b.txt': 'of the first\n' } };

  test('is in the tree of the second worker with from: last, and is refused again until it is taken back', async () => {
    const plays = [VIOLATES, { run: 'cat test/a.test.js >found.txt' }, { run: 'echo "old test" >test/a.test.js' }];
    const { world, run } = worldWith(plays, { from: 'last' });
    using _ = world;
    const report = JSON.parse((await world.run(run)).stdout) as Report;
    expect(historyOf(report).map((one) => one.class)).toEqual(['invalid', 'invalid', 'ok']);
    for (const { reason } of historyOf(report).slice(0, 2)) expect(reason).toContain('test/a.test.js');
    expect(report.status).toBe('accepted');
    // The second worker saw it, and the third one's tree had what the second did.
    expect(world.git('show', `${report.branch}:found.txt`)).toBe('weaker');
    expect(world.git('diff', '--name-only', 'main', report.branch)).toBe('a.txt\nb.txt\nfound.txt');
  });

  test('is not in the tree of the second worker by default: it starts where the step began', async () => {
    const { world, run } = worldWith([VIOLATES, RIGHT]);
    using _ = world;
    const report = JSON.parse((await world.run(run)).stdout) as Report;
    expect(historyOf(report).map((one) => one.class)).toEqual(['invalid', 'ok']);
    expect(world.git('diff', '--name-only', 'main', report.branch)).toBe('a.txt\nfound.txt');
  });
});

test('killed while the second worker is at work: after resume its successor starts from the same tree', async () => {
  const slow = { run: `${LOOK}; touch begun; sleep 600` };
  const { world, run } = worldWith([WRONG, slow, RIGHT]);
  using _ = world;
  const first = world.start(run);
  await eventually(
    async () => (await world.events()).filter(({ type }) => type.startsWith('attempt.started')).length === 2,
    'the second attempt',
  );
  first.child.kill('SIGKILL');
  await first.done;
  const [task] = await world.tasks();
  // Nothing that a garbage collection of the user takes away is needed for it.
  world.git('gc', '--prune=now', '--quiet');
  const report = JSON.parse((await world.run(['resume', task?.task_id ?? '', '--json'])).stdout) as Report;
  expect(report.status).toBe('accepted');
  expect(world.git('show', `${report.branch}:found.txt`)).toBe('wrong\nof the first');
  expect((await world.health()).findings).toEqual([]);
});
