/** What a task may write, what is locked, and where an environment is mounted. */
import { describe, expect, test } from 'vitest';
import { found } from './check.ts';

describe('a task that names its files (WT-02)', () => {
  const base = ['src/a.js', 'src/b.js', 'src/api/interface.d.ts', 'docs/x/y.md', 'test/a.test.js'];
  test.each([
    [['src/a.js'], ['~ src/a.js'], []],
    [['src/a.js'], ['~ src/b.js'], ['src/b.js']],
    [['src/a.js'], ['~ src/a.js', '+ src/c.js', '- src/b.js'], ['src/b.js', 'src/c.js']],
    [['./src/a.js'], ['~ src/a.js'], []],
    [['src/new.js'], ['+ src/new.js'], []],
    // A directory with all below it: named so, or one in the base.
    [['src/'], ['~ src/a.js', '+ src/x/y/z.js'], []],
    [['src'], ['~ src/a.js', '+ src/x/y/z.js'], []],
    [['docs/x'], ['~ docs/x/y.md', '+ docs/z.md'], ['docs/z.md']],
    [['.'], ['+ anything/at/all.js'], []],
    [['src/a.js'], ['- src/a.js', '+ src/a.js/evil.js'], ['src/a.js/evil.js']],
    [['src/a'], ['~ src/a.js'], ['src/a.js']],
    [['src/new/'], ['+ src/new/a.js', '+ src/newer.js'], ['src/newer.js']],
    // By the letter.
    [['src/a.js'], ['+ Src/A.js'], ['Src/A.js']],
    // Patterns from the top of the tree.
    [['src/*.js'], ['~ src/a.js', '+ src/x/c.js', '+ lib/src/c.js'], ['lib/src/c.js', 'src/x/c.js']],
    [['*.js'], ['+ c.js', '~ src/a.js'], ['src/a.js']],
    [['app/[id]/page.tsx'], ['+ app/[id]/page.tsx', '+ app/i/page.tsx'], ['app/i/page.tsx']],
    // New tests are always free.
    [['src/a.js'], ['~ src/a.js', '+ test/new.test.js', '+ src/a.test.js'], []],
    [[], ['~ src/b.js'], []],
  ])('%j allows of %j all but %j', (files, changes, outside) => {
    expect(found(changes, { base, files })).toEqual(outside.map((path) => `scope ${path}`));
  });

  test('may also write what it was granted, and not what is protected', () => {
    expect(found(['~ src/a.js', '~ Makefile'], { base, files: ['src/a.js'], allow: ['Makefile'] })).toEqual([]);
    expect(found(['~ docs/x/y.md'], { base, files: ['src/a.js'], allow: ['docs/'] })).toEqual([]);
    expect(found(['~ Makefile'], { base, files: ['Makefile'] })).toEqual(['gate_config Makefile']);
    expect(found(['~ test/a.test.js'], { base, files: ['test/'] })).toEqual(['tests test/a.test.js']);
  });
});

describe('a locked interface (WT-02)', () => {
  test.each([
    [['src/api/interface.d.ts'], '~ src/api/interface.d.ts', true],
    [['src/api/'], '~ src/api/interface.d.ts', true],
    [['src/api'], '+ src/api/new.d.ts', true],
    [['*.proto'], '- deep/a.proto', true],
    [['src/api/*.d.ts'], '+ SRC/Api/Interface.D.TS', true],
    [['Schnittstelle\u00c4/'], '+ schnittstelle\u00e4/a.ts', true],
    [['\u017frc/'], '+ \u017frc/a.ts', true],
    [['src/api/'], '> src/api', true],
    [['src/api/'], '~ src/apis.ts', false],
  ])('%j and %s', (protect, words, locked) => {
    expect(found([words])).toEqual([]);
    expect(found([words], { protect })).toEqual(locked ? [`locked ${words.slice(2)}`] : []);
    expect(found([words], { protect, allow: [words.slice(2)] })).toEqual([]);
  });
});

describe('a candidate may not have files where an environment is mounted', () => {
  const outputs = ['lib/cache', './Packages/a/.venv/'];
  test.each([
    ['> lib/cache', true],
    ['+ lib/cache', true],
    ['+ lib/cache/evil.js', true],
    ['~ lib/cache/kept.js', true],
    ['> lib', true],
    ['g lib', true],
    ['g lib/cache', true],
    ['+ LIB/Cache', true],
    ['> Lib', true],
    ['> packages/A', true],
    ['@ packages/a/.venv', true],
    ['+ packages/a/.VENV./x', true],
    ['- lib/cache/kept.js', false],
    ['+ lib/cache2', false],
    ['+ lib/other.js', false],
    ['+ deep/lib/cache', false],
  ])('%s: %s', (words, refused) => {
    expect(found([words])).toEqual([]);
    const expected = refused ? [`environment ${words.slice(2)}`] : [];
    expect(found([words], { outputs })).toEqual(expected);
    expect(found([words], { outputs, allow: ['**'], files: ['**'] })).toEqual(expected);
  });

  test('and a file of the base there is reported as a fault of the base', () => {
    const base = ['lib', 'node_modules/x/index.js', 'src/a.js'];
    expect(found(['~ src/a.js'], { base, outputs: ['lib/cache', 'node_modules'] })).toEqual(['environment lib']);
    expect(found(['- lib', '~ src/a.js'], { base, outputs: ['lib/cache'] })).toEqual([]);
  });

  test('the link that mounted an environment over the sources is refused', () => {
    expect(found(['> node_modules'], { outputs: ['node_modules'] })).toEqual(['environment node_modules']);
    expect(found(['> NODE_MODULES'], { outputs: ['node_modules'] })).toEqual(['environment NODE_MODULES']);
  });
});
