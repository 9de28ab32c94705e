/** A gate without `ids` whose runner counts failures is red, although its exit code is 0: a pipe or `|| true` swallowed it. */
import { expect, test } from 'vitest';
import { saysNoTestRan } from '../../src/mind/gates/no-tests.ts';
import { failuresSaid } from '../../src/mind/gates/printed-failures.ts';
import { WITHOUT } from '../mind/canary/runs.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { untested } from '../support/untested.ts';
import { Checks } from './checks.ts';
import { GREEN } from './totals-printed.ts';

test.each(GREEN)('%s: %s; failures are counted without knowing the runner', (_format, what, printed, totals) => {
  if (BY_FORMAT_ONLY.has(what)) return;
  expect(failuresSaid(printed) > 0).toBe((totals?.failed ?? 0) > 0);
});
/** A bail out has no number; what the runner's own format tells of it is not looked for in any output. */
const BY_FORMAT_ONLY = new Set(['a run that gave up']);

/** What a runner prints, and how many failures it counts. */
const PRINTED: readonly [string, string, number][] = [
  ['node', '✖ a (1.02ms)\nℹ tests 3\nℹ pass 1\nℹ fail 1\nℹ cancelled 1\n', 2],
  ['node, green', '✔ a (1.02ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\n', 0],
  ['node by pnpm', 'packages/a test: ℹ fail 2\npackages/b test: ℹ fail 0\n', 2],
  ['TAP', 'TAP version 13\nnot ok 1 - a\nok 2 - b\nnot ok 3 - c # TODO later\n1..3\n', 1],
  ['TAP of node', 'not ok 1 - a.mjs\n1..1\n# pass 0\n# fail 1\n', 1],
  ['vitest', ' Test Files  1 failed | 1 passed (2)\n      Tests  2 failed | 3 passed (5)\n', 2],
  ['vitest, a file that did not load', ' Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)\n', 1],
  ['jest', 'Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 passed, 2 total\n', 1],
  ['mocha', '\n  2 passing (12ms)\n  1 failing\n', 1],
  ['deno', 'FAILED | 1 passed | 2 failed (3ms)\n', 2],
  ['bun', ' 1 pass\n 2 fail\n 3 expect() calls\nRan 3 tests across 1 file. [12.00ms]\n', 2],
  ['pytest', '=== 1 failed, 2 passed, 1 error in 0.10s ===\n', 2],
  ['pytest -q', '1 failed, 2 passed in 0.10s\n', 1],
  ['pytest, expected failures', '=== 2 passed, 1 xfailed in 0.10s ===\n', 0],
  ['unittest', 'Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=2)\n', 3],
  ['unittest, expected failures', 'Ran 4 tests in 0.001s\n\nOK (expected failures=2)\n', 0],
  ['unittest, unexpected success', 'Ran 1 test in 0.001s\n\nFAILED (expected failures=1, unexpected successes=1)\n', 1],
  ['go', '--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/demo\t0.002s\nFAIL\n', 1],
  ['go, does not build', 'FAIL\texample.com/demo [build failed]\n', 1],
  ['cargo', 'test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n', 2],
  ['forge', 'Suite result: FAILED. 1 passed; 1 failed; 0 skipped; finished in 1.2ms\n', 1],
  ['rspec', '3 examples, 1 failure, 1 error occurred outside of examples\n', 2],
  ['minitest', '4 runs, 5 assertions, 1 failures, 1 errors, 0 skips\n', 2],
  ['ExUnit', '1 doctest, 2 tests, 1 failure\n', 1],
  ['phpunit', 'FAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n', 1],
  ['pest', '\n  Tests:    1 failed, 2 passed (3 assertions)\n', 1],
  [
    'maven',
    '[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! - in A\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n',
    1,
  ],
  ['gradle', '3 tests completed, 1 failed\n', 1],
  ['dotnet', 'Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3\n', 1],
  ['ctest', '50% tests passed, 1 tests failed out of 2\n', 1],
];

test.each(PRINTED)('%s prints %j: %i failed', (_, text, failed) => {
  expect([failuresSaid({ stdout: text, stderr: '' }), failuresSaid({ stdout: '', stderr: text })]).toEqual([
    failed,
    failed,
  ]);
});

test('a summary that counts failures never says that no test ran', () => {
  const red = PRINTED.filter(([, , failed]) => failed > 0);
  for (const [runner, text] of red) expect(saysNoTestRan({ stdout: text, stderr: '' }), runner).toBe(false);
});

test.each(PRINTED.filter(([, , failed]) => failed > 0))(
  '%s, with exit code 0 and indented: a nested summary is no failure',
  (_, text) => {
    const nested = text.replaceAll(/^/gm, '    ');
    expect(failuresSaid({ stdout: `${nested}\nℹ pass 1\nℹ fail 0\n`, stderr: '' })).toBe(0);
  },
);

test.each([
  ['a linter', 'Found 0 errors in 3 files\n0 errors, 2 warnings\n'],
  ['a log', '12:00 error: request 7 failed\nretry: 1 failed, 2 left\nfailed to load 2 modules, 1 failed\n'],
  ['a list of names', 'not ok\nFAILED\nFAIL\n1 failed\n'],
  ['prose', 'The run had 3 tests, 1 failure was expected\n'],
])('%s counts no failed test', (_, text) => {
  expect(failuresSaid({ stdout: text, stderr: '' })).toBe(0);
});

const REAL: readonly [string, string, Record<string, string>, string | null][] = [
  [
    'node --test',
    'node --test | cat',
    { 'a.test.mjs': "import { test } from 'node:test'; test('a', () => { throw new Error('no'); });\n" },
    null,
  ],
  [
    'unittest',
    'python3 -m unittest discover || true',
    { 'test_a.py': 'import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self): self.fail()\n' },
    WITHOUT.unittest,
  ],
];

test.each(REAL)('%s: a gate that swallows its exit code is red', async (runner, command, files, without) => {
  if (untested(`a gate of ${runner} that swallows its exit code`, without)) return;
  await using checks = new Checks({ 'a.txt': 'old\n', ...files });
  await expectRed(checks, command);
});

test('the same for the words of each runner', async () => {
  const texts = PRINTED.flatMap(([, text, failed]) => (failed > 0 ? [text] : []));
  const files = texts.map((text, n) => [`printed/${n}.txt`, text] as const);
  await using checks = new Checks({ 'a.txt': 'old\n', ...Object.fromEntries(files) });
  for (const [path] of files) await expectRed(checks, `cat ${path}`);
});

async function expectRed(checks: Checks, command: string): Promise<void> {
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  // The control: nothing but the exit code counts where the output is thrown away.
  checks.gates({ name: 'tests', command: `{ ${command}; } >/dev/null 2>&1` });
  expect((await checks.check('tests', candidate)).status).toBe('pass');
  checks.gates({ name: 'tests', command });
  const found = await checks.check('tests', candidate);
  expect(found, command).toMatchObject({
    status: 'fail',
    text: expect.stringMatching(/exit code 0, but its summary counts \d+ failed/),
  });
}

test('hostile text is read in time', () => {
  for (const shape of ['1 failed, ', 'Tests: 1 failed, ', '= 1 error ', 'a: ', '1 a, ', 'not ok 1 ', 'FAIL\t', ' ']) {
    for (const text of [shape.repeat(40_000), `${shape.repeat(20)}\n`.repeat(4_000)]) {
      expect(cpuSeconds(() => failuresSaid({ stdout: text, stderr: '' }))).toBeLessThan(5);
    }
  }
});
