/** Analyses through the real command line: who is asked, what the next worker is told, and what it cost. */
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const GATE = ['--gate', 'tests=grep -q right a.txt'];
const WORKFLOW = { build: { role: 'implementer', gates: ['tests'], analyses: ['investigator', 'tech_lead'] } };
type Report = {
  readonly task_id: string;
  readonly status: string;
  readonly steps: readonly { readonly id: string; readonly status: string; readonly attempts: number }[];
  readonly cost: { readonly usd: number | null; readonly analyses?: object };
};
type Texts = { readonly texts: readonly { readonly title: string; readonly text: string }[] };

const answer = (fields: object) => ({
  says: `\`\`\`json\n${JSON.stringify({ status: 'SUCCESS', ...fields })}\n\`\`\``,
});

function worldWith(steps: object, workflow: object = WORKFLOW) {
  const world = new World();
  world.commit({ 'a.txt': 'begin\n' }, 'begin');
  const script = world.file('script.yaml', JSON.stringify({ steps }));
  const file = world.file('w.yaml', JSON.stringify({ steps: workflow }));
  return { world, run: ['run', 'Make it right', '--workflow', file, '--script', script, ...GATE, '--json'] };
}

test('two models say why the gates refused the change, and the next worker reads one after the failure', async () => {
  const { world, run } = worldWith({
    build: [{ files: { 'a.txt': 'wrong\n' } }, { files: { 'a.txt': 'right\n' } }],
    // It sees the refused tree and cannot change it.
    'build-analysis-investigator': [
      {
        run: 'grep -q wrong a.txt && ! touch a.txt',
        ...answer({ answer: 'a.txt:1 says wrong.', findings: ['It is one word.'] }),
      },
    ],
    'build-analysis-tech_lead': [{ exit: 3 }],
  });
  using _ = world;
  const { code, stdout, stderr } = await world.run(run);
  expect(code, stderr).toBe(0);
  const report = JSON.parse(stdout) as Report;
  expect(report.steps.map(({ id, status, attempts }) => [id, status, attempts])).toEqual([
    ['build', 'done', 2],
    ['build-analysis-investigator', 'done', 1],
    ['build-analysis-tech_lead', 'done', 1],
  ]);
  expect(report.cost.analyses).toEqual({ attempts: 2, usd: null, tokens_in: null, tokens_out: null });
  const { texts } = await world.json<Texts>(['show', report.task_id, '--packets']);
  const packetOf = (title: string) => texts.filter((one) => one.title.startsWith(title)).map(({ text }) => text);
  const [asked = ''] = packetOf('build-analysis-investigator:');
  expect(asked).toContain('A change for the task below was refused by its gates. Find out why.');
  expect(asked).toContain('Say in one or two sentences why the change fails');
  expect(asked).toContain('gate `tests` failed');
  const [, next = ''] = packetOf('build:');
  expect(next).toMatch(
    /These are opinions of models, and unchecked[\s\S]*opinion: analysis of investigator[\s\S]*a\.txt:1 says wrong\./,
  );
  expect(next.indexOf('Failed gates')).toBeLessThan(next.indexOf('a.txt:1 says wrong.'));
  expect(next).not.toContain('of tech_lead');
  const shown = await world.run(['show', report.task_id]);
  expect(shown.stdout).toContain('2 analyses of failed gates: unknown');
});

test('a workflow without analyses asks no model', async () => {
  const plays = { build: [{ files: { 'a.txt': 'wrong\n' } }, { files: { 'a.txt': 'right\n' } }] };
  const { world, run } = worldWith(plays, { build: { role: 'implementer', gates: ['tests'] } });
  using _ = world;
  const report = JSON.parse((await world.run(run)).stdout) as Report;
  expect(report.steps.map(({ id }) => id)).toEqual(['build']);
  expect(report.cost.analyses).toBeUndefined();
});

test('a simulation plays them and adds up what they cost', async () => {
  const { world, run } = worldWith({
    build: [{ gates: { tests: 'fail' }, cost_usd: 0.5 }, { cost_usd: 0.5 }],
    'build-analysis-investigator': [{ cost_usd: 0.02 }],
    'build-analysis-tech_lead': [{ cost_usd: 0.01, outcome: 'timeout' }],
  });
  using _ = world;
  const plain = run.filter((word) => word !== '--json');
  const report = await world.json<Report>([...plain, '--simulate']);
  expect(report).toMatchObject({ status: 'accepted', cost: { usd: 1.03, analyses: { attempts: 2, usd: 0.03 } } });
  const { stdout } = await world.run([...plain, '--simulate']);
  expect(stdout).toContain('2 analyses of failed gates: 0.0300 USD');
  expect(stdout).toMatch(/path +build \(not good\) > .*build-analysis-tech_lead \(timeout\).* > build\n/);
});
