/** `resume TASK --dismiss FINDING --reason`: a person closes a finding of a review, once, also when it is killed on the way. */
import { describe, expect, test } from 'vitest';
import { findingId } from '../../src/mind/verdict/open-findings.ts';
import { World } from '../support/cli.ts';

const SAYS = 'loses data';
const ID = findingId({ severity: 'high', file: 'a.txt', line: 1, message: SAYS });
const asking = (severity: string, line = 1) => ({
  says: `\`\`\`json\n${JSON.stringify({
    status: 'CHANGES_REQUESTED',
    issues: [{ severity, file: 'a.txt', line, message: SAYS }],
  })}\n\`\`\``,
});
const ASKS = asking('high');
/** Approves, and says nothing of what is open. */
const APPROVES = { says: '```json\n{"status": "APPROVED"}\n```' };
const WORKFLOW = JSON.stringify({
  ...{ name: 'once', version: 1 },
  steps: [
    { id: 'implement', kind: 'change', role: 'implementer' },
    { id: 'review', review: ['reviewer'], on_reject: 'implement', rounds: 1 },
  ],
});

/** A task whose review says no for the last time. */
async function refused(asks = ASKS) {
  const world = new World();
  world.commit({ 'a.txt': 'old\n' }, 'begin');
  const steps = { implement: [{ files: { 'a.txt': 'right\n' } }], review: [asks, APPROVES] };
  const script = world.file('script.yaml', JSON.stringify({ steps }));
  const workflow = world.file('once.yaml', WORKFLOW);
  const run = ['run', 'do it', '--workflow', workflow, '--script', script, '--gate', 'tests=grep -q right a.txt'];
  const first = await world.run([...run, '--json']);
  return { world, task: (await world.tasks())[0]?.task_id ?? '', code: first.code };
}
const dismissed = async (world: World) =>
  (await world.events()).flatMap(({ type, data }) => (type === 'finding.dismissed.1' ? [data] : []));

test('a person closes it: it is on record with who and why, and the next review is not asked about it', async () => {
  const { world, task } = await refused();
  using _ = world;
  const resume = (...args: string[]) => world.run(['resume', task, ...args]);
  const cases: [string[], number, RegExp][] = [
    [['--dismiss', ID], 2, /--reason is missing/],
    [
      ['--dismiss', 'r-00000000', '--reason', 'x'],
      1,
      new RegExp(`has no open finding "r-00000000"; there are ${ID} \\(review\\)`),
    ],
  ];
  for (const [args, code, words] of cases) {
    const said = await resume(...args);
    expect([said.code, `${said.stdout}${said.stderr}`]).toEqual([code, expect.stringMatching(words)]);
  }
  expect(await dismissed(world)).toEqual([]);
  const done = await resume('--dismiss', ID, '--reason', 'the data is written elsewhere');
  expect(done.code, `${done.stdout}${done.stderr}`).toBe(0);
  expect(await dismissed(world)).toMatchObject([
    { step: 'review', gate: '', finding: ID, severity: 'high', reason: 'the data is written elsewhere' },
  ]);
  const [, last = ''] = await world.packets('review');
  expect(last).not.toContain(ID);
  expect(await world.health()).toEqual({ findings: [], leased: false });
}, 120_000);

test('the control: without the dismissal such an approval is none', async () => {
  const { world, task } = await refused();
  using _ = world;
  expect((await world.run(['resume', task])).code).not.toBe(0);
}, 120_000);

test.each(['append.before#1', 'append.inside#1', 'append.after#1', 'drain.after#1', 'effect.after worker.run#1'])(
  'killed at %s and given again, it is closed once and the task ends the same',
  async (point) => {
    const { world, task } = await refused();
    using _ = world;
    const resume = ['resume', task, '--dismiss', ID, '--reason', 'no'];
    expect((await world.run(resume, { SUPERVISOR_FAILPOINT: point })).signal).toBe('SIGKILL');
    const again = (await dismissed(world)).length === 0 ? resume : ['resume', task];
    const done = await world.run(again);
    expect(done.code, `${done.stdout}${done.stderr}`).toBe(0);
    expect(await dismissed(world)).toHaveLength(1);
    expect((await world.tasks()).map(({ status }) => status)).toEqual(['accepted']);
    expect(await world.health()).toEqual({ findings: [], leased: false });
  },
  120_000,
);

describe('a critical finding of a review', () => {
  test('waits for a person with exit 3, and goes on when it is taken back; no reviewer is asked again', async () => {
    const { world, task, code } = await refused(asking('critical'));
    using _ = world;
    expect(code).toBe(3);
    const shown = await world.run(['show', task]);
    expect(shown.stdout).toContain(`supervisor resume ${task} --dismiss ${ID} --reason`);
    expect((await world.run(['approve', task])).code).not.toBe(0);
    const done = await world.run(['resume', task, '--dismiss', ID, '--reason', 'the data is written elsewhere']);
    expect(done.code, `${done.stdout}${done.stderr}`).toBe(0);
    expect(await dismissed(world)).toMatchObject([{ step: 'review', gate: '', finding: ID, severity: 'critical' }]);
    expect(await world.packets('review')).toHaveLength(1);
    expect(await world.health()).toEqual({ findings: [], leased: false });
  }, 120_000);

  test('that names no line of the change does not count: the question is another one', async () => {
    const { world, task } = await refused(asking('critical', 99));
    using _ = world;
    const shown = await world.run(['show', task]);
    expect(shown.stdout).toContain('names no line of the change');
    expect(shown.stdout).not.toContain('--dismiss');
  }, 120_000);

  test('is answered once, also when Supervisor is killed on the way', async () => {
    const { world, task } = await refused(asking('critical'));
    using _ = world;
    const resume = ['resume', task, '--dismiss', ID, '--reason', 'no'];
    expect((await world.run(resume, { SUPERVISOR_FAILPOINT: 'append.after#1' })).signal).toBe('SIGKILL');
    const again = (await dismissed(world)).length === 0 ? resume : ['resume', task];
    const done = await world.run(again);
    expect(done.code, `${done.stdout}${done.stderr}`).toBe(0);
    expect(await dismissed(world)).toHaveLength(1);
    expect((await world.tasks()).map(({ status }) => status)).toEqual(['accepted']);
    expect(await world.packets('review')).toHaveLength(1);
  }, 120_000);
});
