/** The facts of a change equal those of an independent program: git counts the lines, the table tells the rest. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { changeFactsOf } from '../../../src/mind/approvals/change-facts.ts';

const dir = mkdtempSync(join(tmpdir(), 'facts-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

type Side = string | null;
const measure = (
  files: Readonly<Record<string, readonly [before: Side, after: Side]>>,
  unread: readonly string[] = [],
) =>
  changeFactsOf({
    changed: Object.entries(files).map(([path, [before, after]]) => ({
      path,
      before: before === null ? null : `100644 ${'1'.repeat(40)}`,
      after: after === null ? null : `100644 ${'2'.repeat(40)}`,
    })),
    files: Object.entries(files).map(([path, [before, after]]) =>
      unread.includes(path) ? { path, before: null, after: null } : { path, before, after },
    ),
    testPaths: ['test/**'],
    offered: new Set(),
    classes: [],
  });

/** What git says of two files. `--minimal`: the fewest lines that there are. */
function numstat(before: string, after: string): { added: number; removed: number } {
  writeFileSync(join(dir, 'a'), before);
  writeFileSync(join(dir, 'b'), after);
  let out = '';
  try {
    out = execFileSync('git', ['diff', '--no-index', '--minimal', '--numstat', 'a', 'b'], {
      cwd: dir,
      encoding: 'utf8',
    });
  } catch (error) {
    out = String((error as { stdout: string }).stdout);
  }
  const [added = '0', removed = '0'] = out.split('\t');
  return { added: Number(added), removed: Number(removed) };
}

describe('lines', () => {
  const line = fc.constantFrom('a', 'b', 'c', '  d', '}', '', 'return 1;');
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, end, whole]) => lines.join(end) + (whole && lines.length > 0 ? end : ''));

  test('net and order agree with git for 150 random texts, and no count is below the fewest', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const git = numstat(before, after);
        const { lines_added, lines_removed } = measure({ 'x.txt': [before, after] });
        expect((lines_added ?? 0) - (lines_removed ?? 0)).toBe(git.added - git.removed);
        expect(lines_added).toBeGreaterThanOrEqual(git.added);
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ['a new file', '', 'a\nb\n'],
    ['an edit in the middle', 'a\nb\nc\n', 'a\nx\nc\n'],
    ['a block moved', 'a\nb\nc\nd\n', 'c\nd\na\nb\n'],
    ['other line ends', 'a\nb\n', 'a\r\nb\r\n'],
    ['the last line end is gone', 'a\nb\n', 'a\nb'],
    ['nothing', 'a\n', 'a\n'],
  ])('%s: as git counts', (_, before, after) => {
    const { lines_added, lines_removed } = measure({ 'x.txt': [before, after] });
    expect({ added: lines_added, removed: lines_removed }).toEqual(numstat(before, after));
  });
});

describe('the rest', () => {
  const api = 'export function add(a: number, b: number): number {\n  return a + b;\n}\n';
  test.each([
    ['an ordinary edit', { 'src/sum.ts': [api, api.replace('a + b', 'b + a')] }, { breaking: false, classes: [] }],
    ['an export that is gone', { 'src/sum.ts': [`${api}export const x = 1;\n`, api] }, { breaking: true }],
    [
      'a signature that wants more',
      { 'src/sum.ts': [api, api.replace('b: number', 'b: number, c: number')] },
      { breaking: true },
    ],
    [
      'a class of paths',
      { 'src/auth/login.ts': [null, 'export const a = 1;\n'] },
      { classes: ['auth'], file_count: 1 },
    ],
    ['a lock file', { 'package-lock.json': ['{}', '{ }'] }, { lock_file: true }],
    ['no lock file', { 'src/lock.ts': [null, ''] }, { lock_file: false }],
    [
      'two new packages',
      { 'package.json': ['{"dependencies":{"a":"1.0.0"}}', '{"dependencies":{"a":"1.0.0","b":"1.0.0","c":"2.0.0"}}'] },
      { new_dependencies: 2 },
    ],
    ['a package that is gone', { 'package.json': ['{"dependencies":{"a":"1.0.0"}}', '{}'] }, { new_dependencies: 0 }],
  ] as const)('%s', (_, files, wanted) => {
    expect(measure(files as never)).toMatchObject(wanted);
  });

  test('an unreadable fact is unknown, and never zero', () => {
    const png = measure({ 'logo.png': ['x', 'y'], 'src/a.ts': [null, 'const a = 1;\n'] }, ['logo.png']);
    expect(png).toMatchObject({ lines_added: null, lines_removed: null, breaking: false, new_dependencies: 0 });
    expect(measure({ 'src/a.ts': ['x', 'y'] }, ['src/a.ts']).breaking).toBeNull();
    expect(measure({ 'package.json': ['{}', '{}'] }, ['package.json']).new_dependencies).toBeNull();
  });
});
