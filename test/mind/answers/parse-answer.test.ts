/** What a worker said, read as hostile weather: catalogue WO-01..03, 06, 08, 09, 11, 17. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastJsonBlock } from '../../../src/mind/answers/fence.ts';
import { parseAnswer } from '../../../src/mind/answers/parse-answer.ts';
import { readStrictJson } from '../../../src/mind/answers/strict-json.ts';

const fenced = (json: string): string => `some words\n\`\`\`json\n${json}\n\`\`\`\n`;
const OK = '{"status":"SUCCESS","action_taken":"did it","files_modified":["src/a.ts"]}';

test('a good answer is parsed, lists default to empty, next_step to null', () => {
  expect(parseAnswer('implementation', fenced(OK))).toEqual({
    type: 'answer',
    others: 0,
    answer: {
      status: 'SUCCESS',
      action_taken: 'did it',
      files_created: [],
      files_modified: ['src/a.ts'],
      tests_written: [],
      blockers: [],
      next_step: null,
      notes: '',
    },
  });
});

test('WO-01: unknown keys are refused by name, whatever they claim', () => {
  const spoofed = '{"status":"SUCCESS","action_taken":"x","approved":true,"skipGates":true}';
  const result = parseAnswer('implementation', fenced(spoofed));
  expect(result).toMatchObject({
    type: 'invalid',
    reason: 'the answer has no field approved: leave it out',
  });
});

test('a field that is missing is named', () => {
  expect(parseAnswer('implementation', fenced('{"status":"SUCCESS"}'))).toMatchObject({
    reason: 'action_taken is missing',
  });
});

describe('work that is not done owes its status and nothing else', () => {
  test.each([
    ['implementation', 'BLOCKED'],
    ['implementation', 'FAILED'],
    ['implementation', 'PARTIAL'],
    ['plan', 'BLOCKED'],
    ['plan', 'NEEDS_REFINEMENT'],
    ['brainstorm', 'BLOCKED'],
    ['document', 'NEEDS_REFINEMENT'],
    ['test', 'FAILED'],
    ['generic', 'BLOCKED'],
  ] as const)('%s: %s', (kind, status) => {
    const said = fenced(JSON.stringify({ status, notes: 'no price list' }));
    expect(parseAnswer(kind, said)).toMatchObject({ type: 'answer', answer: { status, notes: 'no price list' } });
  });

  test('a field that is there is checked all the same', () => {
    expect(parseAnswer('implementation', fenced('{"status":"BLOCKED","action_taken":7}'))).toMatchObject({
      type: 'invalid',
    });
    expect(parseAnswer('implementation', fenced('{"status":"BLOCKED","approved":true}'))).toMatchObject({
      reason: 'the answer has no field approved: leave it out',
    });
  });
});

test('WO-02: of several blocks the last complete json one counts, also when it is the bad one', () => {
  const failed = OK.replace('SUCCESS', 'FAILED');
  expect(parseAnswer('implementation', fenced(OK) + fenced(failed))).toMatchObject({
    answer: { status: 'FAILED' },
    others: 1,
  });
  expect(
    parseAnswer('implementation', `${fenced(OK)}\`\`\`JSON\n${failed}\n\`\`\`\n~~~json\n${OK}\n~~~\n`),
  ).toMatchObject({ answer: { status: 'FAILED' } });
  expect(parseAnswer('implementation', fenced(OK) + fenced('{"status":'))).toMatchObject({ type: 'invalid' });
});

describe('WO-03: fences follow CommonMark', () => {
  test('an example inside a longer fence is not the answer', () => {
    expect(lastJsonBlock(`\`\`\`\`markdown\n${fenced(OK)}\`\`\`\`\n`)).toEqual({ type: 'none' });
  });
  test('backticks inside a string do not end the block', () => {
    expect(parseAnswer('implementation', fenced(OK.replace('did it', 'wrote ```json blocks```')))).toMatchObject({
      type: 'answer',
    });
  });
  test('a block that never ends is invalid, not replaced by an earlier one', () => {
    expect(parseAnswer('implementation', `${fenced(OK)}\`\`\`json\n${OK}`)).toMatchObject({
      reason: expect.stringContaining('line 5 is never closed'),
    });
  });
  test('four blanks make it code, not a fence', () => {
    expect(lastJsonBlock(`    \`\`\`json\n${OK}\n    \`\`\`\n`)).toEqual({ type: 'none' });
  });
  test('carriage returns are line ends too', () => {
    expect(lastJsonBlock(fenced(OK).replaceAll('\n', '\r\n'))).toMatchObject({ type: 'block' });
  });
});

test('WO-08: repeated keys, __proto__ and friends are refused at every depth', () => {
  for (const json of [
    '{"a":1,"a":2}',
    '{"a":{"b":1,"b":1}}',
    '{"__proto__":{"x":1}}',
    '[{"constructor":1}]',
    '{"a":{"prototype":1}}',
    '{"\\u005f_proto__":1}',
  ]) {
    expect(readStrictJson(json)).toMatchObject({ type: 'problem' });
  }
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

test('WO-09: deep nesting and numbers that are not numbers are refused', () => {
  for (const json of [
    '['.repeat(60_000),
    `${'['.repeat(65)}1${']'.repeat(65)}`,
    '1e999',
    '-1e999',
    '9007199254740993',
    'NaN',
    '01',
    '+1',
  ]) {
    expect(readStrictJson(json)).toMatchObject({ type: 'problem' });
  }
  expect(readStrictJson('-0')).toEqual({ type: 'json', value: 0 });
});

test('WO-06, WO-17: wrong types, control characters, escaping paths and sizes fail with the exact path', () => {
  const told = (json: string) => (parseAnswer('implementation', fenced(json)) as { reason: string }).reason;
  expect(told('{"status":["SUCCESS"],"action_taken":"x"}')).toContain('status:');
  expect(told('{"status":"SUCCESS","action_taken":"x","files_modified":"src/a.ts"}')).toContain('files_modified:');
  expect(told('{"status":"SUCCESS","action_taken":"x","files_modified":["a\\u0000.png"]}')).toContain(
    'files_modified.0: has a control character',
  );
  expect(told('{"status":"SUCCESS","action_taken":"x","files_modified":["../x"]}')).toContain('leaves the repository');
  expect(told('{"status":"SUCCESS","action_taken":"\\ud800"}')).toContain('half a character');
  expect(told(`{"status":"SUCCESS","action_taken":"${'x'.repeat(30_000)}"}`)).toContain('action_taken:');
});

test('a review may repeat its status, but not contradict it', () => {
  expect(parseAnswer('review', fenced('{"status":"APPROVED","review_status":"APPROVED"}'))).toMatchObject({
    type: 'answer',
  });
  expect(parseAnswer('review', fenced('{"status":"APPROVED","review_status":"REJECTED"}'))).toMatchObject({
    reason: expect.stringContaining('contradicts'),
  });
});

test('WO-11: hostile input is scanned in linear time (work grows with size, not with its square)', () => {
  // Counted, not timed: each character is looked at a bounded number of times because lines are visited once.
  const hostile = `\`\`\`json${'\n'.repeat(1_000_000)}x`;
  expect(lastJsonBlock(hostile)).toEqual({ type: 'unterminated', line: 1 });
  expect(lastJsonBlock('`'.repeat(1_000_000))).toEqual({ type: 'none' });
  expect(readStrictJson(`"${'\\'.repeat(500_001)}"`)).toMatchObject({ type: 'problem' });
});

test('strict JSON agrees with JSON.parse on everything ordinary', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const read = readStrictJson(text);
      const plain: unknown = JSON.parse(text);
      if (read.type === 'json')
        expect(JSON.stringify(read.value)).toBe(JSON.stringify(plain).replaceAll(/-0(?=[,\]}]|$)/g, '0'));
      else expect(read.message).toMatch(/never allowed|exact|half a character/);
    }),
    { numRuns: 500 },
  );
});

test('a status that the form does not have is told in plain words, with those it has', () => {
  const said = '```json\n{"status": "FAILED", "issues": []}\n```';
  expect(parseAnswer('review', said)).toMatchObject({
    type: 'invalid',
    reason: expect.stringContaining('status: must be "APPROVED" or "CHANGES_REQUESTED" or "REJECTED", not "FAILED"'),
  });
});
