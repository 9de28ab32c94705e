/** The two halves of an adapter: from a packet to a command, and from what was printed to the final text. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANSWERS, type AnswerKind } from '../../src/mind/answers/schemas.ts';
import { readAnswer } from '../../src/mind/workers/answer.ts';
import { callOf } from '../../src/mind/workers/call.ts';
import type { DeclaredCli } from '../../src/mind/workers/cli-config.ts';
import { FinalTextReader } from '../../src/mind/workers/final-text.ts';
import { ARGUMENT_BYTES, DOCUMENT_CHARS, SAID_CHARS } from '../../src/mind/workers/limits.ts';
import { playCall } from '../../src/mind/workers/play.ts';
import { cpuSeconds } from '../support/cpu.ts';

const cli = (more: Partial<DeclaredCli>): DeclaredCli => ({
  type: 'declared',
  command: ['acme', '--headless'],
  prompt: 'stdin',
  output: 'text',
  env: [],
  ...more,
});

describe('a declared CLI', () => {
  test('gets the packet on standard input', () => {
    expect(callOf('acme', cli({}), '/opt/acme', 'packet')).toEqual({
      type: 'call',
      argv: ['/opt/acme', '--headless'],
      input: 'packet',
      shown: ['acme', '--headless'],
    });
  });

  test('or as its last argument, which the record does not repeat', () => {
    expect(callOf('acme', cli({ prompt: 'argument' }), '/opt/acme', '-packet')).toEqual({
      type: 'call',
      argv: ['/opt/acme', '--headless', '-packet'],
      input: '',
      shown: ['acme', '--headless', '(packet)'],
    });
  });

  test('unless it is longer than the system takes', () => {
    const call = (packet: string) => callOf('acme', cli({ prompt: 'argument' }), '/opt/acme', packet);
    expect(call('x'.repeat(ARGUMENT_BYTES - 1)).type).toBe('call');
    expect(call('é'.repeat(ARGUMENT_BYTES / 2))).toEqual({
      type: 'refused',
      message: `the packet has ${ARGUMENT_BYTES + 1} bytes, and an argument may have ${ARGUMENT_BYTES}: set clis.acme.prompt to stdin`,
    });
  });
});

function said(output: DeclaredCli['output'], pointer: string | undefined, ...pieces: string[]) {
  const one = new FinalTextReader(output, pointer);
  for (const piece of pieces) one.add(piece);
  return one.end();
}
const text = (value: string, more = {}) => ({ type: 'text', text: value, omitted: 0, malformed: 0, ...more });

describe('the final text', () => {
  test('of plain text is all of it', () => {
    expect(said('text', undefined, 'a', 'b\n', 'c')).toEqual(text('ab\nc'));
  });

  test('of plain text without end is its end, from the beginning of a line', () => {
    const final = said('text', undefined, ...Array.from({ length: 100 }, () => `${'x'.repeat(99_999)}\n`), 'end');
    if (final.type !== 'text') throw new Error(final.reason);
    expect(final.text.length).toBeLessThanOrEqual(SAID_CHARS);
    expect(final.text.length + final.omitted).toBe(10_000_003);
    expect(final.text).toMatch(/^x{99999}\n[\s\S]*\nend$/);
    const line = said('text', undefined, ...Array.from({ length: 100 }, () => 'y'.repeat(100_000)));
    expect(line).toMatchObject({ text: 'y'.repeat(SAID_CHARS) });
  });

  test.each([
    ['{"result":"r"}', '/result', text('r')],
    ['\n {"a":[{"b~/c":"r"}]}\n', '/a/0/b~0~1c', text('r')],
    ['"r"', undefined, text('r')],
    ['{"result":1}', '/result', { type: 'none', reason: 'nothing on stdout has a text at /result' }],
    ['{"result":"r"} {}', '/result', { type: 'none', reason: 'stdout is not one JSON document' }],
    ['{"result":"r"', '/result', { type: 'none', reason: 'stdout is not one JSON document' }],
    ['', '/result', { type: 'none', reason: 'stdout is not one JSON document' }],
  ])('of one JSON document %j at %j', (stdout, pointer, expected) => {
    expect(said('json', pointer, stdout)).toEqual(expected);
  });

  test('of a document that is too large is none', () => {
    const final = said(
      'json',
      '/result',
      '{"result":"',
      ...Array.from({ length: 90 }, () => 'x'.repeat(100_000)),
      '"}',
    );
    expect(final).toEqual({ type: 'none', reason: expect.stringContaining(`more than ${DOCUMENT_CHARS}`) });
  });

  test('of lines of JSON is that of the last line that has one; bad lines are counted', () => {
    const lines = ['{"result":"first"}', 'not json', '{"result":"last"}', '{"other":1}', '{"result":7}', '', '{"resu'];
    expect(said('jsonl', '/result', lines.join('\n'))).toEqual(text('last', { malformed: 2 }));
    expect(said('jsonl', '/result', lines.join('\r\n'))).toEqual(text('last', { malformed: 2 }));
    expect(said('jsonl', '/result', '{"a":1}\n')).toEqual({
      type: 'none',
      reason: 'nothing on stdout has a text at /result',
    });
  });

  test('of lines of JSON passes over a line that is too long', () => {
    const long = Array.from({ length: 90 }, () => 'x'.repeat(100_000));
    const final = said('jsonl', '/r', '{"r":"a"}\n{"r":"', ...long, '"}\n{"b":1}\n');
    expect(final).toEqual(text('a', { malformed: 1 }));
  });

  test('does not depend on how the pipe cut the output', () => {
    const whole = '{"r":"one"}\nbad\n{"r":"two\\n"}\n\n{"s":"x"}';
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        for (const format of ['text', 'jsonl'] as const)
          expect(said(format, '/r', ...pieces)).toEqual(said(format, '/r', whole));
      }),
    );
  });

  test('is never a name of JavaScript itself', () => {
    for (const pointer of ['/constructor/name', '/__proto__/toString', '/a/length', '/b/length'])
      expect(said('json', pointer, '{"a":"text","b":[1]}').type).toBe('none');
  });
});

test('WO-11 a mebibyte of hostile lines is read in a moment', () => {
  for (const line of ['\n', '```json\n', '~~~\n```\n', '    ```json\n']) {
    const final = said('text', undefined, `\`\`\`json\n${line.repeat(SAID_CHARS / line.length)}`);
    expect(cpuSeconds(() => expect(readAnswer('implementation', final).type).toBe('invalid'))).toBeLessThan(5);
  }
});

test.each(Object.keys(ANSWERS) as AnswerKind[])('a played answer is a good %s', (answer) => {
  const { input } = playCall({}, { step: 'one', number: 1, answer });
  expect(readAnswer(answer, { type: 'text', text: input, omitted: 0, malformed: 0 })).toMatchObject({ type: 'answer' });
});
