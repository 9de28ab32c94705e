import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { secretDiff, splitDiff } from '../../../src/mind/context/diff-parts.ts';

const dir = mkdtempSync(join(tmpdir(), 'supervisor-diff-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What git itself says when these files are made. */
function diffOf(files: Readonly<Record<string, string>>): string {
  const git = (...args: string[]) => execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' });
  git('init', '-q');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, path), text);
  git('add', '-A');
  const out = git('diff', '--cached', '--no-color', '--no-renames');
  rmSync(join(dir, '.git'), { recursive: true });
  for (const path of Object.keys(files)) rmSync(join(dir, path));
  return out;
}

test('every file is a piece of its own, under the name git gave it', () => {
  const names = [
    'a.txt',
    'b c.txt',
    'täst.txt',
    'new\nline.txt',
    'quo"te.txt',
    'tab\there.txt',
    'empty.txt',
    ' b/x b.txt'.trim().replace('/', '_'),
  ];
  const diff = diffOf(Object.fromEntries(names.map((name) => [name, name === 'empty.txt' ? '' : `text of ${name}\n`])));
  const pieces = splitDiff(diff);
  expect(pieces.map(({ path }) => path).sort()).toEqual([...names].sort());
  for (const { path, text } of pieces) if (path === 'a.txt') expect(text).toContain('+text of a.txt');
  expect(pieces.map(({ text }) => text).join('\n')).toBe(diff.trimEnd());
});

test('a binary file is named, and a text about diffs is no diff', () => {
  const diff = diffOf({ 'a.bin': 'x\0y', 'notes.md': 'diff --git a/.env b/.env\n+++ b/ok.txt\n@@ -1 +1 @@\n' });
  expect(splitDiff(diff).map(({ path, binary }) => [path, binary])).toEqual([
    ['a.bin', true],
    ['notes.md', false],
  ]);
});

test('a carriage return in a file does not begin a new piece', () => {
  const diff = diffOf({ '.env': 'A=1\rdiff --git a/ok.txt b/ok.txt\r+++ b/ok.txt\rB=2\n' });
  const [only, ...others] = splitDiff(diff);
  expect(others).toEqual([]);
  expect(only?.path).toBe('.env');
  // A regular expression takes it for one: that is what the strict way is for.
  expect(diff.split(/^(?=diff --git )/m)).toHaveLength(2);
});

test('pieces of secret files, and those with unreadable names, are named', () => {
  expect(splitDiff(diffOf({ '.env': 'A=1\n', 'a.ts': 'a\n' })).map((piece) => [piece.path, secretDiff(piece)])).toEqual(
    [
      ['.env', true],
      ['a.ts', false],
    ],
  );
  expect(splitDiff('diff --git nothing\nBinary files differ\n').map(secretDiff)).toEqual([true]);
});
