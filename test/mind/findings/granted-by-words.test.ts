/** What an operator's own words allow, and what they do not. */
import { expect, test } from 'vitest';
import { grantedByWords } from '../../../src/mind/findings/granted-by-words.ts';

const PATHS = [
  'test/cart.test.js',
  'test/index.test.js',
  'lib/index.test.js',
  'package-lock.json',
  '.eslintrc.json',
  'vitest.config.ts',
  'Makefile',
  '.github/workflows/ci.yml',
  '.supervisor/config.yaml',
];
const paths = (task: string, of: readonly string[] = PATHS) =>
  grantedByWords(task, { paths: of, dependencies: [] }).paths;

test.each<[string, string[]]>([
  ['Update test/cart.test.js for the new price', ['test/cart.test.js']],
  ['Update ./test/cart.test.js, please', ['test/cart.test.js']],
  ['Add a case to `cart.test.js`.', ['test/cart.test.js']],
  ['Adapt the cart tests', ['test/cart.test.js']],
  ['Extend the tests for cart', ['test/cart.test.js']],
  ['Change lib/index.test.js', ['lib/index.test.js']],
  ['Add left-pad and update the lock file', ['package-lock.json']],
  ['Allow tabs in the eslint config', ['.eslintrc.json']],
  ['Raise the timeout in vitest.config.ts', ['vitest.config.ts']],
  ['Add a target to the Makefile', ['Makefile']],
  ['Run the tests on Node 24 as well (.github/workflows/ci.yml)', ['.github/workflows/ci.yml']],
  ['Run on Node 24 in the ci workflow: add it', ['.github/workflows/ci.yml']],
  ['Fix test/cart.test.js: it expects the wrong day', ['test/cart.test.js']],
  ['Fix the bug that crashes. The parser does not stop; update test/cart.test.js', ['test/cart.test.js']],
])('names: %s', (task, expected) => {
  expect(paths(task)).toEqual(expected);
});

test.each([
  'Fix the cart',
  'Test the cart',
  'Do not touch test/cart.test.js',
  "Fix the cart, but don't change test/cart.test.js, Makefile or vitest.config.ts",
  'Change the price without editing test/cart.test.js',
  'test/cart.test.js must not be changed',
  'Leave the Makefile as it is',
  'Update the cart. Never edit vitest.config.ts',
  'Update test/cart.test.js. Do not change test/cart.test.js yet',
  'Make test/cart.test.js pass',
  'The test test/cart.test.js fails',
  'Run test/cart.test.js',
  'Change old/test/cart.test.js',
  'Change test/cart.test.js.snap',
  'Change .supervisor/config.yaml',
  'Change the supervisor config.yaml',
  '',
])('does not name: %s', (task) => {
  expect(paths(task)).toEqual([]);
});

test('the record says by which words', () => {
  const { because } = grantedByWords('Fix it. Update test/cart.test.js for the new price.', {
    paths: PATHS,
    dependencies: ['zod'],
  });
  expect(because).toEqual([{ what: 'test/cart.test.js', words: 'Update test/cart.test.js for the new price' }]);
});

const dependency = (task: string, name: string) =>
  grantedByWords(task, { paths: [], dependencies: [name] }).dependencies.length === 1;

test.each<[string, string]>([
  ['use left-pad', 'left-pad'],
  ['Add zod', 'zod'],
  ['upgrade lodash to 4.17.21', 'lodash'],
  ['Validate the body with zod.', 'zod'],
  ['Add the package express', 'express'],
  ['Install `express`', 'express'],
  ['Replace got with the request library', 'request'],
  ['Bump debug from 4.3.1 to 4.3.4', 'debug'],
  ['deps: on-finished@2.4.1', 'on-finished'],
  ['Use @tanstack/query for loading', '@tanstack/query'],
  ['Add zod and ky', 'ky'],
  ['Add python_dateutil', 'python-dateutil'],
  ['Add cobra for the command line', 'github.com/spf13/cobra'],
  ['Use github.com/spf13/cobra', 'github.com/spf13/cobra'],
  ['add serde to Cargo.toml as a dependency: serde 1.0', 'serde'],
])('names a package: %s: %s', (task, name) => {
  expect(dependency(task, name)).toBe(true);
});

test.each<[string, string]>([
  ['Add a test for the parser', 'test'],
  ['Add tests', 'test'],
  ['Cache every request', 'request'],
  ['Express the price in cents', 'express'],
  ['Add debug output', 'debug'],
  ['Add padding on the left', 'left-pad'],
  ['Add zodiac signs', 'zod'],
  ['Pad the text without adding left-pad', 'left-pad'],
  ['Do not use lodash', 'lodash'],
  ['Use lodash-es', 'lodash'],
  ['Use @types/lodash', 'lodash'],
  ['The library zod must not be added', 'zod'],
  ['Remove duplicates', 'uniq'],
])('names no package: %s: %s', (task, name) => {
  expect(dependency(task, name)).toBe(false);
});

test('a long task and many paths take no time', () => {
  const many = Array.from({ length: 2_000 }, (_, i) => `test/n${i}.test.js`);
  const task = 'Do not change a.js, or b.js. '.repeat(3_000);
  const began = performance.now();
  grantedByWords(task, { paths: many, dependencies: ['zod'] });
  expect(performance.now() - began).toBeLessThan(5_000);
});

test.each<[string, string[], string[]]>([
  ['Rename src/a.ts to src/b.ts and update every import, also in the test.', ['test/a.test.ts'], ['test/a.test.ts']],
  [
    'Move slug to its own file, including its tests',
    ['test/a.test.ts', 'test/b.test.ts'],
    ['test/a.test.ts', 'test/b.test.ts'],
  ],
  ['Log a warning instead. Change the test accordingly.', ['test/a.test.ts'], ['test/a.test.ts']],
  ['Log a warning instead. Change the test accordingly.', ['test/a.test.ts', 'test/b.test.ts'], []],
  ['Change the test command to node --test', ['test/a.test.ts'], []],
  ['Change the parser, which is also tested by the runner', ['test/a.test.ts'], []],
  ['Rename a, but do not change the imports, also not in the tests', ['test/a.test.ts'], []],
])('words beside a change that name its tests: %s', (task, of, expected) => {
  expect(paths(task, of)).toEqual(expected);
});
