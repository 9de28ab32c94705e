/** The workflow `sdlc` from an idea to a commit, with a gap at each hand-over that sends the step back once. */
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const says = (answer: object) => `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``;
const IDEA = {
  ...{ status: 'COMPLETE', problem: 'Nobody is greeted', users: ['Ada'], goals: ['a hello'] },
  ...{ limits: ['no mail'], risks: ['too long'] },
};
const document = (text: string) => ({
  status: 'COMPLETE',
  requirements: [
    { id: 'R1', requirement: 'It greets', criteria: [{ id: 'R1.1', criterion: text, check: 'grep -q hello a.txt' }] },
  ],
});
const plan = (component: object) => ({
  ...{ status: 'COMPLETE', estimated_components: 1 },
  phases: [
    { name: 'p', components: [{ name: 'greet', files: ['a.txt'], acceptance: ['it says hello'], ...component }] },
  ],
});
const done = (modified: string[]) => ({ status: 'SUCCESS', action_taken: 'x', files_modified: modified });
const twice = (first: object, second: object) => [{ says: says(first) }, { says: says(second) }];
const files = { 'a.txt': 'hello\n' };

const STEPS = {
  brainstorm: twice({ ...IDEA, users: [] }, IDEA),
  document: twice(document('The greeting is nice'), document('a.txt has the line "hello"')),
  plan: twice(plan({}), plan({ covers: ['R1.1'] })),
  execute: [
    { files, says: says(done([])) },
    { files: { 'a.txt': 'hello, Ada\n' }, says: says(done(['a.txt'])) },
  ],
};

async function ran(world: World, workflow: string) {
  world.commit({ 'a.txt': 'old\n' });
  const script = world.file('script.yaml', JSON.stringify({ steps: STEPS }));
  const gate = ['--gate', 'tests=grep -q hello a.txt'];
  const { stdout, stderr, code } = await world.run([
    ...['run', 'Greet people', '--workflow', workflow, '--script', script, ...gate, '--json'],
  ]);
  expect(code, stderr + stdout).toBe(0);
  const { task_id, branch } = JSON.parse(stdout) as { task_id: string; branch: string };
  const settled = (await world.events()).filter(({ type }) => type === 'attempt.settled.2');
  const back = settled
    .map(({ data }) => data as { step: string; class: string; reason: string })
    .filter((one) => one.class === 'invalid')
    .map(({ step, reason }) => `${step}: ${reason}`);
  return { task_id, branch, back };
}

test('each gap is named and sends its step back; a complete answer goes on to the commit', async () => {
  using world = new World();
  const { task_id, branch, back } = await ran(world, 'sdlc');
  expect(back).toEqual([
    'brainstorm: not ready to be handed over: `users` is empty',
    'document: not ready to be handed over: requirement "R1" has no criterion that a test can decide; criterion "R1.1" cannot be decided by a test: say the input, and what exactly comes out',
    'plan: not ready to be handed over: criterion "R1.1" has no component: name it in `covers` of one',
    'execute: not ready to be handed over: a.txt was changed, and the answer does not name it',
  ]);
  expect(world.git('show', `${branch}:a.txt`)).toBe('hello, Ada');
  const { texts } = await world.json<{ texts: { title: string; text: string }[] }>(['show', task_id, '--packets']);
  const last = (step: string) => texts.findLast(({ title }) => title.startsWith(`${step}:`))?.text ?? '';
  expect(last('plan')).toContain('Your answer is checked before the next step builds on it');
  expect(last('plan')).toContain('criterion "R1.1" has no component');
  expect(last('plan')).toContain('a.txt has the line');
  expect(last('execute')).toContain('it says hello');
});

test('without `hand_over` the same answers go on as they are', async () => {
  const plain =
    'extends: sdlc\nsteps:\n  brainstorm: {hand_over: false}\n  document: {hand_over: false}\n  plan: {hand_over: false}\n  execute: {hand_over: false}\n';
  using world = new World();
  const { back } = await ran(world, world.file('plain.yaml', plain));
  expect(back).toEqual([]);
});
