/** The pure judgements on names, links and raw diffs. */
import { expect, test } from 'vitest';
import { caseCollisions } from '../../src/mind/candidates/collisions.ts';
import { linkJudge } from '../../src/mind/candidates/links.ts';
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

const HIDDEN: readonly (readonly [what: string, character: string])[] = [
  ['a tag', '\u{e0041}'],
  ['the tag of a language', '\u{e0001}'],
  ['a variation selector of the supplement', '\u{e0100}'],
  ['a variation selector behind no emoji', '\ufe0f'],
  ['a musical format control', '\u{1d173}'],
  ['an Egyptian format control', '\u{13430}'],
  ['a shorthand format control', '\u{1bca0}'],
  ['a Kaithi number sign', '\u{110bd}'],
  ['a noncharacter', '\u{1ffff}'],
  ['a noncharacter of the BMP', '\ufdd0'],
  ['an embedding', '\u202a'],
  ['an isolate', '\u2066'],
  ['an Arabic letter mark', '\u061c'],
  ['a zero width space', '\u200b'],
  ['a joiner behind no emoji', '\u200d'],
  ['a word joiner', '\u2060'],
  ['a line separator', '\u2028'],
  ['a soft hyphen', '\u00ad'],
  ['a Hangul filler', '\u3164'],
  ['a halfwidth filler', '\uffa0'],
  ['a Hangul choseong filler', '\u115f'],
  ['a grapheme joiner', '\u034f'],
  ['a Mongolian vowel separator', '\u180e'],
  ['an interlinear annotation', '\ufff9'],
];
test.each(HIDDEN)('a new name with %s is refused', (_what, character) => {
  expect(nameProblem(bytes(`src/a${character}b.ts`))).toContain('does not show (U+');
  expect(nameProblem(bytes(`a${character}/b.ts`))).toContain('does not show (U+');
});

test.each([
  ['a no-break space', '\u00a0'],
  ['a narrow no-break space', '\u202f'],
  ['a hair space', '\u200a'],
  ['an Ogham space', '\u1680'],
  ['a Braille pattern without dots', '\u2800'],
  ['a musical null notehead', '\u{1d159}'],
])('a new name with %s is refused, because it looks like another one', (_what, character) => {
  expect(nameProblem(bytes(`src/a${character}b.ts`))).toContain('no plain space (U+');
});

test.each(['a b.ts', '\u8cc7\u6599\u3000\u4e00.md', '\u280b.txt'])('blanks that show stay: %s', (name) =>
  expect(nameProblem(bytes(name))).toBe(null),
);

test.each([
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.md',
  '\u2764\ufe0f.md',
  '1\ufe0f\u20e3-start.md',
  '\u{1f44d}\u{1f3fd}',
])('emoji stay: %s', (name) => expect(nameProblem(bytes(name))).toBe(null));

test.each([
  ...[
    'CON',
    'prn',
    'Aux.c',
    'nul.tar.gz',
    'COM1',
    'lpt9.txt',
    'com\u00b9',
    'LPT\u00b3.log',
    'CONIN$',
    'conout$.x',
    'con .txt',
  ],
  ...['a:b', '.:x', 'a?b', 'a*', 'a|b', 'a<b', 'a>b', 'a"b', 'a\\b', 'a.', 'a ', 'nul/x', 'a:b/c'],
])('Windows has no %j, so it is no new name', (name) => {
  expect(nameProblem(bytes(name))).toContain('Windows');
  expect(nameProblem(bytes(`src/${name}`))).toContain('Windows');
});
test.each([
  'console.ts',
  'com10',
  'com0',
  'lpt',
  'auxiliary.c',
  'nullable',
  'a.con',
  'a b',
  '.env',
  '[slug].tsx',
  "it's",
])('%j is a name like any other', (name) => expect(nameProblem(name)).toBe(null));

test('a new file in a directory that the base has adds only its own name', () => {
  const isOld = (directory: string) => directory === 'drivers/aux';
  expect(nameProblem('drivers/aux/new.c', isOld)).toBe(null);
  expect(nameProblem('drivers/aux/nul.c', isOld)).toContain('device');
  expect(nameProblem('drivers/aux/aux/new.c', isOld)).toContain('device');
});

/** As git hands out a name. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

const links = new Map([
  ['store', '.git'],
  [bytes('cafe\u0301'), '.git'],
  ['far', 'near'],
  ['near', 'store'],
  ['twin', 'src'],
  ['TWIN', '.git'],
  ['a/top', '..'],
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
  ['hooks', '.git/hooks', 'into `.git`'],
  ['src/cfg', '../.git/config', 'into `.git`'],
  ['src/cfg', '../.GIT', 'into `.git`'],
  ['l', 'git~1/config', 'into `.git`'],
  ['l', '.git::$INDEX_ALLOCATION/config', 'into `.git`'],
  ['l', '.git. ./config', 'into `.git`'],
  ['l', bytes('.g\u200dit/config'), 'into `.git`'],
  ['l', bytes('.g\u0131t/config'), 'into `.git`'],
  ['src/l', '..\\.git\\config', 'into `.git`'],
  ['src/l', 'x\\..\\..\\..\\y', 'behind a name'],
  ['l', 'C:\\Windows', 'absolute'],
  ['l', '\\\\server\\share', 'absolute'],
  ['l', 'a/.git/x', 'into `.git`'],
  ['l', 'store/config', 'into `.git`'],
  ['l', 'STORE/config', 'into `.git`'],
  ['l', 'Store./config', 'into `.git`'],
  ['l', bytes('Caf\u00e9/config'), 'into `.git`'],
  ['l', 'far/config', 'into `.git`'],
  ['l', 'twin/config', 'into `.git`'],
  ['here', '.', 'holds `.git`'],
  ['a/b/l', '../..', 'holds `.git`'],
  ['l', 'a/top', 'holds `.git`'],
  ['l', 'a/TOP/src', null],
  ['l', '.. /x', 'out of the tree'],
  ['l', '.../x', 'out of the tree'],
  ['l', '.github/x', null],
  ['l', 'foo\\x2dbar.service', null],
  ['A/L', '../a', 'itself'],
  ['b', 'a/../.git', 'behind a name'],
])('link %s -> %s: %s', (path, target, expected) => {
  const problem = linkJudge(links)(path, target);
  if (expected === null) expect(problem).toBe(null);
  else expect(problem).toContain(expected);
});

test('only new collisions count, directories included', () => {
  const all = ['README', 'readme', 'Docs/a', 'docs/b', 'x'];
  expect(caseCollisions(all, new Set(['x']))).toEqual([]);
  expect(caseCollisions(all, new Set(['docs/b']))).toEqual([{ path: 'docs/b', with: 'Docs' }]);
  expect(
    caseCollisions(['\xe2\x9d\xa4', '\xe2\x9d\xa4\xef\xb8\x8f'], new Set(['\xe2\x9d\xa4\xef\xb8\x8f'])),
  ).toHaveLength(1);
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
