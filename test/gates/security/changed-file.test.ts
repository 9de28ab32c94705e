/** Which lines a change adds: exact for ordinary changes, linear for hostile ones. */
import { describe, expect, test } from 'vitest';
import { type AddedLine, addedLines } from '../../../src/mind/changes/changed-file.ts';
import { growth } from '../../../src/mind/gates/security/changed-file.ts';
import { cpuSeconds } from '../../support/cpu.ts';

const added = (before: string | null, after: string | null) =>
  addedLines({ path: 'a', before, after }).map(({ line, text }: AddedLine) => `${line} ${text}`);

describe('the added lines', () => {
  test.each([
    ['a new file', null, 'a\nb\n', ['1 a', '2 b']],
    ['a deleted file', 'a\n', null, []],
    ['nothing changed', 'a\nb\n', 'a\nb\n', []],
    ['a line in the middle', 'a\nc\n', 'a\nb\nc\n', ['2 b']],
    ['a changed line', 'a\nb\nc\n', 'a\nB\nc\n', ['2 B']],
    ['a removed line', 'a\nb\nc\n', 'a\nc\n', []],
    ['the second of two equal lines', 'a\n', 'a\na\n', ['2 a']],
    ['a block that moved down', 'x\ny\na\nb\nc\n', 'a\nb\nc\nx\ny\n', ['4 x', '5 y']],
    ['other line ends', 'a\nb\n', 'a\r\nb\r\n', []],
    ['no line end at the end', 'a\nb', 'a\nb\n', []],
  ])('%s', (_, before, after, lines) => expect(added(before, after)).toEqual(lines));
});

test('on random changes the rest is a part of the old text', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  for (let round = 0; round < 400; round += 1) {
    const lines = (size: number) => Array.from({ length: size }, () => 'abcd'[random(4)] ?? '');
    const [before, after] = [lines(random(12)), lines(random(12))];
    const places = new Set(
      addedLines({ path: 'a', before: before.join('\n'), after: after.join('\n') }).map((one) => one.line),
    );
    const kept = after.filter((_, n) => !places.has(n + 1));
    let at = 0;
    for (const line of before) if (line === kept[at]) at += 1;
    expect(at).toBe(kept.length);
  }
});

test('texts with little in common are compared in linear time, and the new lines are still found', () => {
  const text = (from: number) =>
    Array.from({ length: 60_000 }, (_, n) => `line ${(n * 7919 + from) % 60_011}`).join('\n');
  const spent = cpuSeconds(() => {
    const lines = added(text(0), `${text(31)}\neval(input)\n`);
    expect(lines.at(-1)).toBe('60001 eval(input)');
  });
  expect(spent).toBeLessThan(2);
});

test('a line that moved to another file has not grown', () => {
  const files = [
    { path: 'a.js', before: 'eval(x)\n', after: '' },
    { path: 'b.js', before: '', after: '  eval(x)\n  eval(y)\n' },
  ];
  expect([...growth(files, new Set(['eval(x)', 'eval(y)']))]).toEqual([
    ['eval(x)', 0],
    ['eval(y)', 1],
  ]);
});
