/** Two reviews side by side by real CLIs: one rejects while the other is still reading, whose result is recorded all the same. */
import { expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { findingId } from '../../src/mind/verdict/open-findings.ts';
import { ANSWER, GATE, Through } from './through.ts';

const said = (answer: object): string => `So:\n\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`\n`;
const YES = said({ status: 'APPROVED' });
const ISSUE = { severity: 'high', file: 'greeting.txt', line: 1, message: 'greets nobody' } as const;
const NO = said({ status: 'CHANGES_REQUESTED', issues: [ISSUE] });
const FIXED = said({
  status: 'APPROVED',
  earlier: [{ finding: findingId(ISSUE), became: 'fixed', reason: 'it greets the world' }],
});
const claude = { for: { protocol: 'anthropic' } } as const;
const gemini = { for: { protocol: 'gemini' } } as const;
const codex = { for: { protocol: 'responses' } } as const;

const TURNS: ScenarioInput['turns'] = [
  { write: { path: 'greeting.txt', text: 'hello\n' }, ...claude },
  { text: ANSWER, ...claude },
  { write: { path: 'greeting.txt', text: 'hello world\n', replace: true }, ...claude },
  { text: ANSWER, ...claude },
  { text: NO, ...gemini },
  { text: FIXED, ...gemini },
  // Slower than the one who says no.
  { text: YES, delay: '5s', ...codex },
  { text: YES, ...codex },
];
const PANEL = {
  name: 'panel',
  version: 1,
  steps: [
    { id: 'implement', kind: 'change', role: 'implementer' },
    { id: 'review', review: ['reviewer_gemini', 'reviewer_codex'], on_reject: 'implement' },
  ],
};

type Event = { readonly type: string; readonly data: Record<string, unknown> };

test('one rejects, and what the other says of the same change is recorded before the change goes back', async () => {
  await using through = await new Through(TURNS).open(['claude', 'codex', 'gemini'], 'default_cli: [claude]\n');
  const { world, standIn } = through;
  const workflow = world.file('panel.yaml', JSON.stringify(PANEL));
  const args = ['run', 'write a greeting', '--workflow', workflow, ...GATE, '--json'];
  const { code, stdout, stderr } = await world.run(args, through.env());
  expect(code, stderr + stdout).toBe(0);
  const report = JSON.parse(stdout) as RunReport;
  expect(report).toMatchObject({ status: 'accepted', verified: true });
  expect(world.git('show', `${report.branch}:greeting.txt`)).toBe('hello world');

  const events = (await world.events()) as unknown as Event[];
  const back = events.findIndex(({ type }) => type === 'task.reworked.1');
  expect(events[back]?.data).toMatchObject({
    from: 'review',
    to: 'implement',
    reason: expect.stringMatching(/nobody/),
  });
  const first = events.slice(0, back);
  const placesOf = (type: string) =>
    first.flatMap((event, at) => (event.type === type && /^review-/.test(String(event.data['step'])) ? [at] : []));
  const [began, ended] = [placesOf('attempt.started.2'), placesOf('attempt.settled.2')];
  expect([began.length, ended.length]).toEqual([2, 2]);
  // Side by side: both had begun before one of them ended.
  expect(Math.max(...began)).toBeLessThan(Math.min(...ended));
  const results = ended.map((at) => first[at]?.data as { step: string; said: { status: string }; answer: string });
  expect(results.map(({ step, said: { status } }) => [step, status])).toEqual([
    ['review-reviewer_gemini', 'CHANGES_REQUESTED'],
    ['review-reviewer_codex', 'APPROVED'],
  ]);
  for (const { answer } of results) expect(answer).toMatch(/^[0-9a-f]{64}$/);
  const change = first.findLast(({ type }) => type === 'attempt.produced.2')?.data['candidate'];
  for (const at of began) expect(first[at]?.data['on']).toEqual(change);
  expect(events.filter(({ type }) => type === 'task.reworked.1')).toHaveLength(1);
  const asked = (protocol: string) => standIn.mainRequests.filter((one) => one.protocol === protocol).length;
  expect([asked('anthropic'), asked('gemini'), asked('responses')]).toEqual([4, 2, 2]);
});
