/** What a worker is told about the attempt before, by what went wrong with it. */
import { describe, expect, test } from 'vitest';
import type { AnswerKind } from '../../../src/mind/answers/schemas.ts';
import { renderAgain } from '../../../src/mind/prompts/again.ts';
import { contractOf } from '../../../src/mind/prompts/contract.ts';
import { FEEDBACK_KINDS, type FeedbackKind, type PacketParts, renderPacket } from '../../../src/mind/prompts/packet.ts';
import { role } from '../../support/role.ts';
import { TEMPLATES } from '../../support/templates.ts';
import { PARTS } from './parts.ts';

const packet = (over: Partial<PacketParts>): string => renderPacket({ ...PARTS, ...over }, TEMPLATES);
const told = (kind: FeedbackKind): string => packet({ feedback: 'THE REASON', feedbackKind: kind });

test.each<[FeedbackKind, string]>([
  ['invalid_output', 'take care of the form of the answer'],
  ['failed_gate', 'Find the cause before you change something'],
  ['rejection', 'Deal with every point'],
  ['clarification', 'stopped with a question'],
  ['other', 'why the last attempt was sent back\nTHE REASON'],
])('%s: %s', (kind, words) => {
  const text = told(kind);
  expect(text).toContain('## What was wrong last time');
  expect(text).toContain(words);
  expect(text).toContain('THE REASON');
  expect(text).toContain('You start from a clean tree');
  for (const other of FEEDBACK_KINDS) if (other !== kind) expect(told(other)).not.toBe(text);
});

test('without a word about it the reason decides', () => {
  expect(packet({ feedback: 'status: Invalid type' })).toContain('take care of the form of the answer');
  expect(packet({ feedback: 'gate failed: tests' })).toContain('did not pass the checks');
  expect(packet({ feedback: 'the worker changed nothing' })).toContain('the worker changed nothing');
});

test('a failed gate comes with what it printed', () => {
  const evidence = [{ gate: 'tests', status: 'fail' as const, text: 'expected hello' }];
  expect(packet({ feedback: 'gate failed: tests', evidence })).toMatch(
    /<<<(\w+) output of gate tests \(fail\)\nGate tests failed\.\nexpected hello\n\1>>>/,
  );
  expect(packet({ evidence })).toContain('expected hello');
});

describe('strict mode, after the same error twice', () => {
  const around = {
    ...{
      text: 'Go on as planned',
      history: ['before'],
      notes: [{ by: 'planner', kind: 'plan' as const, text: 'noted' }],
      context: 'CONTEXT',
    },
    feedback: 'status: Invalid type',
  };
  const [once, twice] = [packet(around), packet({ ...around, sameErrorTwice: true })];

  test('says the error and the contract first, and is shorter', () => {
    const order = [
      '## What was wrong last time',
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
    const parts = { ...PARTS, ...around, answer, role: role('someone', { template, answer }), sameErrorTwice: true };
    const text = renderPacket(parts, templates);
    expect(text.split(words)).toHaveLength(2);
    if (template !== 'own')
      expect(renderPacket({ ...parts, sameErrorTwice: false }, templates).split(words)).toHaveLength(2);
  });

  test('needs an error', () => {
    expect(packet({ sameErrorTwice: true })).toBe(packet({}));
  });
});

test('asked again in its session, a worker is told what was wrong, that its changes are there, and the contract', () => {
  const text = renderAgain('review', 'missing result: there is no block\nsecond line', TEMPLATES, 'seed');
  expect(text).toMatch(
    /^Your last answer could not be used:\n\n<<<\w+ what is wrong with the answer\nmissing result: there is no block second line\n/,
  );
  expect(text).toContain('What you changed is still there');
  expect(text).toContain(contractOf('review').example);
  expect(text).not.toContain('## Task');
});
