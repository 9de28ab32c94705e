/** Words for people: the name that was probably meant, and text that can do a terminal no harm. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/kernel/nearest.ts';
import { terminalLine, terminalText } from '../../src/kernel/terminal-text.ts';

describe('the nearest name', () => {
  const known = ['status', 'start', 'show', 'cancel'];

  test.each([
    ['statsu', 'status'],
    ['tatus', 'status'],
    ['cancell', 'cancel'],
    ['status', 'status'],
    ['xyz', null],
    ['', null],
  ])('to %j is %j', (name, meant) => {
    expect(nearest(name, known)).toBe(meant);
  });

  test('is the first of equals, and none among none', () => {
    expect(nearest('b', ['a', 'c'])).toBe('a');
    expect(nearest('b', [])).toBeNull();
  });

  test('is found without effort for names of any length', () => {
    expect(nearest('x'.repeat(1e6), known)).toBeNull();
  });
});

describe('text for a terminal', () => {
  test.each([
    ['\u001b[31mred', '\\u001b[31mred'],
    ['a\rb', 'a\\u000db'],
    ['\u202eevil', '\\u202eevil'],
    ['\u009b1m', '\\u009b1m'],
    ['tab\tand\nline', 'tab\tand\nline'],
    ['plain ä 你 😀', 'plain ä 你 😀'],
  ])('shows %j as %j', (text, shown) => {
    expect(terminalText(text)).toBe(shown);
  });

  test('holds no control character, whatever came in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(terminalText(text)).not.toMatch(/(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  test('can be cut to one line of a width', () => {
    expect(terminalLine('  a\n\n b\t c ')).toBe('a b c');
    expect(terminalLine('abcdef', 4)).toBe('abc…');
    expect(terminalLine('abcd', 4)).toBe('abcd');
  });
});
