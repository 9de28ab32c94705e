/** A change that is sent back: real workspaces, sandboxes, gates and commits, with the scripted worker. */
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=grep -q right a.txt'];
const says = (answer: object) => ({ says: `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` });
const asks = (message: string) => says({ status: 'CHANGES_REQUESTED', issues: [{ severity: 'high', message }] });

type Event = { readonly type: string; readonly data: Record<string, unknown> };
const of = (events: readonly Event[], type: string, step?: string) =>
  events.filter((event) => event.type === type && (step === undefined || event.data['step'] === step));

function worldWith(steps: object): { readonly world: World; readonly script: string } {
  const world = new World();
  world.commit({ 'a.txt': 'old\n', 'test/a.test.js': 'old test\n' }, 'begin');
  return { world, script: world.file('script.yaml', JSON.stringify({ steps })) };
}

test('a reviewer asks twice, then approves: three rounds, one commit, each review bound to its change', async () => {
  const write = (text: string) => ({ files: { 'a.txt': text } });
  const { world, script } = worldWith({
    implement: [write('right 1\n'), write('right 2\n'), write('right 3\n')],
    review: [asks('say it twice'), asks('once more'), {}],
  });
  using _ = world;
  const done = await world.run(['run', 'do it', '--workflow', 'reviewed', '--script', script, ...GATE, '--json']);
  expect(done.code).toBe(0);
  const report = JSON.parse(done.stdout) as { status: string; commit: string; branch: string };
  expect(report.status).toBe('accepted');
  expect(world.git('show', `${report.branch}:a.txt`)).toBe('right 3');
  expect(world.git('rev-list', '--count', `main..${report.branch}`)).toBe('1');

  const events = (await world.events()) as unknown as Event[];
  const reviews = of(events, 'attempt.started.2', 'review').map(({ data }) => data);
  expect(reviews.map(({ round, attempt }) => [round, attempt])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  const changes = of(events, 'attempt.produced.2', 'implement').map(({ data }) => data['candidate']);
  expect(reviews.map(({ on }) => on)).toEqual(changes);
  expect(of(events, 'task.reworked.1').map(({ data }) => [data['from'], data['to'], data['voids']])).toEqual([
    ['review', 'implement', ['review']],
    ['review', 'implement', ['review']],
  ]);
  expect(of(events, 'attempt.settled.2', 'review').map(({ data }) => data['said'])).toMatchObject([
    { status: 'CHANGES_REQUESTED', findings: { high: 1 } },
    { status: 'CHANGES_REQUESTED', findings: { high: 1 } },
    { status: 'APPROVED' },
  ]);
});

test('the second round starts from the first change, and the log names the review that sent it back', async () => {
  const { world, script } = worldWith({
    implement: [{ files: { 'a.txt': 'right\n', 'b.txt': 'of round 1\n' } }, { run: 'cat b.txt; echo x >> a.txt' }],
    review: [asks('append an x'), {}],
  });
  using _ = world;
  const done = await world.run(['run', 'do it', '--workflow', 'reviewed', '--script', script, ...GATE, '--json']);
  const { branch } = JSON.parse(done.stdout) as { branch: string };
  expect(world.git('show', `${branch}:b.txt`)).toBe('of round 1');
  expect(world.git('show', `${branch}:a.txt`)).toBe('right\nx');
  const [back] = of((await world.events()) as unknown as Event[], 'task.reworked.1');
  expect(back?.data['reason']).toContain('append an x');
  expect(back?.data['answers']).toMatchObject([{ step: 'review', answer: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
});

test('a step is judged against its own input: the change of an earlier step is not held against a test engineer', async () => {
  const workflow = JSON.stringify({
    name: 'tested',
    version: 1,
    steps: [
      { id: 'implement', kind: 'change', role: 'implementer' },
      { id: 'tests', kind: 'change', role: 'test_engineer' },
    ],
  });
  const { world, script } = worldWith({
    implement: [{ files: { 'a.txt': 'right\n' } }],
    tests: [
      { files: { 'test/b.test.js': 'new test\n', 'a.txt': 'right, and mine\n' } },
      { files: { 'test/b.test.js': 'new test\n' } },
    ],
  });
  using _ = world;
  const file = world.file('tested.yaml', workflow);
  const done = await world.run(['run', 'do it', '--workflow', file, '--script', script, ...GATE, '--json']);
  const report = JSON.parse(done.stdout) as {
    status: string;
    branch: string;
    steps: { id: string; history: { reason: string }[] }[];
  };
  expect(report.status).toBe('accepted');
  expect(world.git('diff', '--name-only', 'main', report.branch)).toBe('a.txt\ntest/b.test.js');
  // The control: what it changed itself outside of its scope was sent back.
  expect(report.steps.find(({ id }) => id === 'tests')?.history[0]?.reason).toContain('a.txt');
});

test('in a later round a step may change tests that it added itself, and no others', async () => {
  const { world, script } = worldWith({
    implement: [
      { files: { 'a.txt': 'right\n', 'test/own.test.js': 'weak\n', 'test/gone.test.js': 'not needed\n' } },
      { files: { 'test/own.test.js': 'strong\n', 'test/a.test.js': 'weaker\n' } },
      { files: { 'test/own.test.js': 'strong\n' }, run: 'rm test/gone.test.js' },
      { files: { 'test/own.test.js': 'stronger\n' } },
    ],
    review: [asks('test more'), asks('still more'), {}],
  });
  using _ = world;
  const done = await world.run(['run', 'do it', '--workflow', 'reviewed', '--script', script, ...GATE, '--json']);
  const report = JSON.parse(done.stdout) as {
    status: string;
    branch: string;
    steps: { id: string; history: { class: string; reason: string }[] }[];
  };
  const history = report.steps.find(({ id }) => id === 'implement')?.history;
  expect(history?.map((attempt) => attempt.class)).toEqual(['ok', 'invalid', 'ok', 'ok']);
  // The control: an existing test stays protected, and the own one is not named beside it.
  expect(history?.[1]?.reason).toContain('test/a.test.js');
  expect(history?.[1]?.reason).not.toContain('own.test.js');
  expect(report.status).toBe('accepted');
  expect(world.git('diff', '--name-only', 'main', report.branch)).toBe('a.txt\ntest/own.test.js');
  expect(world.git('show', `${report.branch}:test/own.test.js`)).toBe('stronger');
});

test('what another step has changed since is its own no more', async () => {
  const workflow = JSON.stringify({
    name: 'tested',
    version: 1,
    steps: [
      { id: 'implement', kind: 'change', role: 'implementer' },
      { id: 'tests', kind: 'change', role: 'test_engineer', grants: ['test/'] },
      { id: 'review', review: ['reviewer'], on_reject: 'implement' },
    ],
  });
  const { world, script } = worldWith({
    implement: [
      { files: { 'a.txt': 'right\n', 'test/b.test.js': 'weak\n' } },
      { files: { 'test/b.test.js': 'weak again\n' } },
      { files: { 'a.txt': 'right 2\n' } },
    ],
    tests: [{ files: { 'test/b.test.js': 'strong\n' } }, { files: { 'test/c.test.js': 'more\n' } }],
    review: [asks('do it better'), {}],
  });
  using _ = world;
  const file = world.file('tested.yaml', workflow);
  const run = ['run', 'do it', '--workflow', file, '--script', script, ...GATE, '--json'];
  const done = await world.run(run);
  const report = JSON.parse(done.stdout) as {
    status: string;
    branch: string;
    steps: { history: { reason: string }[] }[];
  };
  expect(report.status).toBe('accepted');
  expect(report.steps[0]?.history[1]?.reason).toContain('test/b.test.js');
  expect(world.git('show', `${report.branch}:test/b.test.js`)).toBe('strong');
});
