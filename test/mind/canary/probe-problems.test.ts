/** What `gates check` says of a gate, by how its tries went. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { broken, probeProblems, sourcesOf, type Tries, type TryResult } from '../../../src/mind/canary/sabotage.ts';

const PASS: TryResult = { status: 'pass', ended: 'exit code 0' };
const FAIL: TryResult = { status: 'fail', ended: 'exit code 1' };
const ERROR: TryResult = { status: 'error', ended: 'exit code 127' };
const NO_TESTS: TryResult = { ...ERROR, noTests: true };
const SOUND: Tries = {
  first: PASS,
  second: PASS,
  broken: FAIL,
  withoutTests: FAIL,
  planted: { noticed: 3, planted: 3, green: false },
  change: null,
};
const UNTRIED = { second: null, broken: null, withoutTests: null, planted: null, change: null };

test.each<[string, Tries, string[]]>([
  ['passes, and notices everything', SOUND, []],
  ['ends with an error without its test files', { ...SOUND, withoutTests: NO_TESTS }, []],
  ['could not run', { ...UNTRIED, first: ERROR }, ['error']],
  ['ran no test', { ...UNTRIED, first: NO_TESTS }, ['no_tests']],
  ['is red twice', { ...UNTRIED, first: FAIL, second: FAIL }, ['always_fails']],
  ['is red once, then green', { ...UNTRIED, first: FAIL, second: PASS }, ['flaky']],
  ['is green once, then red', { ...UNTRIED, first: PASS, second: FAIL }, ['flaky']],
  ['is green once, then could not run', { ...UNTRIED, first: PASS, second: ERROR }, ['flaky']],
  ['passes on broken code', { ...SOUND, broken: PASS, withoutTests: null, planted: null }, ['cannot_fail']],
  ['stays green with planted tests', { ...SOUND, planted: { noticed: 0, planted: 5, green: true } }, ['ignores_tests']],
  [
    'fails and names no planted test',
    { ...SOUND, planted: { noticed: 0, planted: 5, green: false } },
    ['unnamed_tests'],
  ],
  ['passes without its test files', { ...SOUND, withoutTests: PASS }, ['passes_without_tests']],
  [
    'passes whatever is done to it',
    {
      first: PASS,
      second: PASS,
      broken: PASS,
      withoutTests: PASS,
      planted: { noticed: 0, planted: 1, green: true },
      change: null,
    },
    ['cannot_fail', 'ignores_tests', 'passes_without_tests'],
  ],
  ['nothing could be planted, but broken code fails', { ...SOUND, planted: null }, []],
  [
    'nothing could be planted, and broken code cannot be tried',
    { ...SOUND, broken: null, planted: null },
    ['not_proven'],
  ],
  ['cannot be run on broken code', { ...UNTRIED, first: PASS, second: PASS, broken: ERROR }, ['not_proven']],
  ['has nothing to look at here', { ...UNTRIED, first: PASS }, ['not_proven']],
  ['refuses a bad change', { ...UNTRIED, first: PASS, change: FAIL }, []],
  ['passes a bad change', { ...UNTRIED, first: PASS, change: PASS }, ['accepts_bad_change']],
  ['could not look at a bad change', { ...UNTRIED, first: PASS, change: ERROR }, ['error']],
])('a gate that %s', (_, tries, problems) => {
  expect(probeProblems(tries)).toEqual(problems);
});

test('sources are the project’s own code, not its tests or its dependencies', () => {
  const paths = ['a.ts', 'src/b.py', 'test/a.test.ts', 'node_modules/x/i.js', 'vendor/v.go', 'README.md', 'x.json'];
  expect(sourcesOf(paths, [])).toEqual(['a.ts', 'src/b.py']);
  expect(sourcesOf(['qa/a.ts', 'b.ts'], ['qa/'])).toEqual(['b.ts']);
});

test('broken code is code that no language reads', () => {
  expect(() => new Function(broken('a.js', 'const a = 1;'))).toThrow(SyntaxError);
  expect(broken('a.py', 'a\n').startsWith('a\n')).toBe(true);
});

test('a shell script says nothing before it breaks', () => {
  const { stdout, status } = spawnSync('sh', ['-c', broken('a.sh', 'echo hello\n')], { encoding: 'utf8' });
  expect([stdout, status]).toEqual(['', expect.any(Number)]);
  expect(status).not.toBe(0);
});
