/** The feedback in the next packet, by the cause of the failure. */
import { describe, expect, test } from 'vitest';
import type { AnswerKind } from '../../../src/mind/answers/schemas.ts';
import { FEEDBACK_KINDS, type FeedbackKind } from '../../../src/mind/feedback/kind.ts';
import { contractOf } from '../../../src/mind/prompts/contract.ts';
import { type PacketParts, renderPacket } from '../../../src/mind/prompts/packet.ts';
import { renderAgain } from '../../../src/mind/prompts/repair-prompt.ts';
import { role } from '../../support/role.ts';
import { sentBack } from '../../support/sent-back.ts';
import { TEMPLATES } from '../../support/templates.ts';
import { PARTS } from './parts.ts';

const packet = (over: Partial<PacketParts>): string => renderPacket({ ...PARTS, ...over }, TEMPLATES);
const told = (kind: FeedbackKind): string => packet({ feedback: sentBack('THE REASON', { kind }) });

test.each<[FeedbackKind, string]>([
  ['invalid_output', 'Give the answer in the required form'],
  ['failed_gate', 'Find the cause of the failure above'],
  ['violation', 'Restore each path that is named above'],
  ['finding', 'Fix each place that is named above'],
  ['rejection', 'Deal with every point'],
  ['no_change', 'Make the change in files, as the task asks'],
  ['clarification', 'stopped with a question'],
  ['other', 'what failed first, says Supervisor\nTHE REASON'],
])('%s: %s', (kind, words) => {
  const text = told(kind);
  expect(text).toContain('## SUPERVISOR REJECTION: t-1');
  expect(text).toContain(words);
  expect(text).toContain('THE REASON');
  expect(text).toContain('starts from a clean tree');
  for (const other of FEEDBACK_KINDS) if (other !== kind) expect(told(other)).not.toBe(text);
});

test('without an entry for it the reason decides', () => {
  const why = (reason: string) => packet({ feedback: sentBack(reason) });
  expect(why('status: Invalid type')).toContain('the answer could not be used');
  expect(why('action_taken is missing')).toContain('the answer could not be used');
  expect(why('gate failed: tests')).toContain('a gate failed');
  expect(why('The change touches one path that the task may not change. `a` is protected.')).toContain(
    'touches paths that it may not change',
  );
  expect(why('The change is refused: a:1: a stub.')).toContain('a finding in the change blocks it');
  expect(why('the worker changed nothing')).toContain('no file was changed');
});

test('a failed gate comes with what it printed', () => {
  const text = '\n--- what it printed ---\nexpected hello';
  const gates = [{ gate: 'tests', status: 'fail' as const, text }];
  expect(packet({ feedback: sentBack('gate failed: tests', { gates }) })).toMatch(
    /<<<(\w+) output of gate tests \(fail\)\nexpected hello\n\1>>>/,
  );
  expect(packet({ feedback: sentBack(null, { gates }) })).toContain('expected hello');
});

describe('strict mode, after the same error twice', () => {
  const around = {
    ...{
      text: 'Go on as planned',
      history: ['before'],
      notes: [{ by: 'planner', kind: 'plan' as const, text: 'noted' }],
      context: 'CONTEXT',
    },
    feedback: sentBack('status: Invalid type'),
  };
  const [once, twice] = [
    packet(around),
    packet({ ...around, feedback: sentBack('status: Invalid type', { repeated: true }) }),
  ];

  test('says the error and the contract first, and is shorter', () => {
    const order = [
      '## SUPERVISOR REJECTION',
      'status: Invalid type',
      '```json',
      'Change the files in the current directory',
      '## Task',
      '## What earlier workers say',
      '## Rules',
      '## Context',
    ];
    const places = order.map((part) => twice.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(twice.length).toBeLessThan(once.length);
    expect(twice.startsWith('Two attempts at this task failed in the same way.')).toBe(true);
  });

  test('leaves out guidance and surroundings, and neither role, work, task, notes nor rules', () => {
    for (const part of ['## For ', '## What was done before']) {
      expect(once).toContain(part);
      expect(twice).not.toContain(part);
    }
    for (const part of [
      PARTS.role.system_prompt.trim(),
      'Change the files in the current directory so that the task is done.',
      'Go on as planned',
      'noted',
      'no network',
      contractOf('implementation').fields,
    ])
      expect(twice).toContain(part);
  });

  test.each<[string, AnswerKind, string]>([
    ['planning', 'plan', 'Make a plan for the task.'],
    ['implement', 'implementation', 'Change the files in the current directory'],
    ['review', 'review', 'Judge the change by what it is'],
    ['test', 'test', 'Write tests in the current directory'],
    ['security', 'security', 'Find out how what you see here'],
    ['investigate', 'generic', 'Find out what the task asks.'],
    // A role that says otherwise, and one with a template of its own.
    ['review', 'generic', 'Judge the change by what it is'],
    ['own', 'plan', 'Make a plan for the task.'],
    ['own', 'generic', 'Change the files in the current directory'],
  ])('says what the work is: %s, %s', (template, answer, words) => {
    const templates = new Map([...TEMPLATES, ['own', 'of the project']]);
    const parts = { ...PARTS, ...around, answer, role: role('someone', { template, answer }) };
    const strict = { ...parts, feedback: sentBack('status: Invalid type', { repeated: true }) };
    const text = renderPacket(strict, templates);
    expect(text.split(words)).toHaveLength(2);
    if (template !== 'own') expect(renderPacket(parts, templates).split(words)).toHaveLength(2);
  });
});

test('asked again in its session, a worker reads its mistake, that its changes are there, and the contract', () => {
  const text = renderAgain('review', 'missing result: there is no block\nsecond line', TEMPLATES, 'seed');
  expect(text).toMatch(
    /^Your last answer could not be used:\n\n<<<\w+ what is wrong with the answer\nmissing result: there is no block second line\n/,
  );
  expect(text).toContain('What you changed is still there');
  expect(text).toContain(contractOf('review').example);
  expect(text).not.toContain('## Task');
});
