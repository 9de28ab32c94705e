/** Existing tests belong to the base; new ones are free. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changedTests,
  namedHelpers,
  removableTests,
  testMatcher,
  testsToRestore,
} from '../../../src/mind/candidates/test-paths.ts';
import { change, check, found } from './check.ts';

test.each([
  ...['test/a.js', 'tests/data/big.json', 'packages/a/test/b.ts', 'src/__tests__/a.tsx', 'spec/models/a_spec.rb'],
  ...[
    'src/a.test.js',
    'src/a.spec.ts',
    'pkg/a_test.go',
    'pkg/testdata/in.txt',
    'app/test_models.py',
    'app/models_test.py',
  ],
  ...['src/test/java/ATest.java', 'src/main/ATest.java', 'src/a/__snapshots__/a.snap', 'Tests/AppTests/A.swift'],
  ...['App.Tests/AppTest.cs', 'e2e/login.ts', 't/basic.t', 'test.js', 'app/tests.py', 'features/login.feature'],
])('a test by its name: %s', (path) => {
  expect([testMatcher([])(path), found([`~ ${path}`])]).toEqual([true, [`tests ${path}`]]);
});

describe('an existing test', () => {
  const base = ['src/a.js', 'test/a.test.js', 'test/b.test.js', 'test/data/in.json'];
  test.each([
    ['changed', ['~ test/a.test.js'], ['test/a.test.js']],
    // WT-13
    ['deleted', ['- test/a.test.js'], ['test/a.test.js']],
    ['deleted, with its data', ['- test/a.test.js', '- test/data/in.json'], ['test/a.test.js', 'test/data/in.json']],
    ['renamed', ['- test/a.test.js', '+ test/c.test.js'], ['test/a.test.js']],
    ['made executable', ['x test/a.test.js'], ['test/a.test.js']],
    ['replaced by a link', ['@ test/a.test.js'], ['test/a.test.js']],
    ['replaced by a directory', ['- test/a.test.js', '+ test/a.test.js/x'], ['test/a.test.js']],
    [
      'gone with its directory, for a link',
      ['- test/a.test.js', '- test/b.test.js', '- test/data/in.json', '> test'],
      ['test', 'test/a.test.js', 'test/b.test.js', 'test/data/in.json'],
    ],
    ['covered by another case', ['+ Test/A.test.js'], ['Test/A.test.js']],
    ['covered by a link of another case', ['> TEST'], ['TEST']],
    ['covered by another form of its name', ['+ te\u017ft/a.test.js'], ['te\u017ft/a.test.js']],
    ['renamed in its case', ['- test/a.test.js', '+ test/A.test.js'], ['test/A.test.js', 'test/a.test.js']],
  ])('%s', (_, changes, paths) => {
    expect(found(changes, { base })).toEqual(paths.map((path) => `tests ${path}`));
  });

  test('may be changed by a task that was granted it, and it is reported all the same', () => {
    const { violations, touchedTests, granted } = check(['~ test/a.test.js'], { base, allow: ['test/a.test.js'] });
    expect([violations, touchedTests, granted.map(({ path }) => path)]).toEqual([
      [],
      ['test/a.test.js'],
      ['test/a.test.js'],
    ]);
  });

  test('is what config says, when it says so', () => {
    expect(found(['~ checks/a.js', '~ test/a.js'], { testPaths: ['checks/'] })).toEqual(['tests checks/a.js']);
  });
});

test('new tests are free, whatever they lie beside', () => {
  expect(found(['+ test/c.test.js', '+ src/c.spec.ts', '+ test/data/more.json'], { base: ['test/a.test.js'] })).toEqual(
    [],
  );
});

test('for a second run: existing tests as they were, and no new ones that could replace them', () => {
  const changed = ['~ test/a.test.js', '- test/b.test.js', '+ test/0.test.js', '~ src/a.js'].map(change);
  expect(changedTests(changed, [])).toEqual(['test/a.test.js', 'test/b.test.js']);
  expect(testsToRestore(changed, [])).toEqual(['test/a.test.js', 'test/b.test.js', 'test/0.test.js']);
});

const names = fc.stringMatching(/^[a-z]{1,8}$/);
const places = fc.array(names, { maxLength: 3 }).map((list) => list.join('/'));
const existing = fc
  .tuple(
    places,
    names,
    fc.constantFrom('test/$.js', '$.test.ts', '$_test.go', 'test_$.py', '__tests__/$.jsx', '$.spec.js'),
  )
  .map(([place, name, form]) => [place, form.replace('$', name)].filter((part) => part !== '').join('/'));
const sign = fc.constantFrom('~', '-', 'x', '@');
const plain = fc
  .tuple(places, names)
  .map(([place, name]) => ['zone', place, `${name}.js`].filter((p) => p !== '').join('/'));

test('any change of an existing test without a grant is a violation, whatever else is changed', () => {
  fc.assert(
    fc.property(existing, sign, fc.array(plain, { maxLength: 4 }), (path, how, others) => {
      const beside = others.filter((other) => other !== path).map((other) => `~ ${other}`);
      expect(found([...beside, `${how} ${path}`])).toContain(`tests ${path}`);
      expect(found([`${how} ${path}`], { allow: ['src/', 'docs/**', '*.md'] })).toEqual([`tests ${path}`]);
    }),
    { numRuns: 500 },
  );
});

test('any other spelling of an existing test is a violation', () => {
  fc.assert(
    fc.property(existing, fc.infiniteStream(fc.boolean()), (path, flips) => {
      const bits = flips[Symbol.iterator]();
      const other = [...path].map((c) => (bits.next().value ? c.toUpperCase() : c)).join('');
      expect(found([`${other === path ? '~' : '+'} ${other}`], { base: [path] })).toEqual([`tests ${other}`]);
    }),
    { numRuns: 500 },
  );
});

test('a change outside of all patterns never is one', () => {
  const taken =
    /(?:^|\/)(?:tests?|mise|pluggy|githooks|makefile|justfile|gemfile|rakefile|earthfile|condarc|pylintrc)(?:\/|\.js$)/;
  fc.assert(
    fc.property(fc.uniqueArray(plain), fc.constantFrom('~', '-', 'x', '@', '+', '>', 'g'), (paths, how) => {
      expect(found(paths.filter((path) => !taken.test(path)).map((path) => `${how} ${path}`))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('new files beside tests are helpers if they are no tests, are code, and are named by another file', () => {
  const added = ['test/setup.ts', 'test/a.test.ts', 'tests/test_b.py', 'test/data.json', 'test/up.ts', 'test/other.ts'];
  expect(namedHelpers(added, ["setupFiles: ['./test/setup.ts', 'a.test.ts', 'test_b', 'data', 'up']", null])).toEqual([
    'test/setup.ts',
  ]);
  expect(namedHelpers(added, ['setups: my-setup'])).toEqual([]);
});

test('a test file of Rust below src is a module of the product: no run can do without it', () => {
  expect(removableTests(['src/span/tests.rs', 'crates/a/src/tests.rs', 'tests/span.rs', 'src/a.test.ts'])).toEqual([
    'tests/span.rs',
    'src/a.test.ts',
  ]);
});
