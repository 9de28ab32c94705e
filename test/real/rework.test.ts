/** A change that is sent back: real workspaces, sandboxes, gates and commits, with the scripted worker. */
import { expect, test } from 'vitest';
import { findingId } from '../../src/mind/verdict/open-findings.ts';
import { World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=grep -q right a.txt'];
const says = (answer: object) => ({ says: `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` });
const at = (place: object, message: string) => ({ severity: 'high', ...place, message });
const asks = (message: string, place: object = { file: 'a.txt', line: 1 }) =>
  says({ status: 'CHANGES_REQUESTED', issues: [at(place, message)] });

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
    { status: 'CHANGES_REQUESTED', findings: { high: 1 }, uncounted: 0 },
    // The second one says nothing of the first finding, which is open still.
    { status: 'CHANGES_REQUESTED', findings: { high: 2 }, uncounted: 0 },
    { status: 'APPROVED', uncounted: 0 },
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

test('a file that another step has changed since no longer counts as its own', async () => {
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

test('a finding stays open until a reviewer closes it with a reason, and each new reviewer reads it', async () => {
  const id = findingId({ severity: 'high', file: 'a.txt', line: 1, message: 'say it twice' });
  const closes = (became: string, reason: string) =>
    says({ status: 'APPROVED', earlier: [{ finding: id, became, reason }] });
  const { world, script } = worldWith({
    implement: ['right 1', 'right 2', 'right 3', 'right 4'].map((text) => ({ files: { 'a.txt': `${text}\n` } })),
    review: [
      ...[asks('say it twice'), says({ status: 'APPROVED' }), closes('fixed', '')],
      ...[closes('open', 'not yet'), closes('dismissed', 'it is there')],
    ],
  });
  using _ = world;
  const workflow = world.file(
    'patient.yaml',
    JSON.stringify({
      ...{ name: 'patient', version: 1 },
      steps: [
        { id: 'implement', kind: 'change', role: 'implementer' },
        { id: 'review', review: ['reviewer'], on_reject: 'implement', rounds: 4 },
      ],
    }),
  );
  const done = await world.run(['run', 'do it', '--workflow', workflow, '--script', script, ...GATE, '--json']);
  expect([done.code, (JSON.parse(done.stdout) as { status: string }).status]).toEqual([0, 'accepted']);
  const events = (await world.events()) as unknown as Event[];
  const high = { id, severity: 'high' };
  expect(of(events, 'attempt.settled.2', 'review').map(({ data }) => data['said'])).toMatchObject([
    { status: 'CHANGES_REQUESTED', open: [high], dismissed: 0 },
    // Nothing is said of it, or no reason is given: the reviewer owes an answer, and the change is not sent back for that.
    { status: 'APPROVED', findings: { high: 1 }, open: [high] },
    { status: 'APPROVED', findings: { high: 1 }, open: [high] },
    { status: 'APPROVED', findings: { high: 1 }, open: [high] },
    { status: 'APPROVED', findings: { high: 0 }, open: [], dismissed: 1 },
  ]);
  expect(of(events, 'attempt.settled.2', 'review').map(({ data }) => data['class'])).toEqual([
    ...['ok', 'invalid', 'invalid', 'ok', 'ok'],
  ]);
  expect(of(events, 'task.reworked.1')).toHaveLength(2);
  expect(of(events, 'task.reworked.1').at(-1)?.data['reason']).toContain('say it twice');
  const packets = await world.packets('review');
  expect(packets.map((text) => text.includes(`${id} high a.txt:1: say it twice`))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(packets.every((text) => /^You are the reviewer/m.test(text))).toBe(true);
});

/** One round of a reviewer, and then one that approves. */
async function reviewed(review: object) {
  const { world, script } = worldWith({
    implement: [{ files: { 'a.txt': 'right\n' } }, { files: { 'a.txt': 'right\nbetter\n' } }],
    review: [review, {}],
  });
  using _ = world;
  const run = await world.run(['run', 'do it', '--workflow', 'reviewed', '--script', script, ...GATE, '--json']);
  const report = JSON.parse(run.stdout) as { status: string };
  const events = (await world.events()) as unknown as Event[];
  return { code: run.code, report, said: of(events, 'attempt.settled.2', 'review')[0]?.data['said'], events };
}

test.each<[string, object]>([
  ['a file that is nowhere', { file: 'nowhere/else.js', line: 9999 }],
  ['a line that the file does not have', { file: 'a.txt', line: 3 }],
  ['a file that the change left alone', { file: 'test/a.test.js', line: 1 }],
  ['no place at all', {}],
])('a review that only objects to %s sends nothing back: a person is asked', async (_, place) => {
  const { code, report, said, events } = await reviewed(asks('BOGUS', place));
  expect([code, report.status]).toEqual([3, 'waiting']);
  expect(said).toMatchObject({ status: 'CHANGES_REQUESTED', findings: { high: 0 }, uncounted: 1 });
  expect(of(events, 'verdict.given.1').at(-1)?.data).toMatchObject({
    ...{ decision: 'ESCALATE', reasons: ['review_unfounded'] },
  });
  expect(of(events, 'task.reworked.1')).toEqual([]);
  expect(of(events, 'step.waiting.1')[0]?.data).toMatchObject({ step: 'review', asks: 'review' });
});

test('findings that do not count are left out of those that send the change back', async () => {
  const issues = [
    at({ file: './a.txt', line: 1 }, 'Say it twice.'),
    at({ file: 'a.txt', line: 1 }, 'say it twice'),
    at({ file: 'nowhere/else.js', line: 1 }, 'BOGUS'),
  ];
  const { code, said, events } = await reviewed(says({ status: 'CHANGES_REQUESTED', issues }));
  expect(code).toBe(0);
  expect(said).toMatchObject({ findings: { high: 1 }, uncounted: 2 });
  const [back] = of(events, 'task.reworked.1');
  expect(back?.data['reason']).toContain('Say it twice.');
  expect(back?.data['reason']).not.toContain('BOGUS');
});

test('an approval with a high finding is none', async () => {
  const { code, said, events } = await reviewed(
    says({ status: 'APPROVED', issues: [at({ file: 'a.txt', line: 1 }, 'loses data')] }),
  );
  expect(said).toMatchObject({ status: 'APPROVED', findings: { high: 1 } });
  expect(of(events, 'task.reworked.1')[0]?.data['reason']).toContain('loses data');
  expect(code).toBe(0);
  // The control: one that need not be fixed first.
  const low = { ...at({ file: 'a.txt', line: 1 }, 'a better name'), severity: 'low' };
  expect(of((await reviewed(says({ status: 'APPROVED', issues: [low] }))).events, 'task.reworked.1')).toEqual([]);
});
