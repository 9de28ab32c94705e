/** Ids: safe in a path, a ref, a shell line and a terminal. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idFrom, isId } from '../../src/kernel/ids.ts';

describe('an id', () => {
  test.each(['a', '0', 't-1', 'a_b-c', 'x'.repeat(64)])('may be %s', (text) => {
    expect(isId(text)).toBe(true);
  });

  test.each(['', '-a', '_a', 'A', 'ä', 'a b', 'a/b', 'a.b', '..', 'a\n', 'a\0', '__proto__', 'x'.repeat(65)])(
    'may not be %j',
    (text) => {
      expect(isId(text)).toBe(false);
    },
  );

  test('holds nothing but lower-case letters, digits, - and _', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(isId(text)).toBe(/^[a-z0-9][a-z0-9_-]*$/.test(text) && text.length <= 64 && !text.includes('\n'));
      }),
    );
  });
});

describe('an id made from bytes', () => {
  test('is the same for the same bytes, and follows the grammar', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 16 }), (bytes) => {
        const id = idFrom('t', bytes);
        expect(id).toBe(idFrom('t', bytes));
        expect(isId(id)).toBe(true);
        expect(id).toHaveLength(2 + bytes.length);
      }),
    );
  });

  test('gives each of 32 letters the same chance', () => {
    const letters = [
      ...idFrom(
        't',
        Uint8Array.from({ length: 256 }, (_, n) => n),
      ).slice(2),
    ];
    const counts = Map.groupBy(letters, (letter) => letter);
    expect(counts.size).toBe(32);
    expect([...counts.values()].every((same) => same.length === 8)).toBe(true);
  });

  test('uses no letters that people mix up', () => {
    expect(
      idFrom(
        't',
        Uint8Array.from({ length: 32 }, (_, n) => n),
      ).slice(2),
    ).not.toMatch(/[ilou]/);
  });
});
