/** Several reviewers of one change: what two of them say is one finding, a copy adds nothing, and a claim that is untrue does not count. */
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const answer = (status: string, ...messages: string[]) => ({
  says: `\`\`\`json\n${JSON.stringify({
    status,
    issues: messages.map((message) => ({ severity: 'high', file: 'a.js', line: 2, message })),
  })}\n\`\`\``,
});
const FIRST = 'export const twice = (n) => double(n);\nfunction double(n) {\n  return n * 2;\n}\n';
const SECOND = FIRST.replace('n * 2', '2 * n');
const LOST = 'The sign is lost for negative numbers.';
const UNTRUE = 'The function `double` is never used.';
const WORKFLOW = JSON.stringify({
  name: 'panel',
  version: 1,
  steps: [
    { id: 'implement', kind: 'change', role: 'implementer', attempts: 1 },
    { id: 'review', review: ['reviewer_codex', 'reviewer_gemini'], require: 'all', on_reject: 'implement', rounds: 2 },
  ],
});

async function played(codex: object[], gemini: object[], gate = 'grep -q double a.js') {
  const world = new World();
  world.commit({ 'a.js': 'export const twice = (n) => n + n;\n' }, 'begin');
  const steps = {
    implement: [{ files: { 'a.js': FIRST } }, { files: { 'a.js': SECOND } }],
    'review-reviewer_codex': codex,
    'review-reviewer_gemini': gemini,
  };
  const script = world.file('script.yaml', JSON.stringify({ steps }));
  const workflow = world.file('panel.yaml', WORKFLOW);
  const run = [
    'run',
    'Let twice() use a helper',
    '--workflow',
    workflow,
    '--script',
    script,
    '--gate',
    `tests=${gate}`,
  ];
  const { code, stdout, stderr } = await world.run([...run, '--json']);
  return { world, code, said: `${stdout}${stderr}` };
}
const YES = answer('APPROVED');

describe('two reviewers', () => {
  test('that say the same send one finding back, with both names', async () => {
    const no = answer('CHANGES_REQUESTED', LOST);
    const { world } = await played(
      [no, YES],
      [answer('CHANGES_REQUESTED', 'the sign is lost, for negative numbers!'), YES],
    );
    using _ = world;
    const [, packet = ''] = await world.packets('implement');
    expect(packet.match(/sign is lost/gi)).toHaveLength(2);
    expect(packet).toContain('a review found 1 point.');
    expect(packet).toContain('(reviewer_codex, reviewer_gemini)');
  }, 120_000);

  test('that copy each other change nothing that a gate decided', async () => {
    const { world, code } = await played([YES], [YES], 'grep -q never a.js');
    using _ = world;
    expect(code).not.toBe(0);
    expect(await world.packets('review-reviewer_codex')).toEqual([]);
    expect((await world.tasks()).map(({ status }) => status)).not.toContain('accepted');
  }, 120_000);
});

describe('a claim that can be checked', () => {
  test('and is untrue does not count: nothing goes back for it, and the record says why', async () => {
    const untrue = answer('CHANGES_REQUESTED', UNTRUE);
    const { world, code, said } = await played([untrue], [YES]);
    using _ = world;
    // A no that rests on nothing is left to a person.
    expect(code, said).toBe(3);
    expect(await world.packets('implement')).toHaveLength(1);
    const task = (await world.tasks())[0]?.task_id ?? '';
    const records = await world.run(['show', task, '--records']);
    expect(records.stdout).toContain('refuted (double is used in line 1 of a.js)');
    expect((await world.run(['approve', task])).code).toBe(0);
  }, 120_000);

  test('the control: one that no rule can check goes back as before', async () => {
    const { world } = await played([answer('CHANGES_REQUESTED', UNTRUE, LOST), YES], [YES]);
    using _ = world;
    const packets = await world.packets('implement');
    expect(packets.length).toBeGreaterThan(1);
    expect(packets[1]).toContain(LOST);
  }, 120_000);
});
