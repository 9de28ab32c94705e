/** The answer that a worker is asked for is the answer that is checked. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { noteOf } from '../../../src/mind/answers/answer-note.ts';
import { answerSchema } from '../../../src/mind/answers/json-schema.ts';
import { parseAnswer } from '../../../src/mind/answers/parse-answer.ts';
import { ANSWERS, type AnswerKind } from '../../../src/mind/answers/schemas.ts';
import { feedbackKind } from '../../../src/mind/feedback/kind.ts';
import { contractOf } from '../../../src/mind/prompts/contract.ts';
import { meaningOf } from '../../../src/mind/workers/answer.ts';

const KINDS = Object.keys(ANSWERS) as AnswerKind[];
const fenced = (value: unknown) => `\`\`\`json\n${typeof value === 'string' ? value : JSON.stringify(value)}\n\`\`\``;
const parsed = (kind: AnswerKind, value: unknown) => parseAnswer(kind, fenced(value));

type Schema = { type: string; entries?: Record<string, Schema>; item?: Schema; wrapped?: Schema };
/** The names of all fields that an answer must have, also inside of lists. */
function required(schema: Schema): string[] {
  const inner = schema.wrapped ?? schema.item;
  const below = Object.values(schema.entries ?? {}).flatMap(required);
  const here = Object.entries(schema.entries ?? {}).filter(([, field]) => field.type !== 'optional');
  return [...here.map(([name]) => name), ...below, ...(inner === undefined ? [] : required(inner))];
}

describe.each(KINDS)('the contract of a %s', (kind) => {
  const { example, fields, open } = contractOf(kind);

  test('has an example that is taken, and that is not changed by reading it', () => {
    expect(parsed(kind, example)).toEqual({ type: 'answer', others: 0, answer: JSON.parse(example) });
  });

  test('names every field that is required, and no field that is refused', () => {
    const names = required(ANSWERS[kind] as unknown as Schema);
    expect(names).toContain('status');
    for (const name of names) expect(fields).toMatch(new RegExp(`^ *- \`${name}\` \\(.*required\\)`, 'm'));
    const known = Object.keys((ANSWERS[kind] as unknown as Schema).entries ?? {});
    for (const [, name] of fields.matchAll(/^- `(\w+)`/gm)) expect(known).toContain(name);
  });

  test('tells whether other fields may be there', () => {
    expect(parsed(kind, { ...JSON.parse(example), more: 1 }).type).toBe(open ? 'answer' : 'invalid');
  });

  test('is a JSON Schema too, without what vendors refuse', () => {
    expect(JSON.stringify(answerSchema(kind))).not.toContain('"examples"');
    expect(answerSchema(kind)).toMatchObject({ type: 'object', properties: { status: {} } });
  });
});

test('a field more in the declaration is a field more in the contract: nothing is written twice', () => {
  // Every description that is shown comes from the declaration.
  for (const kind of KINDS)
    for (const [name, field] of Object.entries(
      (ANSWERS[kind] as unknown as { entries: Record<string, Schema> }).entries,
    )) {
      const inner = field.wrapped?.wrapped ?? field.wrapped ?? field;
      const about = v.getDescription(inner as unknown as v.GenericSchema);
      if (about !== undefined) expect(contractOf(kind).fields).toContain(`- \`${name}\` `);
      if (about !== undefined) expect(contractOf(kind).fields).toContain(about);
    }
});

