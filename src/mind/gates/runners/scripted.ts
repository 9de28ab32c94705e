/** Output patterns of the test runners of Python, JavaScript, Ruby, Elixir, PHP, Perl and Lua. */
import { at, FAILED, line, type RunnerPatterns } from './lines.ts';

const EXAMPLES = '(?:\\d+ [a-z]+, ){0,3}\\d+ (?:examples?|tests?), \\d+ failures?';
const MINITEST = '\\d+ (?:runs|tests), \\d+ assertions, \\d+ failures, ';

export const SCRIPTED = {
  pytest: {
    ran: [
      at('(?:=+ )?no tests ran in \\d'),
      at(
        '(?:=+ )?(?:[a-z\\d, ]{0,80}, )?(\\d+) (?:passed|failed|error|errors|xfailed|xpassed)\\b[a-z\\d, ]{0,80} in \\d',
      ),
      at('(?:=+ )?\\d+ (?:skipped|deselected)(?:, \\d+ (?:skipped|deselected|warnings?)){0,3} in \\d'),
    ],
    failed: [
      {
        line: line(
          '(?:=+ )?\\d+ [a-z ]{1,30}(?:, \\d+ [a-z ]{1,30}){0,9} in \\d{1,9}\\.\\d\\ds(?: \\([\\d:., a-z]+\\))?(?: =+)?$',
        ),
        adds: /(\d{1,9}) (?:subtests )?(?:failed|errors?)\b/g,
      },
    ],
  },
  /** Also for Django. */
  unittest: {
    ran: [at('Ran (\\d+) tests? in \\d[\\d.]*s$')],
    // Since Python 3.12.1 skipped classes do not count as run.
    skipped: { line: at('OK \\((?:[a-z ]+=\\d+, )*skipped=\\d'), adds: /skipped=(\d{1,9})/g, apart: true },
    failed: [
      {
        line: line('FAILED \\([a-z =,\\d]{1,200}\\)$'),
        adds: /(?:(?<!expected )(?:failures|errors)|unexpected successes)=(\d{1,9})/g,
      },
    ],
  },
  robot: {
    ran: [at('(\\d+) tests?, \\d+ passed, \\d+ failed(?:, \\d+ skipped)?$')],
    skipped: { line: at('\\d+ tests?, \\d+ passed, \\d+ failed, \\d+ skipped$'), adds: /(\d{1,9}) skipped/g },
    failed: [{ line: line('\\d+ tests?, \\d+ passed, \\d+ failed(?:, \\d+ skipped)?$'), adds: FAILED, repeats: true }],
  },
  /** Also for TAP; `totals.ts` decides from its plans and points whether tests ran. */
  node: {
    ran: [at('[ℹ#] (?:pass|fail|cancelled) (\\d+)$')],
    // A file without tests counts as a passed test with the file's name.
    skipped: { line: /^✔ \S+\.[cm]?[jt]sx? \([\d.]+ms\)$/, adds: null },
    failed: [
      { line: line('[ℹ#] (?:fail|cancelled) +\\d{1,9}$'), adds: /(?:fail|cancelled) +(\d{1,9})/g },
      { line: line('not ok \\d+(?! .*# (?:TODO|SKIP|todo|skip)\\b)'), adds: null },
    ],
  },
  vitest: {
    ran: [
      at('No test files found, exiting'),
      at('Tests {2}(?:no tests|(?:\\d+ (?:skipped|todo)(?: \\| )?){1,2})(?: \\(\\d+\\))?$'),
      at('Tests {2}(?:[\\d a-z|]{0,80} )?(\\d+) (?:passed|failed)'),
    ],
    failed: [
      { line: line(' {6}Tests {2}\\d'), adds: FAILED },
      { line: line(' Test Files {2}\\d'), adds: FAILED },
    ],
  },
  jest: {
    ran: [
      at('No tests found, exiting'),
      at('Tests: {1,10}(?:\\d+ (?:skipped|todo), ){0,2}\\d+ total$'),
      at('Tests: {1,10}(?:\\d+ [a-z]+, ){0,3}(\\d+) (?:passed|failed),'),
    ],
    failed: [
      { line: line('Tests: {1,10}(?:\\d+ [a-z]+, ){1,6}\\d+ total$'), adds: FAILED },
      { line: line('Test Suites: {1,10}(?:\\d+ [a-z]+, ){1,6}\\d+ (?:of \\d+ )?total$'), adds: FAILED },
    ],
  },
  /** Also for Cypress, which adds its own table. */
  mocha: {
    ran: [at('(\\d+) (?:passing|failing)(?: \\(\\d+[a-z]+\\))?$'), /^ {2}│ (?:Passing|Failing): {2,20}(\d+) +│$/],
    failed: [
      { line: line(' {2}\\d{1,9} failing$'), adds: /(\d{1,9}) failing/g },
      { line: /^ {2}│ Failing: {2,20}\d{1,9} +│$/, adds: /(\d{1,9})/g },
      { line: /^ {4}✖ {2}\d+ of \d+ failed \(\d+%\)/, adds: /(\d{1,9}) of \d+ failed/g },
    ],
  },
  deno: {
    ran: [at('(?:ok|FAILED) \\| (\\d+) passed')],
    failed: [{ line: line('FAILED \\| \\d+ passed'), adds: FAILED }],
  },
  bun: {
    ran: [line(' (\\d+) (?:pass|fail)$')],
    failed: [{ line: line(' \\d{1,9} fail$'), adds: FAILED }],
    sign: line('Ran \\d+ tests? across \\d+ files?\\.'),
  },
  ava: {
    ran: [
      /^ {2}✖ (?:Couldn.t find any files to test|No tests found in )/,
      /^ {2}\d+ tests? (?:skipped|todo)$/,
      /^ {2}(\d+) tests? (?:passed|failed)$/,
      /^ {2}(\d+) known failures?$/,
    ],
    failed: [
      {
        line: line(' {2}\\d{1,9} (?:tests? failed|uncaught exceptions?|unhandled rejections?)$'),
        adds: /(\d{1,9}) (?:tests? failed|uncaught|unhandled)/g,
      },
    ],
  },
  jasmine: {
    ran: [at('(\\d+) specs?, \\d+ failures?(?:, \\d+ pending specs?)?$')],
    skipped: { line: at('\\d+ specs?, \\d+ failures?, \\d+ pending specs?$'), adds: /(\d{1,9}) pending/g },
    failed: [{ line: line('\\d+ specs?, \\d+ failures?(?:, \\d+ pending specs?)?$'), adds: /(\d{1,9}) failure/g }],
  },
  karma: {
    ran: [
      at('Executed 0 of \\d+ .*(?:SUCCESS|ERROR)'),
      at('Executed ([1-9]\\d*) of \\d+ .*secs'),
      at('TOTAL: (?:\\d+ FAILED, )?(\\d+) SUCCESS$'),
    ],
    failed: [
      {
        line: /^(?:\S.{0,100}: )?Executed \d+ of \d+ \(\d+ FAILED\)/,
        adds: /\((\d{1,9}) FAILED\)/g,
        repeats: true,
      },
      { line: line('TOTAL: \\d+ FAILED, \\d+ SUCCESS$'), adds: /(\d{1,9}) FAILED/g },
    ],
  },
  playwright: {
    ran: [/^Running \d+ tests? using \d+ workers?/, /^ {2}(\d+) (?:passed \(.{1,20}\)|failed|flaky)$/],
    failed: [{ line: line(' {2}\\d{1,9} (?:failed|interrupted)$'), adds: /(\d{1,9}) (?:failed|interrupted)/g }],
    sign: line('Running \\d+ tests? using \\d+ workers?'),
  },
  cucumber: {
    ran: [
      at('(\\d+) scenarios? \\((?!\\d+ (?:skipped|pending|undefined)\\))'),
      at('0 scenarios$'),
      at('\\d+ scenarios? \\(\\d+ (?:skipped|pending|undefined)\\)$'),
    ],
    failed: [{ line: line('\\d+ scenarios? \\(\\d+ failed'), adds: FAILED }],
  },
  /** rspec, ExUnit, bats and hspec. */
  examples: {
    ran: [
      at('There are no tests to run$'),
      at('(?:(\\d+) [a-z]+, )?(?:(\\d+) [a-z]+, )?(\\d+) (?:examples?|tests?), \\d+ failures?(?:, |$)'),
    ],
    skipped: { line: at(`${EXAMPLES}, \\d`), adds: /(\d{1,9}) (?:pending|skipped|excluded|invalid)\b/g },
    failed: [{ line: line(`${EXAMPLES}(?:, |$)`), adds: /(\d{1,9}) (?:failures?|errors? occurred)\b/g }],
  },
  /** Since Elixir 1.20. */
  ExUnit: {
    ran: [
      line('Result: (?:\\d+ [a-z]+, ){0,3}(\\d+) (?:passed|failed)\\b'),
      line('Result: \\d+ (?:excluded|skipped)(?:, \\d+ (?:excluded|skipped))?$'),
    ],
    failed: [{ line: line('Result: (?:\\d+ [a-z]+, ){0,4}\\d+ [a-z]+$'), adds: FAILED }],
    sign: line('Finished in [\\d.]+ seconds \\('),
  },
  /** Also for test-unit. */
  minitest: {
    ran: [at('(\\d+) (?:runs|tests), \\d+ assertions, \\d+ failures')],
    skipped: { line: at(MINITEST), adds: /(\d{1,9}) (?:skips|pendings|omissions)\b/g },
    failed: [{ line: line(MINITEST), adds: /(\d{1,9}) (?:failures|errors)\b/g }],
  },
  phpunit: {
    ran: [
      at('No tests executed!$'),
      at('OK \\((\\d+) tests?, \\d+ assertions?\\)$'),
      at('Tests: (\\d+), Assertions: \\d+[,.]'),
    ],
    skipped: { line: at('Tests: \\d+, Assertions: \\d+, '), adds: /(?:Skipped|Incomplete): (\d{1,9})/g },
    failed: [{ line: line('Tests: \\d+, Assertions: \\d+, '), adds: /(?:Failures|Errors): (\d{1,9})/g }],
  },
  pest: {
    ran: [
      line(' {0,4}(?:INFO {2})?No tests found\\.$'),
      at('Tests: {1,6}(?:\\d+ (?:skipped|todos?|incomplete)(?:, )?){1,3} \\(\\d+ assertions\\)$'),
      at(
        'Tests: {1,6}(?:\\d+ [a-z]+, ){0,6}(\\d+) (?:passed|failed|risky|deprecated|warnings?)\\b.* \\(\\d+ assertions\\)$',
      ),
    ],
    failed: [{ line: line('  Tests: {1,6}\\d+ failed,'), adds: FAILED }],
  },
  /** Perl's harness. */
  prove: {
    ran: [at('Files=\\d+, Tests=(\\d+), ')],
    failed: [{ line: line('Failed \\d+/\\d+ test programs\\.'), adds: /(\d{1,9})\/\d+ subtests failed/g }],
  },
  busted: {
    ran: [at('(\\d+) successe?s? / (\\d+) failures? / \\d+ errors? / \\d+ pending')],
    failed: [
      { line: line('\\d+ successe?s? / \\d+ failures? / \\d+ errors? / '), adds: /(\d{1,9}) (?:failure|error)s?\b/g },
    ],
  },
} satisfies Record<string, RunnerPatterns>;
