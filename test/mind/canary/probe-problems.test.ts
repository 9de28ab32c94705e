/** What `gates check` says of a gate, by how its tries went. */
import { expect, test } from 'vitest';
import { broken, probeProblems, sourcesOf, type Tries, type Try } from '../../../src/mind/canary/sabotage.ts';

const PASS: Try = { status: 'pass', ended: 'exit code 0' };
const FAIL: Try = { status: 'fail', ended: 'exit code 1' };
const ERROR: Try = { status: 'error', ended: 'exit code 127' };
const NO_TESTS: Try = { ...ERROR, noTests: true };
const SOUND: Tries = {
  first: PASS,
  second: PASS,
  broken: FAIL,
  withoutTests: FAIL,
  planted: { noticed: 3, planted: 3 },
};
const UNTRIED = { second: null, broken: null, withoutTests: null, planted: null };

test.each<[string, string, Tries, string[]]>([
  ['passes, and notices everything', 'tests', SOUND, []],
  ['ends with an error without its test files', 'tests', { ...SOUND, withoutTests: NO_TESTS }, []],
  ['could not run', 'tests', { ...UNTRIED, first: ERROR }, ['error']],
  ['ran no test', 'tests', { ...UNTRIED, first: NO_TESTS }, ['no_tests']],
  ['is red twice', 'tests', { ...UNTRIED, first: FAIL, second: FAIL }, ['always_fails']],
  ['is red once, then green', 'tests', { ...UNTRIED, first: FAIL, second: PASS }, ['flaky']],
  ['is green once, then red', 'tests', { ...UNTRIED, first: PASS, second: FAIL }, ['flaky']],
  ['is green once, then could not run', 'tests', { ...UNTRIED, first: PASS, second: ERROR }, ['flaky']],
  ['passes on broken code', 'lint', { ...SOUND, broken: PASS, withoutTests: null, planted: null }, ['cannot_fail']],
  ['notices no planted test', 'tests', { ...SOUND, planted: { noticed: 0, planted: 5 } }, ['ignores_tests']],
  ['passes without its test files', 'tests', { ...SOUND, withoutTests: PASS }, ['passes_without_tests']],
  [
    'passes whatever is done to it',
    'tests',
    { first: PASS, second: PASS, broken: PASS, withoutTests: PASS, planted: { noticed: 0, planted: 1 } },
    ['cannot_fail', 'ignores_tests', 'passes_without_tests'],
  ],
  ['nothing could be planted, but broken code fails', 'tests', { ...SOUND, planted: null }, []],
  [
    'nothing could be planted, and broken code cannot be tried',
    'tests',
    { ...SOUND, broken: null, planted: null },
    ['not_proven'],
  ],
  ['cannot be run on broken code', 'lint', { ...UNTRIED, first: PASS, second: PASS, broken: ERROR }, ['not_proven']],
  ['looks at changed files only', 'syntax', { ...UNTRIED, first: PASS }, []],
  ['looks at the change only', 'security', { ...UNTRIED, first: PASS }, []],
  ['looks at changed files only', 'command', { ...UNTRIED, first: PASS }, ['not_proven']],
])('a gate that %s (%s)', (_, kind, tries, problems) => {
  expect(probeProblems(kind, tries)).toEqual(problems);
});

test('what is broken is the project’s own code, not its tests or what it brought along', () => {
  const paths = ['a.ts', 'src/b.py', 'test/a.test.ts', 'node_modules/x/i.js', 'vendor/v.go', 'README.md', 'x.json'];
  expect(sourcesOf(paths, [])).toEqual(['a.ts', 'src/b.py']);
  expect(sourcesOf(['qa/a.ts', 'b.ts'], ['qa/'])).toEqual(['b.ts']);
});

test('broken code is code that no language reads', () => {
  expect(() => new Function(broken('const a = 1;'))).toThrow(SyntaxError);
  expect(broken('a\n').startsWith('a\n')).toBe(true);
});
