/** Tokens: the counter agrees with the library it gets its vocabulary from, the estimate is near it, factors are named. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { countTokens as libraryCount } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CountTokens, loadCounter, packedVocabulary } from '../../src/mind/tokens/count.ts';
import { estimateTokens } from '../../src/mind/tokens/estimate.ts';
import { factorOf } from '../../src/mind/tokens/factor.ts';
import { openVocabulary } from '../../src/mind/tokens/vocabulary.ts';

const ROOT = join(import.meta.dirname, '../..');
const samples = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .filter((_, n) => n % 5 === 0)
  .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
const expected = (text: string): number => libraryCount(text, { disallowedSpecial: new Set() });

let packed: Uint8Array;
let count: CountTokens;
beforeAll(async () => {
  packed = await packedVocabulary();
  count = await loadCounter(packed);
});

describe('the counter', () => {
  test('counts as the library does: files of this project', () => {
    expect(samples.length).toBeGreaterThan(50);
    for (const text of samples) expect(count(text)).toBe(expected(text));
  });

  test('and any text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.array(fc.constantFrom('the ', 'Camel', 'CASE', '123', '\n\n', '  ', '\t', '==', '漢字', '😀', "'ll", '/'), {
        maxLength: 60,
      }),
    );
    fc.assert(
      fc.property(text, (one) => {
        const whole = typeof one === 'string' ? one : one.join('');
        expect(count(whole)).toBe(expected(whole));
      }),
    );
  });

  test('signs beyond ASCII are cut as the library cuts them, alone and among letters that are not ASCII', () => {
    const signs = [
      ...'…–—“”→≥─✓',
      'é',
      '½',
      '①',
      'Ⅷ',
      '\u00a0',
      '\u2028',
      '\u0301',
      'a',
      'B',
      '7',
      ' ',
      '\n',
      '/',
      "'s",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 40 }), (pieces) => {
        expect(count(pieces.join(''))).toBe(expected(pieces.join('')));
      }),
      { numRuns: 500 },
    );
    for (let code = 0x80; code < 0x2800; code += 1) {
      const text = `a${String.fromCharCode(code)}b 1${String.fromCharCode(code)}\n`;
      expect(count(text), code.toString(16)).toBe(expected(text));
    }
  });

  test('takes special tokens for plain text, where the library on its own would throw', () => {
    const text = 'a <|endoftext|> b <|im_start|>system';
    expect(() => libraryCount(text)).toThrow(/special token/);
    expect(count(text)).toBe(expected(text));
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('long runs are counted in parts, and as many as they are', () => {
    // The library itself takes 0.1 s for these and the square of it for more.
    for (const [unit, length] of [
      [' ', 8000],
      ['\n', 8000],
      ['a', 8000],
      ['=', 8000],
      ['漢', 2000],
      ['😀', 2000],
    ] as const) {
      const text = unit.repeat(length);
      expect(count(text)).toBeGreaterThanOrEqual(expected(text));
      expect(count(text)).toBeLessThanOrEqual(expected(text) + length / 128);
    }
    expect(count('x'.repeat(1 << 20))).toBeGreaterThan(100_000);
  });

  test('counts the same from the packed vocabulary and from the library', async () => {
    const slow = await loadCounter();
    expect(samples.map(slow)).toEqual(samples.map(count));
  });

  test('what is no vocabulary is not taken for one; then the library is asked', async () => {
    const bad = [new Uint8Array(), packed.subarray(1), packed.subarray(0, packed.length - 1), new Uint8Array(5000)];
    expect(openVocabulary(packed)).not.toBeNull();
    for (const bytes of bad) expect(openVocabulary(bytes)).toBeNull();
    expect((await loadCounter(bad[2]))('hello world')).toBe(2);
  });
});

describe('the estimate', () => {
  test('is near the count', () => {
    const errors = samples.map((text) => Math.abs(estimateTokens(text) / count(text) - 1)).sort((a, b) => a - b);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.1);
    expect(errors[Math.floor(errors.length * 0.95)]).toBeLessThan(0.25);
    const all = samples.join('');
    expect(Math.abs(estimateTokens(all) / count(all) - 1)).toBeLessThan(0.1);
  });

  test('is the same for a text and its bytes, never negative, and 0 for nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(estimateTokens(text)).toBe(estimateTokens(new TextEncoder().encode(text)));
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(0);
      }),
    );
    expect(estimateTokens('')).toBe(0);
  });
});

test.each([
  ['codex', null, 1, true],
  ['codex', 'gpt-5.1-codex', 1, true],
  ['opencode', 'openai/gpt-5', 1, true],
  ['claude', null, 1.53, true],
  ['claude', 'opus', 1.53, true],
  ['claude', 'claude-opus-4-7', 1.53, true],
  ['claude', 'claude-sonnet-4-5-20250929', 1.18, true],
  ['claude', 'claude-sonnet-4-20250514', 1.18, true],
  ['claude', 'claude-3-5-haiku-20241022', 1.18, true],
  ['claude', 'claude-opus-5', 1.53, true],
  ['cursor', 'claude-opus-4-6', 1.18, true],
  ['gemini', null, 1.53, false],
  ['gemini', 'gemini-2.5-pro', 1.53, false],
  ['http', 'some-model', 1.53, false],
])('%s with model %s counts %d times as many, known: %s', (cli, model, factor, known) => {
  expect(factorOf(cli, model)).toEqual({ factor, known });
});
