/** The pure judgements on names, links and raw diffs. */
import { expect, test } from 'vitest';
import { caseCollisions } from '../../src/mind/candidates/collisions.ts';
import { linkProblem } from '../../src/mind/candidates/links.ts';
import { isDotGit, nameProblem, shown, textOf } from '../../src/mind/candidates/names.ts';
import { changeId, parseRawDiff } from '../../src/mind/candidates/raw-diff.ts';

test.each([
  '.git',
  '.GIT',
  '.Git.',
  '.git ',
  '.git. .',
  '.git::$INDEX_ALLOCATION',
  'GIT~1',
  '.g\u200dit',
  '\ufeff.git',
])('%j is .git somewhere', (name) => expect(isDotGit(Buffer.from(name).toString('latin1'))).toBe(true));
test.each(['.gitignore', '.github', 'git', '.git2', 'a.git', 'git~2', '..git', '.gi t'])('%j is not .git', (name) =>
  expect(isDotGit(name)).toBe(false),
);

test('names are byte strings and stay what they are', () => {
  expect([textOf('caf\xc3\xa9'), textOf('caf\xe9'), shown('caf\xe9')]).toEqual(['caf\u00e9', null, 'caf\\xe9']);
  expect([nameProblem('a/b c'), nameProblem('caf\xc3\xa9')]).toEqual([null, null]);
  expect(nameProblem('a\x7f')).toContain('control');
});

const links = new Map([
  ['a/k', '.'],
  ['out', '../..'],
  ['x', 'y'],
  ['y', 'x'],
]);
test.each([
  ['l', 'file', null],
  ['a/b/l', '../../file', null],
  ['a/b/l', '../../../file', 'out of the tree'],
  ['a/l', 'k/../../x', 'behind a name'],
  ['l', '/etc/passwd', 'absolute'],
  ['l', 'out/x', 'through another link'],
  ['x', 'y', 'itself'],
  ['l', 'x/z', 'itself'],
  ['a/l', '.', 'itself'],
  ['a/l', '..', 'itself'],
  ['l', 'a/k/z', null],
])('link %s -> %s: %s', (path, target, expected) => {
  const problem = linkProblem(path, target, links);
  if (expected === null) expect(problem).toBe(null);
  else expect(problem).toContain(expected);
});

test('only new collisions count, directories included', () => {
  const all = ['README', 'readme', 'Docs/a', 'docs/b', 'x'];
  expect(caseCollisions(all, new Set(['x']))).toEqual([]);
  expect(caseCollisions(all, new Set(['docs/b']))).toEqual([{ path: 'docs/b', with: 'Docs' }]);
  expect(caseCollisions(all, new Set(['README']))).toEqual([{ path: 'README', with: 'readme' }]);
});

test('a raw diff is read, and names the change by its bytes', () => {
  const [a, b] = ['1'.repeat(40), '0'.repeat(40)];
  const raw = `:100644 000000 ${a} ${b} D\0caf\xe9\0:000000 120000 ${b} ${a} A\0l\0`;
  expect(parseRawDiff(raw)).toEqual([
    { path: 'caf\xe9', before: { mode: '100644', id: a }, after: null },
    { path: 'l', before: null, after: { mode: '120000', id: a } },
  ]);
  expect(changeId('\xe9')).toBe('de2e331d891ae267a7009cb45b4e8830f170e0c937288ea2731a1941c7a53b0d');
  expect(() => parseRawDiff(':nonsense\0x\0')).toThrow('not understood');
});
