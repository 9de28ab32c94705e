/** Output patterns of the test runners of Go, Rust, Java, .NET, C, Swift and Dart. */
import { at, FAILED, line, type RunnerPatterns } from './lines.ts';

/** A Gradle task that runs tests, and not one that compiles them. */
const GRADLE_TASK =
  '> Task (?::[\\w.-]{1,100}){0,10}:(?!(?:compile|process|generate|ksp|kapt|clean|package|assemble|checkstyle|pmd|spotbugs|spotless|detekt|ktlint|codenarc|lint)[A-Z])(?:test|\\w{1,80}Tests?)';
const GO_JSON = '^\\{(?:"Time":"[^"]{1,60}",)?"Action":';
const MAVEN = '(?:\\[\\w+\\] )?Tests run: \\d+, Failures: \\d+, Errors: \\d+, Skipped: \\d+(?:, Flakes: \\d+)?$';
const SBT = '\\[\\w+\\] (?:Passed|Failed): Total \\d+, ';

export const COMPILED = {
  /** `totals.ts` decides from its packages whether its tests ran. */
  go: {
    ran: [],
    failed: [
      { line: line('--- FAIL: \\S+ \\([\\d.]+s\\)$'), adds: null },
      { line: line('FAIL\\t\\S'), adds: null },
    ],
  },
  'go -json': {
    ran: [
      new RegExp(`${GO_JSON}"(pass|fail)","Package":"[^"]{1,200}","Test":"`),
      new RegExp(`${GO_JSON}(?:"pass"|"skip"|"(fail)"),"Package":"[^"]{1,200}","Elapsed":`),
    ],
    failed: [
      { line: new RegExp(`${GO_JSON}"fail","Package":"[^"]{1,200}","Test":"`), adds: null },
      { line: new RegExp(`${GO_JSON}"fail","Package":"[^"]{1,200}","Elapsed":`), adds: null },
    ],
  },
  /** With more than one run, tests that failed first and passed later count as failed. */
  gotestsum: {
    ran: [at('DONE (?:\\d+ runs, )?(\\d+) tests?\\b.{0,80} in \\d')],
    skipped: { line: at('DONE (?:\\d+ runs, )?\\d+ tests?, \\d+ skipped\\b'), adds: /(\d{1,9}) skipped/g },
    failed: [{ line: line('DONE \\d+ tests?, .{0,80} in [\\d.]+s$'), adds: /(\d{1,9}) (?:failure|error)s?\b/g }],
  },
  cargo: {
    ran: [at('test result: (?:ok|FAILED)\\. (\\d+) passed; (\\d+) failed;(?: \\d+ ignored; (\\d+) measured;)?')],
    failed: [{ line: line('test result: FAILED\\. \\d+ passed; \\d+ failed;'), adds: FAILED }],
  },
  nextest: {
    ran: [at('Summary \\[ *[\\d.]+s\\] (\\d+)(?:/\\d+)? tests? run: ')],
    failed: [
      {
        line: line(' {5}Summary \\[ *[\\d.]+s\\] \\d+(?:/\\d+)? tests? run: '),
        adds: /(\d{1,9}) (?:failed|timed out|exec failed)\b/g,
      },
    ],
  },
  foundry: {
    ran: [at('No tests found in project'), at('Suite result: (?:ok|FAILED)\\. (\\d+) passed; (\\d+) failed;')],
    failed: [{ line: line('Suite result: FAILED\\. \\d+ passed; \\d+ failed;'), adds: FAILED }],
  },
  maven: {
    ran: [
      at('(?:\\[\\w+\\] )?Tests run: (\\d+), Failures: \\d'),
      at('(?:\\[\\w+\\] )?No tests to run\\.$'),
      at('(?:\\[\\w+\\] )?Tests are skipped\\.$'),
    ],
    skipped: { line: at('(?:\\[\\w+\\] )?Tests run: \\d+, Failures: \\d'), adds: /Skipped: (\d{1,9})/g },
    failed: [{ line: line(MAVEN), adds: /(?:Failures|Errors): (\d{1,9})/g }],
  },
  gradle: {
    ran: [
      new RegExp(`^${GRADLE_TASK} (?:NO-SOURCE|SKIPPED)$`),
      new RegExp(`^> (Task) ${GRADLE_TASK.slice('> Task '.length)}(?: (?:UP-TO-DATE|FROM-CACHE|FAILED))?$`),
    ],
    failed: [{ line: line('\\d+ tests? completed, \\d+ failed\\b'), adds: FAILED }],
  },
  sbt: {
    ran: [
      /^\[\w+\] (?:No tests were executed\.|No tests to run for .*)$/,
      /^\[\w+\] (?:Passed|Failed): Total \d+, Failed (\d+), Errors (\d+), Passed (\d+)/,
      /^\[\w+\] Tests: succeeded (\d+), failed (\d+), /,
    ],
    failed: [
      { line: line(SBT), adds: /(?:Failed|Errors) (\d{1,9})/g },
      { line: line('\\[\\w+\\] Tests: succeeded \\d+, failed \\d+, '), adds: /(?:failed|aborted) (\d{1,9})/g },
    ],
  },
  'clojure.test': {
    ran: [at('Ran (\\d+) tests containing \\d+ assertions\\.$')],
    failed: [{ line: line('\\d+ failures, \\d+ errors\\.$'), adds: /(\d{1,9}) (?:failures|errors)\b/g }],
    sign: line('Ran \\d+ tests containing \\d+ assertions\\.$'),
  },
  dotnet: {
    ran: [
      at('No test is available in '),
      at('No test matches the given testcase filter'),
      at('(?:Passed|Failed|Skipped)! {1,3}- Failed: {1,10}(\\d+), Passed: {1,10}(\\d+)'),
      at('Test run summary: Zero tests ran'),
      at('Test summary: total: \\d+, failed: (\\d+), succeeded: (\\d+), '),
    ],
    failed: [
      { line: line('(?:Passed|Failed)! {1,3}- Failed: {1,10}\\d'), adds: /Failed: {1,10}(\d{1,9})/g },
      { line: line('Test summary: total: \\d+, failed: \\d+, '), adds: /failed: (\d{1,9})/g },
    ],
  },
  ctest: {
    ran: [
      at('No tests were found!!!$'),
      at('\\d+% tests passed, \\d+ tests? failed out of (\\d+)$'),
      at('\\d+% tests passed out of (\\d+)$'),
    ],
    // Disabled tests (`***Not Run`) are not included.
    skipped: { line: /^ {0,6}\d+\/\d+ Test {1,6}#\d+: .*\*\*\*Skipped /, adds: null },
    failed: [{ line: line('\\d+% tests passed, \\d+ tests? failed out of '), adds: /(\d{1,9}) tests? failed/g }],
  },
  googletest: {
    ran: [
      at('\\[={10}\\] 0 tests from 0 test (?:suites|cases) ran\\.'),
      at('\\[ {2}PASSED {2}\\] (\\d+) tests?\\.$'),
      at('\\[ {2}FAILED {2}\\] (\\d+) tests?, listed below:$'),
    ],
    failed: [
      { line: line('\\[ {2}FAILED {2}\\] \\d+ tests?, listed below:$'), adds: /(\d{1,9}) tests?, listed/g },
      { line: line(' ?\\d{1,9} FAILED TESTS?$'), adds: /(\d{1,9}) FAILED/g },
    ],
  },
  Catch2: {
    ran: [
      at('No tests ran$'),
      at('All tests passed \\(\\d+ assertions? in (\\d+) test cases?\\)$'),
      at('test cases: {1,6}(\\d+) \\|'),
    ],
    skipped: { line: at('test cases: {1,6}\\d+ \\|'), adds: /(\d{1,9}) skipped/g },
    failed: [{ line: line('test cases: {1,6}\\d+ \\| '), adds: FAILED }],
  },
  meson: {
    ran: [at('No tests defined\\.$'), /^(?:Ok|Expected Fail|Fail|Unexpected Pass|Timeout): {2,25}(\d+) *$/],
    failed: [
      {
        line: line('(?:Fail|Unexpected Pass|Timeout): {2,25}\\d{1,9} *$'),
        adds: /(\d{1,9})/g,
      },
    ],
    sign: line('(?:Ok: {10,25}\\d+ *|No tests defined\\.)$'),
  },
  XCTest: {
    ran: [/^\s{0,4}Executed (\d+) tests?, with /],
    skipped: { line: /^\s{0,4}Executed \d+ tests?, with \d+ tests? skipped and /, adds: /(\d{1,9}) tests? skipped/g },
    failed: [
      {
        line: /^\s{0,2}Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures? \(/,
        adds: /(\d{1,9}) failures?/g,
        repeats: true,
      },
      { line: line("Test Case '[^']{1,200}' failed \\([\\d.]+ seconds\\)\\.?$"), adds: null },
    ],
  },
  'Swift Testing': {
    ran: [/^\S{1,2} {1,2}Test run with (\d+) tests?\b.* (?:passed|failed) after /],
    failed: [{ line: /^\S{1,2} {1,2}Test run with \d+ tests?\b.* failed after /, adds: null }],
  },
  /** Also for Flutter. */
  dart: {
    ran: [
      at('No tests ran\\.$'),
      /(?:^|\s)\d\d:\d\d \+\d+(?: ~\d+)?: All tests skipped\.$/,
      /(?:^|\s)\d\d:\d\d \+(\d+)(?: ~\d+)?(?: -(\d+))?: (?:All tests passed!|Some tests failed\.)$/,
    ],
    failed: [{ line: line('\\d\\d:\\d\\d \\+\\d+(?: ~\\d+)? -\\d+: Some tests failed\\.$'), adds: / -(\d{1,9}):/g }],
  },
} satisfies Record<string, RunnerPatterns>;
