/** What each known runner prints when it finds no test, when all tests are skipped, when one passes, and when one fails. */
import type { RunnerName } from '../../src/mind/gates/runners/index.ts';

type Outputs = {
  readonly empty: readonly string[];
  /** Null if it does not print that tests were skipped. */
  readonly skipped: readonly string[] | null;
  readonly one: readonly string[];
  /** One failed test, and exit code 0. */
  readonly failed: readonly string[];
};

const mvn = (run: number, failures: number, skipped: number) =>
  `[INFO] Tests run: ${run}, Failures: ${failures}, Errors: 0, Skipped: ${skipped}\n`;
const box = (passing: number, failing: number) =>
  `  │ Tests:        3                      │\n  │ Passing:      ${passing}                      │\n  │ Failing:      ${failing}                      │\n`;
const event = (action: string, rest: string) =>
  `{"Time":"2026-01-02T10:00:00.000000001Z","Action":"${action}","Package":"example.com/a"${rest}}\n`;
const meson = (ok: number, fail: number, skipped: number) =>
  `Ok:                 ${ok}   \nExpected Fail:      0   \nFail:               ${fail}   \nUnexpected Pass:    0   \nSkipped:            ${skipped}   \nTimeout:            0   \n`;
const mtp = (failed: number, succeeded: number, skipped: number) =>
  `Test summary: total: ${failed + succeeded + skipped}, failed: ${failed}, succeeded: ${succeeded}, skipped: ${skipped}, duration: 1.2s\n`;
const swift = (text: string) =>
  `Test Suite 'All tests' passed at 2026-01-02 10:00:00.000.\n\t Executed ${text} in 0.001 (0.002) seconds\n`;

