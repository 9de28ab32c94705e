/** Hashes and the links of a chain. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertNever } from '../../src/kernel/assert-never.ts';
import { chainHash, GENESIS, sha256 } from '../../src/kernel/hash.ts';
import { rejected } from '../../src/kernel/result.ts';

describe('sha256', () => {
  test('gives the published values in lower-case hex', () => {
    expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('reads a string as its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(sha256(text)).toBe(sha256(new TextEncoder().encode(text)));
      }),
    );
  });
});

describe('a chain of hashes', () => {
  test('starts from 64 zeros', () => {
    expect(GENESIS).toBe('0'.repeat(64));
  });

  test('links the bytes of the link before, then the text', () => {
    const bytes = Buffer.concat([Buffer.from(GENESIS, 'hex'), Buffer.from('first')]);
    expect(chainHash(GENESIS, 'first')).toBe(sha256(bytes));
  });

  test('ends elsewhere when a text is changed, left out or moved', () => {
    const end = (texts: readonly string[]) => texts.reduce(chainHash, GENESIS);
    const texts = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.nat(), (list, n) => {
        const at = n % list.length;
        const others = [list.with(at, `${list[at]}!`), list.toSpliced(at, 1), [...list.slice(1), list[0] as string]];
        for (const other of others) expect(end(other)).not.toBe(end(list));
      }),
    );
  });
});

test('a refusal is a value with a code for programs and a sentence for people', () => {
  expect(rejected('unknown_task', 'no task t-1')).toEqual({
    type: 'rejected',
    code: 'unknown_task',
    message: 'no task t-1',
  });
});

test('a case that was never meant to be is loud and names itself', () => {
  expect(() => assertNever({ at: 'nowhere' } as never, 'place')).toThrow(
    new Error('unexpected place: {"at":"nowhere"}'),
  );
});
