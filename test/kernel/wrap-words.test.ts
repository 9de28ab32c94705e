import { expect, test } from 'vitest';
import { textWidth } from '../../src/kernel/text-width.ts';
import { wrapBeside, wrapWords } from '../../src/kernel/wrap-words.ts';

test('lines break at words, and go on indented', () => {
  expect(wrapWords('one two three four', 9, 2)).toBe('one two\n  three\n  four');
  expect(wrapWords('short', 9)).toBe('short');
});

test('the indentation of a line stays, and lines of their own stay lines', () => {
  expect(wrapWords('    alpha beta\ngamma', 11)).toBe('    alpha\nbeta\ngamma');
});

test('blanks between columns stay, and where a line goes on there are none', () => {
  expect(wrapWords('  name      one two   three', 17, 12)).toBe('  name      one\ntwo   three');
  expect(wrapWords('  name      one two   three', 17, 8)).toBe('  name      one\n        two\n        three');
});

test('no line is wider than asked, but for a word that is', () => {
  const text = 'the 日本語 name of a file-that-is-far-too-long-for-any-terminal and more';
  for (const line of wrapWords(text, 20, 4).split('\n'))
    expect(textWidth(line) <= 20 || !line.trim().includes(' ')).toBe(true);
});

test('an indentation of half the width or more is given up', () => {
  expect(wrapWords('alpha beta', 8, 4)).toBe('alpha\nbeta');
});

test('a body goes on below itself, and has lines of its own where it does not fit beside its head', () => {
  expect(wrapBeside('  name', 'one two', 40)).toBe(' one two');
  expect(wrapBeside('  name', 'one two three\nfour', 16)).toBe(' one two\n       three\nfour');
  expect(wrapBeside('  name', 'a-word-of-18-chars', 20)).toBe('\n    a-word-of-18-chars');
  expect(wrapBeside('  a long name', 'one two three', 20)).toBe('\n    one two three');
});
