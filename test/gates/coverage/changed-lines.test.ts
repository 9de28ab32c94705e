/** Which lines a change adds, read from diffs that git printed. */
import { describe, expect, test } from 'vitest';
import { changedLinesOf } from '../../../src/mind/gates/coverage/changed-lines.ts';
import { cpuSeconds } from '../../support/cpu.ts';
import { recorded } from './reports.ts';

describe('changed lines', () => {
  test.each(['changes-u0.diff', 'changes-u3.diff'])(
    'of %s: changed, added and new lines; names in quotes and with spaces; nothing of deleted and binary files',
    (name) => {
      expect(Object.fromEntries(changedLinesOf(recorded(name)))).toEqual({
        'a.txt': [2, 6, 7, 8],
        'b c.txt': [2],
        'd/q"t.js': [1],
        'new.txt': [1, 2],
        // Its lines look like the head of a file and of a hunk.
        'plus.txt': [1, 2, 3, 4],
        'ü.txt': [1, 2],
      });
    },
  );

  test.each([
    ['nothing', ''],
    ['a rename', 'diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n'],
    ['text', 'hello\n+world\n@@ -1 +1 @@\n+x\n'],
    ['a hunk that names no line', 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +x @@\n+x\n'],
    ['lines before the first hunk', 'diff --git a/a b/a\n--- a/a\n+++ b/a\n+x\n'],
  ])('%s: none', (_, diff) => {
    expect([...changedLinesOf(diff)]).toEqual([]);
  });

  test('carriage returns end no line', () => {
    const diff = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\r+y\r\n+z\r\n';
    expect([...changedLinesOf(diff)]).toEqual([['a', [1, 2]]]);
  });

  test('a file that is cut off keeps what is there', () => {
    expect([...changedLinesOf('diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,0 +7,9 @@\n+x\n+y')]).toEqual([
      ['a', [7, 8]],
    ]);
  });

  test('50 MB are read in linear time', () => {
    const diff = (lines: number) =>
      `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n${'+some code here\n'.repeat(lines)}`;
    const [small, large] = [diff(300_000), diff(3_000_000)];
    const seconds = cpuSeconds(() => changedLinesOf(small));
    expect(cpuSeconds(() => expect(changedLinesOf(large).get('a')).toHaveLength(3_000_000))).toBeLessThan(
      seconds * 40 + 1,
    );
  });
});
