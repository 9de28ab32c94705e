/** `resume TASK --dismiss FINDING --reason` of a finding that refused the change: this very change goes on to its gates. */
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const WORKFLOW = JSON.stringify({
  name: 'once',
  version: 1,
  steps: [{ id: 'implement', kind: 'change', role: 'implementer', attempts: 1 }],
});
const TASK = 'Fix parse() so that it accepts empty text';

/** Only a document changes, although the task asks for behaviour. */
async function refused(gate = 'grep -q right README.md', files: Record<string, string> = {}) {
  const world = new World();
  world.commit({ 'README.md': 'old\n', 'parse.js': 'export const parse = (text) => text;\n' }, 'begin');
  const steps = { implement: [{ files: { 'README.md': 'right\n', ...files } }, { files: { 'README.md': 'other\n' } }] };
  const script = world.file('script.yaml', JSON.stringify({ steps }));
  const workflow = world.file('once.yaml', WORKFLOW);
  const run = ['run', TASK, '--workflow', workflow, '--script', script, '--gate', `tests=${gate}`, '--json'];
  const first = await world.run(run);
  const task = (await world.tasks())[0]?.task_id ?? '';
  const { stdout } = await world.run(['show', task]);
  return { world, task, code: first.code, shown: stdout, id: /--dismiss (d-[0-9a-f]{8})/.exec(stdout)?.[1] ?? '' };
}
const dismissed = async (world: World) =>
  (await world.events()).flatMap(({ type, data }) => (type === 'finding.dismissed.1' ? [data] : []));

describe('a change that was refused for what it says', () => {
  test('continues unchanged when a person dismisses that: gates run, and no worker does', async () => {
    const { world, task, code, shown, id } = await refused();
    using _ = world;
    expect(code).not.toBe(0);
    expect(shown).toContain('Only documents changed');
    expect(shown).toContain(`supervisor resume ${task} --dismiss ${id} --reason`);
    expect((await world.run(['resume', task, '--dismiss', 'd-00000000', '--reason', 'x'])).code).toBe(1);
    const done = await world.run(['resume', task, '--dismiss', id, '--reason', 'the words are about the manual']);
    expect(done.code, `${done.stdout}${done.stderr}`).toBe(0);
    expect(await dismissed(world)).toMatchObject([
      { gate: 'diff', finding: id, by: expect.stringMatching(/^operator/), reason: 'the words are about the manual' },
    ]);
    expect(await world.packets('implement')).toHaveLength(1);
    expect((await world.events()).filter(({ type }) => type === 'gate.reported.2').length).toBeGreaterThan(0);
    const verdicts = (await world.events()).filter(({ type }) => type === 'verdict.given.1').map(({ data }) => data);
    expect(verdicts).toMatchObject([{ decision: expect.stringMatching(/REJECT|ESCALATE/) }, { decision: 'APPROVE' }]);
    expect(await world.health()).toEqual({ findings: [], leased: false });
  }, 120_000);

  test('still has to pass its gates', async () => {
    const { world, task, id } = await refused('grep -q never README.md');
    using _ = world;
    expect((await world.run(['resume', task, '--dismiss', id, '--reason', 'so'])).code).not.toBe(0);
    expect((await world.tasks()).map(({ status }) => status)).not.toContain('accepted');
  }, 120_000);

  test('the control: without the dismissal the worker is asked again', async () => {
    const { world, task } = await refused();
    using _ = world;
    expect((await world.run(['resume', task])).code).not.toBe(0);
    expect(await world.packets('implement')).toHaveLength(2);
  }, 120_000);

  test.each(['append.before#1', 'append.after#1', 'effect.after worker.run#1'])(
    'killed at %s, it is dismissed once and ends the same',
    async (point) => {
      const { world, task, id } = await refused();
      using _ = world;
      const resume = ['resume', task, '--dismiss', id, '--reason', 'so'];
      expect((await world.run(resume, { SUPERVISOR_FAILPOINT: point })).signal).toBe('SIGKILL');
      const done = await world.run((await dismissed(world)).length === 0 ? resume : ['resume', task]);
      expect(done.code, `${done.stdout}${done.stderr}`).toBe(0);
      expect(await dismissed(world)).toHaveLength(1);
      expect(await world.packets('implement')).toHaveLength(1);
    },
    120_000,
  );
});