describe('answers of testers and auditors', () => {
  test('are read strictly', () => {
    expect(parsed('test', { status: 'SUCCESS', tests_written: ['../x'] }).type).toBe('invalid');
    expect(parsed('test', { status: 'SUCCESS', coverage: 101 }).type).toBe('invalid');
    expect(parsed('test', { status: 'APPROVED' }).type).toBe('invalid');
    expect(
      parsed('security', { status: 'APPROVED', findings: [{ severity: 'low', cwe: '89', message: 'x' }] }).type,
    ).toBe('invalid');
    expect(parsed('security', { status: 'APPROVED', findings: [{ severity: 'low', message: 'x' }] }).type).toBe(
      'answer',
    );
    expect(
      parsed('security', { status: 'APPROVED', findings: [{ severity: 'critical', message: 'x' }] }),
    ).toMatchObject({
      reason: expect.stringContaining('status APPROVED contradicts a critical finding'),
    });
  });

  const meaning = (kind: AnswerKind, value: object) => {
    const result = parsed(kind, value);
    if (result.type === 'invalid') throw new Error(result.reason);
    return meaningOf(kind, result.answer);
  };

  test('mean what they say: good, not done, or stop; a no is a good answer, quoted', () => {
    expect(meaning('test', { status: 'SUCCESS', bugs_found: [{ message: 'x' }] })).toEqual({ type: 'good' });
    expect(
      meaning('test', { status: 'PARTIAL', bugs_found: [{ file: 'a.ts', line: 3, message: 'x' }], notes: 'half' }),
    ).toEqual({
      type: 'invalid',
      reason: 'the worker says PARTIAL: "a.ts:3: x; half"',
    });
    expect(meaning('test', { status: 'BLOCKED', blockers: ['no runner'] })).toEqual({
      type: 'blocked',
      reason: 'the worker says BLOCKED: "no runner"',
    });
    expect(meaning('security', { status: 'APPROVED' })).toEqual({ type: 'good' });
    const finding = { severity: 'high', file: 'a.ts', line: 3, message: 'open to all' };
    expect(meaning('security', { status: 'REJECTED', findings: [finding] })).toEqual({
      type: 'good',
      reason: 'the security auditor says REJECTED: "high a.ts:3: open to all"',
    });
    expect(meaning('review', { status: 'REJECTED', issues: [{ severity: 'low', message: 'no' }] })).toEqual({
      type: 'good',
      reason: 'the reviewer says REJECTED: "low: no"',
    });
  });
});

test('the next worker reads the parts of an answer that hold something', () => {
  const { example } = contractOf('implementation');
  expect(noteOf('implementation', fenced(example))).toBe(
    'status: SUCCESS\naction_taken: Added greet() and a test for it.\nfiles_created:\n- src/greet.ts\nfiles_modified:\n- src/main.ts\ntests_written:\n- test/greet.test.ts',
  );
  expect(noteOf('plan', fenced({ status: 'COMPLETE', phases: [{ name: 'One' }], estimated_components: 1 }))).toContain(
    '- {"name":"One"}',
  );
  expect(noteOf('implementation', 'no answer')).toBeNull();
  expect(noteOf('generic', fenced({ status: 'SUCCESS', notes: 'x'.repeat(20_000) }))?.length).toBeLessThan(25_000);
});

test('the kind of reason for which an attempt was sent back, by its words', () => {
  const reason = (kind: AnswerKind, value: unknown) => {
    const result = parsed(kind, value);
    return result.type === 'invalid' ? result.reason : '';
  };
  for (const invalid of [
    reason('implementation', { status: 'DONE' }),
    reason('implementation', { status: 'SUCCESS', action_taken: 'x', approved: true }),
    reason('implementation', { status: 'SUCCESS', action_taken: 'x', files_created: ['/etc/passwd'] }),
    reason('review', { status: 'APPROVED', review_status: 'REJECTED' }),
    reason('plan', '{"status":'),
    'missing result: there is no ```json block on stdout; end with exactly one',
    'the json block holds bytes that are not UTF-8',
  ])
    expect([invalid, feedbackKind(invalid, 0)]).toEqual([invalid, 'invalid_output']);
  expect(feedbackKind('gate failed: tests', 0)).toBe('failed_gate');
  expect(feedbackKind('whatever', 1)).toBe('failed_gate');
  expect(feedbackKind('the reviewer says REJECTED: "no"', 0)).toBe('rejection');
  expect(feedbackKind('the security auditor says CHANGES_REQUESTED', 0)).toBe('rejection');
  expect(feedbackKind('the worker says BLOCKED: "which colour?"', 0)).toBe('clarification');
  expect(feedbackKind('the worker changed nothing', 0)).toBe('no_change');
  expect(feedbackKind('the tree cannot be taken: a: is a link', 0)).toBe('other');
});
