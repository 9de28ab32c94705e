/** What all adapters read with: lines of JSON, numbers, failures, times. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CliExit } from '../../src/mind/workers/adapter.ts';
import { classOf, failureOf, knownFailure, statusIn } from '../../src/mind/workers/adapters/failure.ts';
import { at, costOf, sumOf, textAt, tokensAt } from '../../src/mind/workers/adapters/fields.ts';
import { JsonLines } from '../../src/mind/workers/adapters/lines.ts';
import { jsonOf, typeAtStart, withBlock } from '../../src/mind/workers/adapters/listener.ts';
import { resetAtFrom } from '../../src/mind/workers/adapters/reset-at.ts';
import { TextEnd } from '../../src/mind/workers/adapters/text-end.ts';
import { readAnswer } from '../../src/mind/workers/answer.ts';
import { cpuSeconds } from '../support/cpu.ts';

const now = Date.parse('2026-11-15T10:00:00Z');
const ended: CliExit = { exit: { how: 'exit', code: 1 }, now, upstream: null };

function read(pieces: readonly string[], maxChars?: number) {
  const values: unknown[] = [];
  const others: string[] = [];
  const lines = new JsonLines(
    {
      value: (value) => values.push(value),
      skip: (line) => line.startsWith('skip'),
      other: (line) => others.push(line),
    },
    maxChars,
  );
  for (const piece of pieces) lines.add(piece);
  lines.end();
  return { values, others, malformed: lines.malformed };
}

describe('lines of JSON', () => {
  test('are read as they come, the last without its end', () => {
    expect(read(['{"a"', ':1}\n', '\n\r\n  \n[2]\r\nnot\nskip {\n', '3'])).toEqual({
      values: [{ a: 1 }, [2], 3],
      others: ['not'],
      malformed: 1,
    });
  });

  test('are found, whatever is in them', () => {
    const space = fc.stringMatching(/^[ \t\r]{0,5}$/);
    fc.assert(
      fc.property(space, fc.jsonValue(), fc.constantFrom(undefined, 1), space, (before, value, indent, behind) => {
        const text = JSON.stringify(value, null, indent === undefined ? undefined : '\t').replaceAll('\n', '');
        expect(read([`${before}${text}${behind}\n`])).toEqual({ values: [JSON.parse(text)], others: [], malformed: 0 });
      }),
    );
  });

  test('that are too long are counted and skipped, whatever pieces they come in', () => {
    const long = `"${'x'.repeat(98)}"`;
    for (const pieces of [[`1\n${long}x\n2`], ['1\n', ...`${long}x`, '\n2'], ['1\n', long, 'x', '\n', '2']])
      expect(read(pieces, 100)).toMatchObject({ values: [1, 2], malformed: 1 });
    expect(read([`1\n${long}\n2`], 100)).toMatchObject({ values: [1, long.slice(1, -1), 2], malformed: 0 });
  });

  test('of a million pieces take no more time than they have characters', () => {
    const pieces = Array.from({ length: 1_000_000 }, () => 'x'.repeat(4));
    expect(cpuSeconds(() => expect(read(pieces).malformed).toBe(1))).toBeLessThan(10);
  });
});

test('the end of a text is its end', () => {
  const end = new TextEnd(10);
  expect(end.text).toBe('');
  for (let number = 0; number < 5_000; number += 1) end.add(`${number} `);
  expect(end.text).toBe('4998 4999 ');
  end.add('x'.repeat(1_000));
  expect(end.text).toBe('x'.repeat(10));
});

describe('fields', () => {
  test('are own ones, of the right type', () => {
    const value = JSON.parse('{"__proto__":{"b":1},"a":{"b":["x"]},"n":-1}');
    expect(at(value, 'a', 'b', 0)).toBe('x');
    expect(textAt(value, 'a', 'b', 0)).toBe('x');
    expect([at(value, 'b'), at(value, 'toString'), at(value, 'a', 'b', 'length'), at(null, 'a')]).toEqual([
      undefined,
      undefined,
      1,
      undefined,
    ]);
    expect([tokensAt(value, 'n'), tokensAt(value, 'a'), tokensAt({ n: 1.6 }, 'n')]).toEqual([null, null, 2]);
  });

  test('of a cost that cannot be are unknown', () => {
    expect(costOf({ usd: 0.0000014, in: 1, out: 0 })).toEqual({ microusd: 1, tokens_in: 1, tokens_out: 0 });
    for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e200])
      expect(costOf({ usd: wrong, in: wrong, out: wrong })).toEqual(costOf({}));
    expect([sumOf([]), sumOf([null]), sumOf([1, null, 2])]).toEqual([null, null, 3]);
  });
});

describe('failures', () => {
  test.each([
    ['auth', [401, 403]],
    ['quota', [402, 429]],
    ['transient', [408, 409, 425, 500, 502, 503, 504, 529]],
    ['blocked', [301, 400, 404, 413, 422]],
    [null, [0, 100, 200, 204, 600, Number.NaN]],
  ] as const)('%s: %j', (expected, statuses) => {
    for (const status of statuses) expect(classOf(status), `${status}`).toBe(expected);
  });

  test.each([
    ['unexpected status 401 Unauthorized: x', 401],
    ['exceeded retry limit, last status: 429 Too Many Requests', 429],
    ['API Error: 529 {"type":"error"}', 529],
    ['{"error":{"code":429,"message":"x"}}', 429],
    ['HTTP/1.1 503', 503],
    ['status code 500', 500],
    ['line 404 of 500', null],
    ['error 40000', null],
  ])('%j has the status %j', (text, status) => {
    expect(statusIn(text)).toBe(status);
  });

  test('words mean more than the status they come with, and that more than what the proxy saw', () => {
    const upstream = { status: 500, resetAt: now + 9 };
    const of = (status: number | null, text: string) => failureOf(status, text, { ...ended, upstream });
    expect(of(400, 'Your credit balance is too low')).toMatchObject({ class: 'quota', status: 400, resetAt: now + 9 });
    expect(of(401, 'no')).toMatchObject({ class: 'auth', status: 401, resetAt: null });
    expect(of(null, 'something')).toMatchObject({ class: 'transient', status: 500, reason: 'something' });
    expect(of(null, '')).toMatchObject({ reason: "the model's server answered 500" });
    expect(failureOf(null, '', ended)).toMatchObject({
      class: 'unknown',
      reason: 'it reports a failure without a reason',
    });
    expect(knownFailure(null, 'something', ended)).toBeNull();
  });

  test('have a reason of one line that acts on no terminal', () => {
    const { reason } = failureOf(500, `a\nb\u001b[2J${'c'.repeat(10_000)}`, ended);
    expect(reason).toMatch(/^a b\\u001b\[2Jc+…$/);
    expect(reason.length).toBeLessThanOrEqual(500);
  });

  test('are found in linear time', () => {
    for (const part of ['again ', 'resets ', 'retry in 1s ', 'status ', 'error: ', '1 d ', 'a', ' ', 'limit reached '])
      expect(
        cpuSeconds(() => knownFailure(null, part.repeat(1 << 20).slice(0, 1 << 20), ended)),
        part,
      ).toBeLessThan(5);
  });
});

describe('the time of a reset', () => {
  test.each([
    ['Claude AI usage limit reached|1794740400', '2026-11-15T11:00:00.000Z'],
    ['"resets_at": 1794740400', '2026-11-15T11:00:00.000Z'],
    ['"resets_at": 1794740400000', '2026-11-15T11:00:00.000Z'],
    ['resets at 2026-11-15T12:00:00Z', '2026-11-15T12:00:00.000Z'],
    ['blocked until 2026-11-15 12:00 UTC', '2026-11-15T12:00:00.000Z'],
    ['resets at 2026-11-15T12:00:00+02:00', '2026-11-15T10:00:00.000Z'],
    ['try again in 3 days 4 hours 5 minutes', '2026-11-18T14:05:00.000Z'],
    ['Please retry in 12.5s.', '2026-11-15T10:00:12.500Z'],
    ['Please try again in 6m0s', '2026-11-15T10:06:00.000Z'],
    ['"retryDelay": "34s"', '2026-11-15T10:00:34.000Z'],
    ['quota will reset after 18h31m10s.', '2026-11-16T04:31:10.000Z'],
    ['"resets_in_seconds": 90', '2026-11-15T10:01:30.000Z'],
    ['Retry-After: 20', '2026-11-15T10:00:20.000Z'],
    ["You've hit your limit · resets 3pm (UTC)", '2026-11-15T15:00:00.000Z'],
    ['resets 3pm (Europe/Berlin)', '2026-11-15T14:00:00.000Z'],
    ['Your limit will reset at 4pm (Asia/Tokyo)', '2026-11-16T07:00:00.000Z'],
    ['resets at 15:30', '2026-11-15T15:30:00.000Z'],
    ['resets 9am', '2026-11-16T09:00:00.000Z'],
    ['try again at 3:45 PM.', '2026-11-15T15:45:00.000Z'],
    ['Try again at Nov 20th, 2026 3:45 PM.', '2026-11-20T15:45:00.000Z'],
    ['resets Nov 20, 5pm (America/New_York)', '2026-11-20T22:00:00.000Z'],
  ])('%j', (text, expected) => {
    // One that is just now is over.
    const found = resetAtFrom(text, expected === '2026-11-15T10:00:00.000Z' ? now - 1 : now);
    expect(found === null ? null : new Date(found).toISOString()).toBe(expected);
  });

  test.each([
    'try again in a moment',
    'resets yesterday',
    'resets 99pm',
    'resets 12:99',
    'again in 99999 days',
    'resets Jan 2',
    'limit reached|1600000000',
    'resets 3pm (No/Where)',
    'retry 3',
    '',
  ])('is not in %j', (text) => {
    expect(resetAtFrom(text, now)).toBeNull();
  });
});

describe('a line', () => {
  test('names its type at its start, or has to be parsed', () => {
    expect(typeAtStart('{"type":"assistant","x":1}')).toBe('assistant');
    for (const line of [
      '{"x":1,"type":"a"}',
      '{ "type":"a"}',
      '{"type":7}',
      '{"type":"a',
      `{"type":"${'x'.repeat(99)}"}`,
    ])
      expect(typeAtStart(line)).toBeNull();
  });
});

describe('structured output', () => {
  const good = { status: 'SUCCESS', action_taken: 'a ``` b\n```' };
  const parsed = (text: string) => readAnswer('implementation', { type: 'text', text, omitted: 0, malformed: 0 });

  test.each([
    ['beside words', 'All done.'],
    ['instead of its own text', JSON.stringify(good)],
    ['after a fence that is left open', 'So:\n```sh\nls'],
    ['after a block that is left open', 'So:\n```json\n{"status"'],
    ['after other blocks', 'So:\n```sh\nls\n```\n'],
    ['beside nothing', ''],
  ])('%s becomes the answer', (_, text) => {
    expect(parsed(withBlock(text, good))).toMatchObject({ type: 'answer', answer: good });
  });

  test('is not made of what is none', () => {
    for (const value of [undefined, null, 'x', 7]) expect(withBlock('text', value)).toBe('text');
    let nested: unknown = {};
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    expect(withBlock('text', nested)).toBe('text');
    expect([jsonOf('{"a":1} x'), jsonOf('[1]'), jsonOf('{')]).toEqual([undefined, undefined, undefined]);
  });
});