export const OUTPUTS: Readonly<Record<RunnerName, Outputs>> = {
  pytest: {
    empty: ['no tests ran in 0.01s\n', '=== no tests ran in 0.01s ===\n', '=== 4 deselected in 0.01s ===\n'],
    skipped: ['3 skipped in 0.01s\n', '=== 3 skipped, 1 warning in 0.01s ===\n'],
    one: ['1 passed in 0.01s\n', '=== 1 passed, 2 skipped in 0.01s ===\n', '1 passed in 0.01s\n2 skipped in 0.01s\n'],
    failed: ['=== 1 failed, 2 passed in 0.01s ===\n'],
  },
  unittest: {
    empty: ['Ran 0 tests in 0.000s\n\nOK\n', 'Ran 0 tests in 0.000s\n\nNO TESTS RAN\n'],
    skipped: ['Ran 2 tests in 0.000s\n\nOK (skipped=2)\n', 'Ran 0 tests in 0.000s\n\nOK (skipped=2)\n'],
    one: ['Ran 1 test in 0.000s\n\nOK\n', 'Ran 1 test in 0.000s\n\nOK (skipped=3)\n'],
    failed: ['Ran 2 tests in 0.000s\n\nFAILED (failures=1)\n'],
  },
  robot: {
    empty: ['0 tests, 0 passed, 0 failed\n'],
    skipped: ['3 tests, 0 passed, 0 failed, 3 skipped\n'],
    one: ['3 tests, 1 passed, 0 failed, 2 skipped\n', '1 test, 1 passed, 0 failed\n'],
    failed: ['Demo :: a suite | FAIL |\n2 tests, 1 passed, 1 failed\n2 tests, 1 passed, 1 failed\n'],
  },
  node: {
    empty: [
      'ℹ tests 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\n',
      'TAP version 13\n1..0\n',
      '1..0\n# tests 0\n# pass 0\n',
      '✔ a.test.mjs (126.3ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n',
    ],
    skipped: [
      'ℹ tests 3\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 3\n',
      '1..0 # SKIP no database\n',
      'TAP version 13\nok 1 - a # SKIP no database\nok 2 - b # skip\n1..2\n',
      'ok 1 - a suite # SKIP\n1..1\n# tests 3\n# pass 0\n# fail 0\n# skipped 3\n',
    ],
    one: [
      '✔ a (1.02ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n',
      'TAP version 13\nok 1 - a\n1..1\n',
      '1..0\n1..1\nok 1 - a\n',
    ],
    failed: ['✖ a (1.02ms)\nℹ tests 1\nℹ pass 0\nℹ fail 1\n', '1..2\nok 1 - a\nnot ok 2 - b\n'],
  },
  vitest: {
    empty: ['No test files found, exiting with code 0\n', ' Test Files  1 passed (1)\n      Tests  no tests\n'],
    skipped: [' Test Files  1 skipped (1)\n      Tests  3 skipped (3)\n', '      Tests  1 skipped | 2 todo (3)\n'],
    one: [' Test Files  1 passed (1)\n      Tests  1 passed | 2 skipped (3)\n'],
    failed: [' Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n'],
  },
  jest: {
    empty: ['No tests found, exiting with code 0\n', 'Tests:       0 total\n'],
    skipped: ['Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\n'],
    one: ['Test Suites: 1 passed, 1 total\nTests:       2 skipped, 1 passed, 3 total\n'],
    failed: ['Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 passed, 2 total\n'],
  },
  mocha: {
    empty: ['\n  0 passing (1ms)\n', `\n  0 passing (1ms)\n\n  (Results)\n${box(0, 0)}`],
    skipped: ['\n  0 passing (1ms)\n  3 pending\n'],
    one: ['\n  1 passing (1ms)\n  2 pending\n', box(1, 0)],
    failed: ['\n  2 passing (1ms)\n  1 failing\n', box(2, 1), `  2 passing (1s)\n  1 failing\n${box(2, 1)}`],
  },
  deno: {
    empty: ['ok | 0 passed | 0 failed (3ms)\n'],
    skipped: ['ok | 0 passed | 0 failed | 3 ignored (3ms)\n'],
    one: ['ok | 1 passed (2 steps) | 0 failed | 2 ignored (3ms)\n'],
    failed: ['FAILED | 1 passed | 1 failed (3ms)\n'],
  },
  bun: {
    empty: [
      ' 0 pass\n 0 fail\nRan 0 tests across 0 files. [8.00ms]\n',
      ' 0 pass\n 0 fail\nRan 0 tests across 1 file. [8.00ms]\n',
    ],
    skipped: [' 0 pass\n 3 skip\n 0 fail\nRan 3 tests across 1 file. [8.00ms]\n'],
    one: [' 1 pass\n 2 skip\n 0 fail\nRan 3 tests across 1 file. [8.00ms]\n'],
    failed: [' 1 pass\n 1 fail\n 3 expect() calls\nRan 2 tests across 1 file. [8.00ms]\n'],
  },
  ava: {
    empty: ['\n  ✖ Couldn’t find any files to test\n', '  ✖ No tests found in test.js\n'],
    skipped: ['  - a\n  ─\n\n  3 tests skipped\n', '  ─\n\n  1 test todo\n'],
    one: ['  ✔ a\n  ─\n\n  1 test passed\n  2 tests skipped\n'],
    failed: ['  ✘ [fail]: a\n  ─\n\n  1 test failed\n  2 tests passed\n', '  1 test passed\n  1 uncaught exception\n'],
  },
  jasmine: {
    empty: ['No specs found\nFinished in 0.001 seconds\nIncomplete: No specs found\n\n0 specs, 0 failures\n'],
    skipped: ['3 specs, 0 failures, 3 pending specs\n'],
    one: ['1 spec, 0 failures\n', '3 specs, 0 failures, 2 pending specs\n'],
    failed: ['3 specs, 1 failure, 1 pending spec\n'],
  },
  karma: {
    empty: [
      'Chrome Headless 120.0.0.0 (Linux x86_64): Executed 0 of 0 SUCCESS (0.001 secs / 0 secs)\n',
      'Chrome Headless 120.0.0.0 (Linux x86_64): Executed 0 of 0 ERROR (0.001 secs / 0 secs)\n',
    ],
    skipped: ['Chrome Headless 120.0.0.0 (Linux x86_64): Executed 0 of 3 (skipped 3) SUCCESS (0.001 secs / 0 secs)\n'],
    one: [
      'Chrome Headless 120.0.0.0 (Linux): Executed 0 of 1 SUCCESS (0 secs / 0 secs)\nChrome Headless 120.0.0.0 (Linux): Executed 1 of 1 SUCCESS (0.01 secs / 0.005 secs)\nTOTAL: 1 SUCCESS\n',
    ],
    failed: [
      'Firefox 120.0 (Linux): Executed 1 of 2 (1 FAILED) (0 secs / 0 secs)\nFirefox 120.0 (Linux): Executed 2 of 2 (1 FAILED) (0.01 secs / 0.005 secs)\nTOTAL: 1 FAILED, 1 SUCCESS\n',
    ],
  },
  playwright: {
    empty: ['Running 0 tests using 0 workers\n'],
    skipped: ['\nRunning 3 tests using 1 worker\n---\n  3 skipped\n'],
    one: [
      '\nRunning 3 tests using 1 worker\n\n  2 skipped\n  1 passed (1.2s)\n',
      'Running 1 test using 1 worker\n  1 flaky\n',
    ],
    failed: ['\nRunning 3 tests using 2 workers\n  1 failed\n    [chromium] › a.spec.ts:3:1 › a\n  2 passed (1.2s)\n'],
  },
  cucumber: {
    empty: ['0 scenarios\n0 steps\n0m00.000s\n'],
    skipped: ['3 scenarios (3 skipped)\n9 steps (9 skipped)\n'],
    one: ['1 scenario (1 passed)\n3 steps (3 passed)\n'],
    failed: ['3 scenarios (1 failed, 2 passed)\n9 steps (1 failed, 8 passed)\n'],
  },
  go: {
    empty: [
      '?   \texample.com/a\t[no test files]\n',
      '\texample.com/a\t\tcoverage: 0.0% of statements\n\texample.com/b\t\tcoverage: 0.0% of statements\n',
      'ok  \texample.com/a\t0.002s [no tests to run]\n',
      'go: warning: "./..." matched no packages\n',
      'go: warning: "./..." matched no packages\nno packages to test\n',
    ],
    skipped: ['=== RUN   TestA\n    a_test.go:3: later\n--- SKIP: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.002s\n'],
    one: [
      'ok  \texample.com/a\t0.002s\n',
      '\texample.com/a\t\tcoverage: 0.0% of statements\nok  \texample.com/b\t0.002s\tcoverage: 50.0% of statements\n',
      '=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- SKIP: TestB (0.00s)\nPASS\nok  \texample.com/a\t0.002s\n',
    ],
    failed: ['--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.002s\nFAIL\n'],
  },
  'go -json': {
    empty: [event('start', '') + event('skip', ',"Elapsed":0')],
    skipped: [
      event('start', '') +
        event('run', ',"Test":"TestA"') +
        event('skip', ',"Test":"TestA","Elapsed":0') +
        event('pass', ',"Elapsed":0.002'),
    ],
    one: [
      event('skip', ',"Test":"TestB","Elapsed":0') +
        event('pass', ',"Test":"TestA","Elapsed":0') +
        event('pass', ',"Elapsed":0.002'),
    ],
    failed: [
      event('fail', ',"Test":"TestA","Elapsed":0') + event('fail', ',"Elapsed":0.002'),
      event('fail', ',"Elapsed":0'),
    ],
  },
  gotestsum: {
    empty: ['∅  . (2ms)\n\nDONE 0 tests in 0.341s\n'],
    skipped: ['DONE 3 tests, 3 skipped in 0.341s\n'],
    one: ['DONE 1 tests in 0.341s\n', 'DONE 3 tests, 2 skipped in 0.341s\n'],
    failed: ['DONE 3 tests, 1 skipped, 1 failure in 0.341s\n', 'DONE 3 tests, 1 error in 0.341s\n'],
  },
  cargo: {
    empty: ['test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n'],
    skipped: ['test result: ok. 0 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.00s\n'],
    one: [
      'test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s\n',
      'test result: ok. 0 passed; 0 failed; 0 ignored; 1 measured; 0 filtered out; finished in 0.00s\n',
    ],
    failed: ['test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n'],
  },
  nextest: {
    empty: ['    Starting 0 tests across 1 binary\n     Summary [   0.001s] 0 tests run: 0 passed, 0 skipped\n'],
    skipped: ['     Summary [   0.001s] 0 tests run: 0 passed, 3 skipped\n'],
    one: ['     Summary [   0.005s] 1 test run: 1 passed, 2 skipped\n'],
    failed: [
      '     Summary [   0.005s] 3/5 tests run: 2 passed (1 slow), 1 failed, 0 skipped\n',
      '     Summary [  60.005s] 1 test run: 0 passed, 1 timed out, 0 skipped\n',
    ],
  },
  foundry: {
    empty: ['No tests found in project! Forge looks for functions that starts with `test`.\n'],
    skipped: ['Suite result: ok. 0 passed; 0 failed; 3 skipped; finished in 1.2ms\n'],
    one: ['Suite result: ok. 1 passed; 0 failed; 2 skipped; finished in 1.2ms\n'],
    failed: ['Suite result: FAILED. 1 passed; 1 failed; 0 skipped; finished in 1.2ms\n'],
  },
  examples: {
    empty: ['No examples found.\n\n0 examples, 0 failures\n', 'There are no tests to run\n', '0 tests, 0 failures\n'],
    skipped: [
      '3 examples, 0 failures, 3 pending\n',
      '3 tests, 0 failures, 3 excluded\n',
      '4 tests, 0 failures, 3 excluded, 1 skipped\n',
    ],
    one: [
      '1 example, 0 failures\n',
      '9 properties, 3 tests, 0 failures, 11 excluded\n',
      '1 doctest, 1 test, 0 failures, 1 skipped\n',
    ],
    failed: ['3 examples, 1 failure, 1 pending\n', '1 doctest, 1 property, 2 tests, 1 failure\n'],
  },
  ExUnit: {
    empty: ['Finished in 0.01 seconds (0.00s async, 0.01s sync)\nThere are no tests to run\n'],
    skipped: [
      'Finished in 0.01 seconds (0.00s async, 0.01s sync)\n\nResult: 3 excluded\n',
      'Finished in 0.1 seconds (0.1s async)\nResult: 0 passed, 3 excluded\n',
    ],
    one: ['Finished in 0.01 seconds (0.00s async, 0.01s sync)\n\nResult: 1 passed, 3 excluded\n'],
    failed: ['Finished in 0.01 seconds (0.00s async, 0.01s sync)\n\nResult: 1 failed, 2 passed\n'],
  },
  minitest: {
    empty: ['0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n'],
    skipped: [
      '3 runs, 0 assertions, 0 failures, 0 errors, 3 skips\n',
      '3 tests, 0 assertions, 0 failures, 0 errors, 1 pendings, 2 omissions, 0 notifications\n',
    ],
    one: ['3 runs, 1 assertions, 0 failures, 0 errors, 2 skips\n'],
    failed: ['3 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n'],
  },
  phpunit: {
    empty: ['No tests executed!\n'],
    skipped: [
      'OK, but some tests were skipped!\nTests: 3, Assertions: 0, Skipped: 3.\n',
      'OK, but incomplete, skipped, or risky tests!\nTests: 3, Assertions: 0, Skipped: 2, Incomplete: 1.\n',
    ],
    one: ['OK (1 test, 1 assertion)\n', 'OK, but some tests were skipped!\nTests: 3, Assertions: 1, Skipped: 2.\n'],
    failed: ['FAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n'],
  },
  pest: {
    empty: ['\n   INFO  No tests found.\n', 'No tests found.\n'],
    skipped: ['\n  Tests:    3 skipped (0 assertions)\n', '  Tests:    1 todo, 2 skipped (0 assertions)\n'],
    one: ['\n  Tests:    2 skipped, 1 passed (1 assertions)\n', '  Tests:    1 risky (0 assertions)\n'],
    failed: ['\n  Tests:    1 failed, 2 passed (3 assertions)\n'],
  },
  prove: {
    empty: ['Files=0, Tests=0,  0 wallclock secs ( 0.00 usr +  0.00 sys =  0.00 CPU)\nResult: NOTESTS\n'],
    skipped: ['t/a.t .. skipped: no database\nFiles=1, Tests=0,  0 wallclock secs\nResult: NOTESTS\n'],
    one: ['t/a.t .. ok\nAll tests successful.\nFiles=1, Tests=1,  0 wallclock secs\nResult: PASS\n'],
    failed: ['Failed 1/1 test programs. 1/3 subtests failed.\nFiles=1, Tests=3,  0 wallclock secs\nResult: FAIL\n'],
  },
  busted: {
    empty: ['0 successes / 0 failures / 0 errors / 0 pending : 0.0 seconds\n'],
    skipped: ['0 successes / 0 failures / 0 errors / 3 pending : 0.0 seconds\n'],
    one: ['1 success / 0 failures / 0 errors / 2 pending : 0.0 seconds\n'],
    failed: ['1 success / 1 failure / 0 errors / 0 pending : 0.0 seconds\n'],
  },
  maven: {
    empty: ['[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n', '[INFO] Tests are skipped.\n'],
    skipped: [
      `[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3, Time elapsed: 0.05 s - in A\n${mvn(3, 0, 3)}`,
    ],
    one: [mvn(3, 0, 2), `[INFO] No tests to run.\n${mvn(1, 0, 0)}`],
    failed: [mvn(3, 1, 0)],
  },
  gradle: {
    empty: [
      '> Task :compileTestJava NO-SOURCE\n> Task :testClasses UP-TO-DATE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n',
      '> Task :app:testDebugUnitTest NO-SOURCE\n> Task :app:lintVitalTest\n> Task :lib:checkstyleTest\n',
      '> Task :test SKIPPED\n> Task :check\n',
    ],
    skipped: null,
    one: ['> Task :test\n\nBUILD SUCCESSFUL in 1s\n', '> Task :app:test NO-SOURCE\n> Task :lib:jvmTest FROM-CACHE\n'],
    failed: ['> Task :test FAILED\n\n3 tests completed, 1 failed\n'],
  },
  sbt: {
    empty: ['[info] No tests were executed.\n', '[info] No tests to run for Test / test\n[success] Total time: 1 s\n'],
    skipped: [
      '[info] Tests: succeeded 0, failed 0, canceled 0, ignored 3, pending 0\n[info] No tests were executed.\n',
      '[info] Passed: Total 3, Failed 0, Errors 0, Passed 0, Skipped 3\n',
    ],
    one: [
      '[info] Tests: succeeded 1, failed 0, canceled 0, ignored 2, pending 0\n[info] All tests passed.\n',
      '[info] Passed: Total 1, Failed 0, Errors 0, Passed 1\n',
    ],
    failed: [
      '[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n[error] Failed tests:\n[error] \tdemo.A\n',
      '[info] Tests: succeeded 2, failed 1, canceled 0, ignored 0, pending 0\n[info] *** 1 TEST FAILED ***\n',
    ],
  },
  'clojure.test': {
    empty: ['Ran 0 tests containing 0 assertions.\n0 failures, 0 errors.\n'],
    skipped: null,
    one: ['Ran 1 tests containing 2 assertions.\n0 failures, 0 errors.\n'],
    failed: ['Ran 2 tests containing 2 assertions.\n1 failures, 0 errors.\n'],
  },
  dotnet: {
    empty: [
      'No test is available in /workspace/a.dll. Make sure\n',
      'No test matches the given testcase filter `x` in /workspace/a.dll\n',
      'Test run summary: Zero tests ran - a.dll\n',
    ],
    skipped: ['Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3\n', mtp(0, 0, 3)],
    one: ['Passed!  - Failed:     0, Passed:     1, Skipped:     2, Total:     3\n', mtp(0, 1, 2)],
    failed: ['Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3\n', mtp(1, 2, 0)],
  },
  ctest: {
    empty: ['Test project /workspace/build\nNo tests were found!!!\n'],
    skipped: [
      '1/2 Test #1: x ................................***Skipped   0.00 sec\n2/2 Test #2: y ................................***Not Run (Disabled)   0.00 sec\n\n100% tests passed, 0 tests failed out of 1\n',
    ],
    one: [
      '1/2 Test #1: x ................................***Skipped   0.00 sec\n2/2 Test #2: y ................................   Passed    0.00 sec\n\n100% tests passed, 0 tests failed out of 2\n',
      '1/1 Test #1: x ................................   Passed    0.00 sec\n\n100% tests passed, 0 tests failed out of 1\n',
    ],
    failed: ['50% tests passed, 1 tests failed out of 2\n'],
  },
  googletest: {
    empty: [
      '[==========] Running 0 tests from 0 test suites.\n[==========] 0 tests from 0 test suites ran. (0 ms total)\n[  PASSED  ] 0 tests.\n',
    ],
    skipped: ['[  PASSED  ] 0 tests.\n[  SKIPPED ] 3 tests, listed below:\n[  SKIPPED ] A.a\n'],
    one: ['[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 1 test.\n'],
    failed: ['[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.a\n\n 1 FAILED TEST\n'],
  },
  Catch2: {
    empty: ['===============================================================================\nNo tests ran\n'],
    skipped: ['test cases: 3 | 3 skipped\nassertions: - none -\n'],
    one: ['All tests passed (3 assertions in 1 test case)\n', 'test cases: 3 | 1 passed | 2 skipped\n'],
    failed: ['test cases: 3 | 2 passed | 1 failed\nassertions: 9 | 8 passed | 1 failed\n'],
  },
  meson: {
    empty: ['No tests defined.\n'],
    skipped: [meson(0, 0, 3)],
    one: [meson(1, 0, 2)],
    failed: [meson(2, 1, 0)],
  },
  XCTest: {
    empty: [swift('0 tests, with 0 failures (0 unexpected)')],
    skipped: [swift('3 tests, with 3 tests skipped and 0 failures (0 unexpected)')],
    one: [
      swift('1 test, with 0 failures (0 unexpected)'),
      `${swift('3 tests, with 2 tests skipped and 0 failures (0 unexpected)')}✔ Test run with 0 tests passed after 0.001 seconds.\n`,
    ],
    failed: [
      `Test Case 'A.testA' failed (0.001 seconds)\n${swift('2 tests, with 1 failure (0 unexpected)').repeat(3)}`,
    ],
  },
  'Swift Testing': {
    empty: [
      '✔ Test run with 0 tests passed after 0.001 seconds.\n',
      '✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.\n',
    ],
    skipped: null,
    one: ['✔ Test run with 1 test in 1 suite passed after 0.001 seconds.\n'],
    failed: ['✘ Test run with 3 tests failed after 0.002 seconds with 1 issue.\n'],
  },
  dart: {
    empty: ['No tests ran.\n'],
    skipped: ['00:00 +0: loading a_test.dart\n00:00 +0 ~3: All tests skipped.\n'],
    one: ['00:00 +0: a\r00:00 +1 ~2: All tests passed!\n'],
    failed: ['00:00 +0 -1: a [E]\n00:00 +2 -1: Some tests failed.\n'],
  },
};
