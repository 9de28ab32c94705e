/**
 * What runners print when they end with exit code 0 and that is no pass, and when it is one.
 * Most are recorded from go 1.19.8, cargo 1.95.0, jest 30, pytest 9.0.3 and unittest of Python 3.8 to 3.13; variants (behind a
 * pipe, turbo, subtests, other TAP) are written after them. node --test and vitest are run by the tests.
 */
import type { IdFormat, RunnerOutput } from '../../src/mind/gates/ids.ts';

const out = (stdout: string): RunnerOutput => ({ stdout, stderr: '' });
const err = (stderr: string): RunnerOutput => ({ stdout: '', stderr });

const JEST_END = 'Snapshots:   0 total\nTime:        0.366 s\nRan all test suites.\n';
const CARGO_NONE = `
running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

`;
const PYTEST_HEAD = `============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.3, pluggy-1.6.0
rootdir: /workspace
`;

const unittestEnd = (ran: number, result: string) =>
  `\n${'-'.repeat(70)}\nRan ${ran} test${ran === 1 ? '' : 's'} in 0.001s\n\n${result}\n`;

/** What it is, what was printed, and what the totals say; null: they are missing. */
export const GREEN: readonly [IdFormat, string, RunnerOutput, { ran: number | null; failed: number } | null][] = [
  ['go', 'tests that pass', out('ok  \texample.com/demo/b\t0.002s\n'), { ran: null, failed: 0 }],
  ['go', 'a pass from the cache', out('ok  \texample.com/demo/b\t(cached)\n'), { ran: null, failed: 0 }],
  ['go', 'no test files', out('?   \texample.com/demo/a\t[no test files]\n'), { ran: 0, failed: 0 }],
  [
    'go',
    'no tests to run',
    out('?   \texample.com/demo/a\t[no test files]\nok  \texample.com/demo/b\t0.003s [no tests to run]\n'),
    { ran: 0, failed: 0 },
  ],
  [
    'go',
    'no tests to run, with coverage',
    out('ok  \texample.com/demo/e\t0.005s\tcoverage: [no statements] [no tests to run]\n'),
    { ran: 0, failed: 0 },
  ],
  [
    'go',
    'all skipped, -v',
    out('=== RUN   TestS\n    d_test.go:3: \n--- SKIP: TestS (0.00s)\nPASS\nok  \texample.com/demo/d\t0.003s\n'),
    { ran: 0, failed: 0 },
  ],
  [
    'go',
    'a TestMain that exits with 0, -v',
    out('=== RUN   TestBad\n    c_test.go:4: x\n--- FAIL: TestBad (0.00s)\nFAIL\nok  \texample.com/demo/c\t0.003s\n'),
    { ran: 1, failed: 1 },
  ],
  [
    'go',
    'a failure behind a pipe',
    out('--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/demo\t0.002s\nFAIL\n'),
    { ran: null, failed: 3 },
  ],
  ['go', 'nothing', out(''), null],
  ['unittest', 'tests that pass', err(unittestEnd(3, 'OK')), { ran: 3, failed: 0 }],
  [
    'unittest',
    'an expected failure and a skip',
    err(unittestEnd(3, 'OK (skipped=1, expected failures=1)')),
    { ran: 2, failed: 0 },
  ],
  ['unittest', 'all skipped', err(unittestEnd(1, 'OK (skipped=1)')), { ran: 0, failed: 0 }],
  ['unittest', 'all skipped, 3.12', err(unittestEnd(0, 'NO TESTS RAN (skipped=1)')), { ran: 0, failed: 0 }],
  ['unittest', 'more skipped than run, 3.12.1', err(unittestEnd(2, 'OK (skipped=3)')), { ran: 2, failed: 0 }],
  ['unittest', 'no test', err(unittestEnd(0, 'OK')), { ran: 0, failed: 0 }],
  ['unittest', 'no test, 3.12', err(unittestEnd(0, 'NO TESTS RAN')), { ran: 0, failed: 0 }],
  [
    'unittest',
    'a failure behind a pipe',
    out(`OK\n${unittestEnd(2, 'FAILED (failures=1, unexpected successes=1)')}`),
    { ran: 2, failed: 2 },
  ],
  ['unittest', 'a class that could not be set up', err(unittestEnd(0, 'FAILED (errors=1)')), { ran: 1, failed: 1 }],
  ['unittest', 'os._exit(0) in a test', err('.\n'), null],
  ['unittest', 'a result that a test printed', out('OK\nRan 3 tests in 0.1s\nhello\n'), null],
  ['cargo', 'no test', out(CARGO_NONE + CARGO_NONE), { ran: 0, failed: 0 }],
  [
    'cargo',
    'all ignored, -q',
    out(
      `\nrunning 1 test\ni\ntest result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n${CARGO_NONE}`,
    ),
    { ran: 0, failed: 0 },
  ],
  [
    'cargo',
    'a test that ends its process, beside a target that passes',
    out(
      `\nrunning 2 tests\ntest tests::b ... ignored\n\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n`,
    ),
    null,
  ],
  [
    'cargo',
    'a failure behind a pipe',
    out(
      '\nrunning 1 test\ntest a ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n',
    ),
    { ran: 1, failed: 1 },
  ],
  [
    'jest',
    'tests that pass',
    err(`Test Suites: 2 passed, 2 total\nTests:       1 skipped, 1 todo, 1 passed, 3 total\n${JEST_END}`),
    { ran: 1, failed: 0 },
  ],
  [
    'jest',
    'all skipped',
    err(`Test Suites: 1 passed, 1 total\nTests:       1 skipped, 1 todo, 2 total\n${JEST_END}`),
    { ran: 0, failed: 0 },
  ],
  ['jest', 'no test found', out('No tests found, exiting with code 0\n'), { ran: 0, failed: 0 }],
  ['jest', 'process.exit(0) in a test', err('  ●  process.exit called with "0"\n\n    > 1 | test(\n'), null],
  [
    'jest',
    'a failure behind a pipe',
    err(`Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\n${JEST_END}`),
    { ran: 1, failed: 1 },
  ],
  [
    'jest',
    'a file that did not load, behind a pipe',
    err(`Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 passed, 1 total\n${JEST_END}`),
    { ran: 1, failed: 1 },
  ],
  [
    'jest',
    'two packages, by turbo',
    out('@x/a:test: Tests:       2 passed, 2 total\n@x/b:test: Tests:       1 failed, 3 passed, 4 total\n'),
    { ran: 6, failed: 1 },
  ],
  [
    'pytest',
    'tests that pass',
    out(
      `${PYTEST_HEAD}collected 1 item\n\n============================== 1 passed in 1.60s ===============================\n`,
    ),
    { ran: 1, failed: 0 },
  ],
  ['pytest', 'tests that pass, -q', out('.s    [100%]\n1 passed, 1 skipped in 1.23s\n'), { ran: 1, failed: 0 }],
  ['pytest', 'a long run', out('===== 12 passed, 3 warnings in 75.32s (0:01:15) =====\n'), { ran: 12, failed: 0 }],
  ['pytest', 'subtests', out('=== 2 passed, 3 subtests passed in 0.10s ===\n'), { ran: 2, failed: 0 }],
  ['pytest', 'an expected failure', out('=== 1 xfailed in 0.10s ===\n'), { ran: 1, failed: 0 }],
  [
    'pytest',
    'all skipped',
    out(`${PYTEST_HEAD}\n============================== 1 skipped in 1.09s ==============================\n`),
    { ran: 0, failed: 0 },
  ],
  [
    'pytest',
    'all deselected',
    out('============================ 4 deselected in 2.20s =====\n'),
    { ran: 0, failed: 0 },
  ],
  ['pytest', 'none found', out('============================ no tests ran in 0.01s =====\n'), { ran: 0, failed: 0 }],
  ['pytest', 'os._exit(0) in a test', out(`${PYTEST_HEAD}collected 1 item\n\ntest_exit.py `), null],
  [
    'pytest',
    'os._exit(0) in the second of two runs',
    out(`${PYTEST_HEAD}\n=== 1 passed in 1.60s ===\n${PYTEST_HEAD}collected 1 item\n\ntest_exit.py `),
    null,
  ],
  ['pytest', 'a failure behind a pipe', out('=== 1 failed, 2 passed in 2.03s ===\n'), { ran: 3, failed: 1 }],
  ['pytest', 'an error behind a pipe', out('=== 2 passed, 1 error in 2.03s ===\n'), { ran: 3, failed: 1 }],
  ['tap', 'points without counts', out('1..2\nok 1 - a\nok 2 - b # skip no\n'), { ran: 1, failed: 0 }],
  ['tap', 'a plan at the end', out('ok 1\nok 2\n1..2\n'), { ran: 2, failed: 0 }],
  ['tap', 'fewer points than planned', out('1..3\nok 1 - a\nok 2 - b\n'), null],
  ['tap', 'no plan', out('ok 1 - a\n'), null],
  ['tap', 'a run that gave up', out('1..1\nok 1 - a\nBail out! no disk\n'), { ran: 1, failed: 1 }],
  ['tap', 'tape', out('TAP version 13\n# one\nok 1 a\n\n1..1\n# tests 1\n# pass  1\n\n# ok\n'), { ran: 1, failed: 0 }],
  ['tap', 'a skipped plan', out('1..0 # skip no tests\n'), { ran: 0, failed: 0 }],
];
