/** Patches of git, read for the lines that they take out. */
import { expect, test } from 'vitest';
import { removedIn } from '../../../src/mind/changes/removed-in.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

test('each commit and file has its own lines; content that looks like a header stays content', () => {
  const patches = [
    A,
    'diff --git a/one.js b/one.js',
    'index 1..2 100644',
    '--- a/one.js',
    '+++ b/one.js',
    '@@ -3,2 +3 @@ function one() {',
    '-first',
    '--- a/fake.js',
    '+added',
    '@@ -9 +8,0 @@',
    '-last',
    '\\ No newline at end of file',
    'diff --git a/with blank.js b/with blank.js',
    '--- a/with blank.js\t',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-gone',
    B,
    'diff --git a/two.js b/two.js',
    '--- /dev/null',
    '+++ b/two.js',
    '@@ -0,0 +1 @@',
    `+${A}`,
  ].join('\n');
  expect(removedIn(patches)).toEqual([
    { commit: A, path: 'one.js', removed: ['first', '-- a/fake.js', 'last'] },
    { commit: A, path: 'with blank.js', removed: ['gone'] },
  ]);
  expect(removedIn('')).toEqual([]);
});
