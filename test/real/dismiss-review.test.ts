/** `resume TASK --dismiss FINDING --reason`: a person closes a finding of a review, once, also when it is killed on the way. */
import { expect, test } from 'vitest';
import { findingId } from '../../src/mind/verdict/open-findings.ts';
import { World } from '../support/cli.ts';

const SAYS = 'loses data';
const ID = findingId({ severity: 'high', file: 'a.txt', line: 1, message: SAYS });
const ASKS = {
  says: `\`\`\`json\n${JSON.stringify({
    status: 'CHANGES_REQUESTED',
    issues: [{ severity: 'high', file: 'a.txt', line: 1, message: SAYS }],
  })}\n\`\`\``,
};
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
async function refused(): Promise<{ readonly world: World; readonly task: string }> {
  const world = new World();
  world.commit({ 'a.txt': 'old\n' }, 'begin');
  const steps = { implement: [{ files: { 'a.txt': 'right\n' } }], review: [ASKS, APPROVES] };
  const script = world.file('script.yaml', JSON.stringify({ steps }));
  const workflow = world.file('once.yaml', WORKFLOW);
  const run = ['run', 'do it', '--workflow', workflow, '--script', script, '--gate', 'tests=grep -q right a.txt'];
  const { task_id } = await world.json<{ task_id: string }>(run);
  return { world, task: task_id };
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
