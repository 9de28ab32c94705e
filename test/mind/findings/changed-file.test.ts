/** Which lines are new and which are gone, and what counts as an insertion only. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addedLines, type ChangedFile, removedLines } from '../../../src/mind/changes/changed-file.ts';
import { isPureInsertion } from '../../../src/mind/findings/pure-insertion.ts';
import { cpuSeconds } from '../../support/cpu.ts';
import '../../support/property-seed.ts';
import { file } from './ask.ts';

test('lines of a new, a deleted and a changed file', () => {
  expect(addedLines(file('a', null, 'x\ny\n'))).toEqual([
    { line: 1, text: 'x' },
    { line: 2, text: 'y' },
  ]);
  expect(removedLines(file('a', 'x\n', null))).toEqual([{ line: 1, text: 'x' }]);
  const changed = file('a', 'a\nb\nc\n', 'a\nB\nc\nd\n');
  expect(addedLines(changed)).toEqual([
    { line: 2, text: 'B' },
    { line: 4, text: 'd' },
  ]);
  expect(removedLines(changed)).toEqual([{ line: 2, text: 'b' }]);
  expect(addedLines(file('a', 'a\r\nb\r\n', 'a\nb\n'))).toEqual([]);
});

test('property: what is kept is the same on both sides, and in the same order', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 60 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changed = file('a', before, after);
      const rest = (side: string, gone: readonly { line: number }[]) => {
        const lines = new Set(gone.map(({ line }) => line));
        return side
          .split('\n')
          .slice(0, -1)
          .filter((_, i) => !lines.has(i + 1));
      };
      expect(rest(before, removedLines(changed))).toEqual(rest(after, addedLines(changed)));
    }),
    { numRuns: 300 },
  );
});

test('a megabyte is compared in time that grows with its length', () => {
  const hostile: ((n: number) => ChangedFile)[] = [
    (n) => file('a', 'a\n'.repeat(n), 'b\n'.repeat(n)),
    (n) => file('a', 'a\nb\n'.repeat(n / 2), 'b\nb\na\n'.repeat(n / 3)),
    (n) =>
      file(
        'a',
        Array.from({ length: n / 6 }, (_, i) => i).join('\n'),
        Array.from({ length: n / 6 }, (_, i) => n - i).join('\n'),
      ),
    (n) =>
      file(
        'a',
        Array.from({ length: n / 6 }, (_, i) => i % 97).join('\n'),
        Array.from({ length: n / 6 }, (_, i) => i % 89).join('\n'),
      ),
  ];
  for (const make of hostile) expect(cpuSeconds(() => addedLines(make(500_000)))).toBeLessThan(3);
});

describe('insertions', () => {
  const js = `import { test, expect } from 'vitest';
import { add } from './a.js';
test('adds', () => {
  expect(add(1, 2)).toBe(3);
});
`;
  const more = "test('more', () => {\n  expect(add(2, 2)).toBe(4);\n});\n";
  const go =
    'package a\n\nfunc TestA(t *testing.T) {\n\tcases := []int{\n\t\t1,\n\t}\n\tfor _, c := range cases {\n\t\tt.Error(c)\n\t}\n}\n';
  test.each<[string, string, string]>([
    ['a test at the end', js, js + more],
    ['a test between others', js + more, js + more.replace('more', 'other') + more],
    ['a longer import', js, `${js.replace('{ add }', '{ add, sub }')}${more}`],
    ['one more assertion', js, js.replace('toBe(3);\n', 'toBe(3);\n  expect(add(0, 0)).toBe(0);\n')],
    ['one more case of a table', go, go.replace('\t\t1,\n', '\t\t1,\n\t\t2,\n')],
  ])('%s is one', (_, before, after) => {
    expect(isPureInsertion(file(before === go ? 'a_test.go' : 'a.test.js', before, after))).toBe(true);
  });
  test.each<[string, string, string]>([
    ['nothing', js, js],
    ['a changed value', js, js.replace('toBe(3)', 'toBe(4)') + more],
    ['an assertion gone', js, js.replace('  expect(add(1, 2)).toBe(3);\n', '') + more],
    ['a skip', js, js.replace("test('adds'", "test.skip('adds'") + more],
    ['an only', js, js + more.replace('test(', 'test.only(')],
    ['a return before the assertions', js, js.replace('=> {\n', '=> {\n  return;\n')],
    ['a test commented out by what is around it', js, `${js.replace("test('adds'", "/*\ntest('adds'")}*/\n`],
    ['an exit', js, `${js}process.exit(0);\n`],
    ['another import', js, js.replace("from './a.js'", "from './fake.js'")],
    ['a group that is skipped', js, `${js.replace("test('adds'", "describe.skip('x', () => {\ntest('adds'")}});\n`],
    ['a mock of what is tested', js, js.replace("test('adds'", "vi.mock('./a.js');\ntest('adds'")],
  ])('%s is none', (_, before, after) => {
    expect(isPureInsertion(file('a.test.js', before, after))).toBe(false);
  });
  test('a new file and a deleted one are none', () => {
    expect(isPureInsertion(file('a.test.js', null, js))).toBe(false);
    expect(isPureInsertion(file('a.test.js', js, null))).toBe(false);
  });
});
