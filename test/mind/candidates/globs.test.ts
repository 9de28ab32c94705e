/** What patterns of paths mean, and that a worker's names cannot make them slow. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globProblem, matcher } from '../../../src/mind/fields/globs.ts';
import { cpuSeconds } from '../../support/cpu.ts';

describe('a pattern matches', () => {
  test.each([
    // A name: at any depth, with all below it.
    ['Makefile', ['Makefile', 'a/Makefile', 'a/Makefile/b'], ['makefile', 'Makefile2', 'a/xMakefile']],
    ['.github/', ['.github', '.github/workflows/ci.yml', 'a/.github/x'], ['.githubx', 'github/x']],
    // From the top.
    ['/vendor', ['vendor', 'vendor/a/b'], ['a/vendor']],
    ['./a.js', ['a.js'], ['b/a.js']],
    ['src/api', ['src/api', 'src/api/x.ts'], ['a/src/api', 'src/apis', 'src']],
    ['src/api/', ['src/api', 'src/api/x.ts'], ['src/api.ts']],
    // Stars and question marks.
    ['*.test.*', ['a.test.js', 'x/y/a.test.js', '.test.'], ['a.test', 'a.test.d/b']],
    ['*.tests/', ['A.tests', 'x/A.tests/b/c'], ['tests/b']],
    ['*', ['a', '.a', 'a/b'], []],
    ['src/*', ['src/a', 'src/.a'], ['src', 'src/a/b', 'a/src/b']],
    ['src/*.ts', ['src/a.ts', 'src/.ts'], ['src/a/b.ts', 'src/a.tsx']],
    ['a?c', ['abc', 'x/a\u{1f600}c'], ['ac', 'abbc', 'a/c']],
    ['a*b*c', ['abc', 'aXbXc', 'abbcc'], ['acb', 'ab/c']],
    ['?*_x', [`${'_'.repeat(300)}_x`, `a/${'_x'.repeat(300)}`], ['_x', `${'_x'.repeat(300)}y`]],
    ['x-*-x', ['x-a-x', 'x--x'], ['x-x']],
    // Any number of directories.
    ['test/**', ['test/a', 'test/a/b'], ['test', 'a/test/b', 'tests/a']],
    ['**/a.js', ['a.js', 'x/a.js', 'x/y/a.js'], ['xa.js']],
    ['src/**/test', ['src/test', 'src/a/b/test', 'src/a/test/c'], ['src/a', 'a/src/test']],
    ['a/**/b/**/c', ['a/b/c', 'a/x/b/y/b/c'], ['a/c/b', 'a/b']],
    ['a/**/b', [`a/${'x/'.repeat(300)}b`], [`a/${'x/'.repeat(300)}c`]],
    ['**', ['a', 'a/b'], []],
    // Everything else is itself.
    ['app/[id]/page.tsx', ['app/[id]/page.tsx'], ['app/i/page.tsx']],
    ['a.c', ['a.c'], ['abc']],
    ['a+(b)$', ['a+(b)$'], ['aab']],
  ] as const)('%s', (pattern, yes, no) => {
    const covers = matcher([pattern]);
    expect([yes.filter((path) => !covers(path)), no.filter((path) => covers(path))]).toEqual([[], []]);
  });

  test('in any letter case when asked to', () => {
    expect(matcher(['Make*', 'SRC/Api'], { ignoreCase: true })('src/API/x')).toBe(true);
    expect(matcher(['Make*'], { ignoreCase: true })('MAKEFILE')).toBe(true);
    expect(matcher(['Make*', 'SRC/Api'])('src/API/x')).toBe(false);
  });

  test('nothing when there is none, or an empty one', () => {
    expect(['', '/', '.', './'].some((pattern) => matcher([pattern])('a'))).toBe(false);
    expect(matcher([])('a')).toBe(false);
  });
});

test.each([
  ['', 'names nothing'],
  ['./', 'names nothing'],
  ['!src', 'exceptions'],
  ['src\\a', 'backslash'],
  ['src/{a,b}.ts', 'braces'],
  ['src/../a', 'leaves'],
  ['src/**', null],
  ['app/[id]/{x}.ts', null],
])('%j would not mean what it seems to: %s', (pattern, expected) => {
  const problem = globProblem(pattern);
  if (expected === null) expect(problem).toBe(null);
  else expect(problem).toContain(expected);
});

test('agrees with the plain definition, tried in full', () => {
  const part = fc.constantFrom('a', 'b', '*', '?', '/', '**', '/**/');
  const name = fc.stringMatching(/^[ab]{1,3}$/);
  const paths = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  let matched = 0;
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), paths, (parts, path) => {
      const pattern = parts.join('');
      const found = matcher([pattern])(path);
      matched += found ? 1 : 0;
      expect(`${pattern} ${path} ${found}`).toBe(`${pattern} ${path} ${defined(pattern).test(path)}`);
    }),
    { numRuns: 3_000 },
  );
  expect(matched).toBeGreaterThan(300);
});

/** The same as a regular expression: right, and not to be used on names of others. */
function defined(pattern: string): RegExp {
  const names = pattern.split('/').filter((name) => name !== '');
  const last = names.at(-1);
  if (last === undefined) return /$^/;
  const anchored = names.length > 1 || pattern.startsWith('/');
  const below = pattern.endsWith('/') || !/[*?]/.test(last);
  const body = names
    .map((name, i) => {
      const end = i === names.length - 1;
      if (name === '**') return end ? '(?:[^/]+/)*[^/]+' : '(?:[^/]+/)*';
      return name.replaceAll('?', '[^/]').replace(/\*+/g, '[^/]*') + (end ? '' : '/');
    })
    .join('');
  return new RegExp(`^${anchored ? '' : '(?:[^/]+/)*'}${body}${below ? '(?:/[^/]+)*' : ''}$`);
}

describe('time grows with the length of a path, not with a power of it', () => {
  test.each([
    ['many stars', '**/*_*_*.test.*', (size: number) => '_'.repeat(size)],
    ['many directories', '**/a/**/b/**/c', (size: number) => 'a/b/'.repeat(size / 4)],
    ['many slashes', '**/x/*?*/**/y', (size: number) => '/'.repeat(size)],
    ['many dots', '*.*.*.*.x', (size: number) => '.'.repeat(size)],
  ])('%s', (_, pattern, hostile) => {
    const covers = matcher([pattern]);
    const path = hostile(1 << 20);
    // In the square of that, let alone the cube, it would be many minutes.
    expect(cpuSeconds(() => covers(path))).toBeLessThan(10);
  });

  test('patterns for which a regular expression takes cubic time', () => {
    const spent = (size: number): number => {
      const path = '_'.repeat(size);
      return cpuSeconds(() => /^[^/]*_[^/]*_[^/]*\.test\.[^/]*$/.test(path));
    };
    const short = Math.min(...Array.from({ length: 5 }, () => spent(150)));
    // Squared it would be 36 times as long, and it is about 200.
    expect(spent(900) / short).toBeGreaterThan(50);
  });
});
