/** The feedback document through the real command line: what reaches the second worker, and what a person is shown. */
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { greet } from '../greet.js';

const noise = 'Error: connection refused, attempt 17 of 20 will follow\\n'.repeat(20_000);
for (let n = 0; n < 6; n++) process.stdout.write(noise);
process.on('exit', () => { for (let n = 0; n < 6; n++) process.stdout.write(noise); });
test('greets politely', () => assert.equal(greet(''), 'good day'));
`;
const GATE = ['--gate', 'tests=node --test --test-reporter=tap --test-isolation=none'];
type Feedback = {
  readonly step: string;
  readonly kind: string;
  readonly first_failure: { readonly by: string; readonly at: string | null; readonly lines: readonly string[] };
  readonly issues: readonly { readonly by: string; readonly message: string }[];
  readonly failed_gates: readonly { readonly gate: string; readonly output: string }[];
  readonly actions: readonly string[];
  readonly attempt: object;
  readonly starts_from: string;
};
type Shown = { readonly status: string; readonly feedback: readonly Feedback[] };

function worldWith(script: object, steps: readonly object[], gate = GATE) {
  const world = new World();
  const files = { 'package.json': '{"type":"module"}\n', 'test/greet.test.js': TEST };
  world.commit({ ...files, 'greet.js': "export const greet = (name) => name + '';\n" }, 'begin');
  const played = world.file('script.yaml', JSON.stringify({ steps: script }));
  const workflow = world.file('one.yaml', JSON.stringify({ name: 'one', version: 1, steps }));
  return { world, run: ['run', 'Greet politely', '--workflow', workflow, '--script', played, ...gate, '--json'] };
}
const wrong = (text: string) => ({ files: { 'greet.js': `export const greet = (name) => '${text}' + name;\n` } });

async function show(world: World, stdout: string) {
  const { task_id } = JSON.parse(stdout) as { task_id: string };
  const { texts } = await world.json<{ texts: { title: string; text: string }[] }>(['show', task_id, '--packets']);
  const packets = texts.filter(({ title }) => title.startsWith('build:')).map(({ text }) => text);
  return { id: task_id, shown: await world.json<Shown>(['show', task_id]), packets };
}
/** The feedback document of a packet, and what follows it. */
const documentIn = (packet = ''): string[] => packet.slice(packet.indexOf('## SUPERVISOR REJECTION')).split('\n');

describe('after red tests in megabytes of noise', () => {
  test('the next worker and the operator read the assertion, its place and what to do', async () => {
    const steps = [{ id: 'build', kind: 'change', role: 'implementer', attempts: 2 }];
    const { world, run } = worldWith({ build: [wrong('bad day'), wrong('worse day')] }, steps);
    using _ = world;
    const { id, shown, packets } = await show(world, (await world.run(run)).stdout);
    expect(packets).toHaveLength(2);
    expect(packets[0]).not.toContain('REJECTION');
    const document = documentIn(packets[1]);
    expect(document.slice(0, 10).join('\n')).toContain('not ok 1 - greets politely');
    expect(document.slice(0, 10).join('\n')).toContain('test/greet.test.js:8');
    expect(document.join('\n')).toMatch(/^\+ 'bad day'\n- 'good day'$/m);
    expect(document.join('\n')).toContain('- Retry count: 1/2, 1 left in this round; the next is attempt 2.');
    expect(document.join('\n').length).toBeLessThan(40_000);

    // The task has failed: what its last attempt got to hear stays there for the operator.
    expect(shown).toMatchObject({
      status: 'failed',
      feedback: [
        {
          ...{ step: 'build', kind: 'failed_gate', starts_from: 'last' },
          first_failure: { by: 'gate tests', at: 'test/greet.test.js:8' },
          attempt: { number: 3, sent_back: 2, of: 2, ended: true },
        },
      ],
    });
    expect(shown.feedback[0]?.first_failure.lines.join('\n')).toContain('worse day');
    const read = await world.run(['show', id, '--feedback']);
    expect(read.stdout).toContain('# SUPERVISOR REJECTION: ');
    expect(read.stdout).toContain("+ 'worse day'");
  });

  test('also where a gate step of its own sends the change back', async () => {
    const steps = [
      { id: 'build', kind: 'change', role: 'implementer', gates: [] },
      { id: 'check', kind: 'gate', gates: ['tests'], on_fail: 'build', rounds: 2 },
    ];
    const right = { files: { 'greet.js': "export const greet = (name) => 'good day' + name;\n" } };
    const { world, run } = worldWith({ build: [wrong('bad day'), right] }, steps);
    using _ = world;
    const { packets } = await show(world, (await world.run(run)).stdout);
    expect(documentIn(packets[1]).slice(0, 10).join('\n')).toContain('not ok 1 - greets politely');
    expect(packets[1]).toContain('starts from the tree that was sent back');
  });
});

test('after a review: its points, the worst first, and its suggestions as opinions', async () => {
  const review = {
    status: 'CHANGES_REQUESTED',
    issues: [
      { severity: 'low', file: 'greet.js', line: 1, message: 'The name is short.' },
      { severity: 'high', file: 'greet.js', line: 1, message: 'It is rude.', suggestion: 'Say good day.' },
    ],
  };
  const steps = [
    { id: 'build', kind: 'change', role: 'implementer', gates: ['tests'] },
    { id: 'review', kind: 'answer', role: 'reviewer', on_reject: 'build', rounds: 2 },
  ];
  const says = (answer: object) => ({ says: `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` });
  const script = { build: [wrong('bad day'), wrong('good day')], review: [says(review), says({ status: 'APPROVED' })] };
  const { world, run } = worldWith(script, steps, ['--gate', 'tests=grep -q day greet.js']);
  using _ = world;
  const { packets } = await show(world, (await world.run(run)).stdout);
  const document = documentIn(packets[1]);
  expect(document.slice(0, 10).join('\n')).toContain('at greet.js:1\nhigh: It is rude.');
  expect(document.join('\n')).toMatch(
    /These are opinions of models, and unchecked[\s\S]*opinion: suggestions of reviewer\ngreet.js:1: Say good day\./,
  );
  // It is said once.
  expect(packets[1]?.split('It is rude.')).toHaveLength(3);
});
