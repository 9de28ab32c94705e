/** Words for people: the name that was probably meant, and text that can do a terminal no harm. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/kernel/nearest.ts';
import { terminalJson, terminalLine, terminalText } from '../../src/kernel/terminal-text.ts';

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
    ['ok\u{e0049}\u{e006e}', 'ok\\u{e0049}\\u{e006e}'],
    ['a\u{e0100}\u{1d173}\u{13430}', 'a\\u{e0100}\\u{1d173}\\u{13430}'],
    ['pay\u00adload\u3164\u034f\u180e', 'pay\\u00adload\\u3164\\u034f\\u180e'],
    ['\ud800 \u{10ffff}', '\\ud800 \\u{10ffff}'],
    ['👨\u200d👩\u200d👧 ⚠\ufe0f 1\ufe0f\u20e3 👍🏽', '👨\u200d👩\u200d👧 ⚠\ufe0f 1\ufe0f\u20e3 👍🏽'],
    // Smuggled behind an emoji: one selector belongs to it, the rest spells bytes; a joiner joins nothing.
    ['😀\ufe0f\ufe01\u{e0120}😀\u200d.', '😀\ufe0f\\ufe01\\u{e0120}😀\\u200d.'],
    ['🏴\u{e0067}\u{e007f}', '🏴\\u{e0067}\\u{e007f}'],
    ['a1\ufe0f', 'a1\\ufe0f'],
  ])('shows %j as %j', (text, shown) => {
    expect(terminalText(text)).toBe(shown);
  });

  test('holds no control character, whatever came in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(terminalText(text)).not.toMatch(/(?![\t\n])\p{Cc}|\p{Bidi_Control}|[\u{e0000}-\u{e0fff}]/u);
      }),
    );
  });

  test('JSON keeps its value, and no character of it acts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = terminalJson({ text: `${text}\u009b\u{e0041}` }, 2);
        expect(JSON.parse(json)).toEqual({ text: `${text}\u009b\u{e0041}` });
        expect(json).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}|[\u{e0000}-\u{e0fff}]/u);
      }),
    );
  });

  test('can be cut to one line of a width', () => {
    expect(terminalLine('  a\n\n b\t c ')).toBe('a b c');
    expect(terminalLine('abcdef', 4)).toBe('abc…');
    expect(terminalLine('abcd', 4)).toBe('abcd');
    expect(terminalLine('ab😀d', 4)).toBe('ab…');
  });
});
