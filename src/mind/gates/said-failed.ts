/**
 * How many failures a gate without `ids` printed. Exit code 0 is no pass where a runner counts failures: a pipe or `|| true`
 * swallows an exit code. Only lines that stand where the runner itself puts them count: a test that prints the summary of
 * another run, indented as output of tests usually is, changes nothing.
 */
import type { Printed } from './ids.ts';
import { printedLines } from './no-tests.ts';

/** `adds`: every number in a line that counts failures; null: the line itself is one. */
type FailedLine = { readonly line: RegExp; readonly adds: RegExp | null };

/** pnpm, turbo and lerna put the package's name before each line. */
const PACKAGE = '^(?:@?[\\w.-][\\w./-]{0,100}(?:[ :][\\w:.-]{1,60})?: )?';
const line = (text: string): RegExp => new RegExp(`${PACKAGE}${text}`);
const FAILED = /(\d{1,9}) (?:failed|fail)\b/g;

/** One list per runner. Its lines tell the same failures in several ways: the largest sum counts. */
const RUNNERS: readonly (readonly FailedLine[])[] = [
  // Python: pytest; unittest and Django.
  [
    {
      line: line(
        '(?:=+ )?\\d+ [a-z ]{1,30}(?:, \\d+ [a-z ]{1,30}){0,9} in \\d{1,9}\\.\\d\\ds(?: \\([\\d:., a-z]+\\))?(?: =+)?$',
      ),
      adds: /(\d{1,9}) (?:subtests )?(?:failed|errors?)\b/g,
    },
  ],
  [
    {
      line: line('FAILED \\([a-z =,\\d]{1,200}\\)$'),
      adds: /(?:(?<!expected )(?:failures|errors)|unexpected successes)=(\d{1,9})/g,
    },
  ],
  // JavaScript: node --test and TAP, vitest, jest, mocha, deno, bun.
  [
    { line: line('[ℹ#] (?:fail|cancelled) +\\d{1,9}$'), adds: /(?:fail|cancelled) +(\d{1,9})/g },
    { line: line('not ok \\d+(?! .*# (?:TODO|SKIP|todo|skip)\\b)'), adds: null },
  ],
  [
    { line: line(' {6}Tests {2}\\d'), adds: FAILED },
    { line: line(' Test Files {2}\\d'), adds: FAILED },
  ],
  [
    { line: line('Tests: {1,10}(?:\\d+ [a-z]+, ){1,6}\\d+ total$'), adds: FAILED },
    { line: line('Test Suites: {1,10}(?:\\d+ [a-z]+, ){1,6}\\d+ (?:of \\d+ )?total$'), adds: FAILED },
  ],
  [{ line: line(' {2}\\d{1,9} failing$'), adds: /(\d{1,9}) failing/g }],
  [{ line: line('FAILED \\| \\d+ passed'), adds: FAILED }],
  [{ line: line(' \\d{1,9} fail$'), adds: FAILED }],
  // Go; Rust and Solidity.
  [
    { line: line('--- FAIL: \\S+ \\([\\d.]+s\\)$'), adds: null },
    { line: line('FAIL\\t\\S'), adds: null },
  ],
  [{ line: line('(?:test|Suite) result: FAILED\\. \\d+ passed; \\d+ failed;'), adds: FAILED }],
  // Ruby and Elixir, PHP, Java, .NET, C.
  [
    {
      line: line('(?:\\d+ [a-z]+, )?\\d+ (?:examples?|tests?), \\d+ failures?(?:, |$)'),
      adds: /(\d{1,9}) (?:failures?|errors? occurred)\b/g,
    },
  ],
  [{ line: line('\\d+ (?:runs|tests), \\d+ assertions, \\d+ failures, '), adds: /(\d{1,9}) (?:failures|errors)\b/g }],
  [{ line: line('Tests: \\d+, Assertions: \\d+, '), adds: /(?:Failures|Errors): (\d{1,9})/g }],
  [{ line: line('  Tests: {1,6}\\d+ failed,'), adds: FAILED }],
  [
    {
      line: line('(?:\\[\\w+\\] )?Tests run: \\d+, Failures: \\d+, Errors: \\d+, Skipped: \\d+(?:, Flakes: \\d+)?$'),
      adds: /(?:Failures|Errors): (\d{1,9})/g,
    },
  ],
  [{ line: line('\\d+ tests? completed, \\d+ failed\\b'), adds: FAILED }],
  [{ line: line('(?:Passed|Failed)! {1,3}- Failed: {1,10}\\d'), adds: /Failed: {1,10}(\d{1,9})/g }],
  [{ line: line('\\d+% tests passed, \\d+ tests? failed out of '), adds: /(\d{1,9}) tests? failed/g }],
];

/** Failures that the summaries of known runners count; 0 when none does. */
export function failuresSaid(printed: Printed): number {
  const sums = RUNNERS.map((lines) => lines.map(() => 0));
  for (const text of printedLines(printed)) {
    if (text.length > MOST_CHARS || !MAYBE.test(text)) continue;
    for (const [runner, lines] of RUNNERS.entries()) {
      for (const [at, { line, adds }] of lines.entries()) {
        const sum = sums[runner];
        if (sum === undefined || !line.test(text)) continue;
        sum[at] = (sum[at] ?? 0) + (adds === null ? 1 : added(text, adds));
      }
    }
  }
  return sums.reduce((all, ofRunner) => all + Math.max(...ofRunner), 0);
}

const added = (text: string, numbers: RegExp): number =>
  [...text.matchAll(numbers)].reduce((all, match) => all + Number(match[1]), 0);

/** No summary is that long. */
const MOST_CHARS = 300;
/** A quick test before the exact ones: a gate may print millions of lines. */
const MAYBE = /fail|errors?\b|not ok|cancelled|successes=/i;
