/** The workflow `standard` by three real CLIs in one run: each step by the one its role names, and one of them meets its quota. */
import { expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { ANSWER, Through } from './through.ts';

const said = (answer: object): string => `So:\n\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`\n`;
const PLAN = {
  status: 'COMPLETE',
  phases: [{ name: 'p', components: [{ name: 'greeting', files: ['greeting.txt'], acceptance: ['it says hello'] }] }],
  estimated_components: 1,
  notes: 'one file, and nothing else',
};
const YES = said({ status: 'APPROVED' });

const claude = { for: { protocol: 'anthropic' } } as const;
const gemini = { for: { protocol: 'gemini' } } as const;
const codex = { for: { protocol: 'responses' } } as const;

const TURNS: ScenarioInput['turns'] = [
  // A worker that only answers gives its answer through a tool of Claude Code.
  { call: { tool: 'StructuredOutput', input: PLAN }, ...claude },
  { text: YES, ...gemini },
  { write: { path: 'greeting.txt', text: 'hello\n' }, ...claude },
  { text: ANSWER, ...claude },
  { text: YES, ...gemini },
  { status: 429, retry_after: 2, ...codex },
  { text: YES, ...codex },
];

test('each step is done by the CLI of its role; a used-up quota is waited for and costs no attempt of another step', async () => {
  await using through = await new Through(TURNS).open(['claude', 'codex', 'gemini'], 'default_cli: [claude]\n');
  const { world, standIn } = through;
  const args = [
    'run',
    'write a greeting',
    '--workflow',
    'standard',
    '--gate',
    'tests=grep -q hello greeting.txt',
    '--json',
  ];
  const { code, stdout, stderr } = await world.run(args, through.env());
  expect(code, stderr + stdout).toBe(0);
  const report = JSON.parse(stdout) as RunReport;
  const attempts = report.steps.flatMap(({ id, history }) =>
    history.map(({ cli, class: outcome }) => `${id} ${cli} ${outcome}`),
  );
  expect(attempts.filter((one) => !/^(?:test|ci) /.test(one))).toEqual([
    'plan claude ok',
    'plan_review gemini ok',
    'implement claude ok',
    'review-reviewer_gemini gemini ok',
    'review-reviewer_codex codex quota',
    'review-reviewer_codex codex ok',
  ]);
  expect(report).toMatchObject({ status: 'accepted', verified: true });
  expect(world.git('show', `${report.branch}:greeting.txt`)).toBe('hello');
  // What each model was asked: no request is made twice but the one that was refused.
  const asked = (protocol: string) => standIn.mainRequests.filter((one) => one.protocol === protocol).length;
  expect([asked('anthropic'), asked('gemini'), asked('responses')]).toEqual([3, 2, 2]);
  const parked = (await world.events('host')).filter(({ type }) => type.startsWith('cli.parked'));
  expect(parked.map(({ data }) => data)).toMatchObject([{ cli: 'codex', told: true }]);
});
