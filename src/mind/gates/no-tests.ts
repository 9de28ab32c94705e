/**
 * Whether a gate without `ids` printed that it ran no test. Its runner is not known, so only the plain words count by which
 * runners close a run: at least one summary, and none of them counts a test that ran. Output without any summary says nothing.
 */
import type { Printed } from './ids.ts';

/** Without colours, and without what a moving cursor overwrote. */
export function printedLines({ stdout, stderr }: Printed): string[] {
  return `${stdout}\n${stderr}`.replaceAll(ESCAPES, '').split(/\r\n|\r|\n/);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
const ESCAPES = /\u001b\[[0-9;?]{0,20}[A-Za-z]/g;

/** pnpm, turbo and lerna put the package's name before each line. */
const AT = '(?:^|: ) {0,10}';
const line = (text: string): RegExp => new RegExp(`${AT}${text}`);

/** Summaries of runs. The groups count tests that ran; without a group the line says that there was none. */
const SUMMARIES: readonly RegExp[] = [
  // Python: unittest and Django; pytest.
  line('Ran (\\d+) tests? in \\d[\\d.]*s$'),
  line('(?:=+ )?no tests ran in \\d'),
  line('=+ (?:[a-z\\d, ]{0,80}, )?(\\d+) (?:passed|failed|error|errors|xfailed|xpassed)\\b[a-z\\d, ]{0,80} in \\d'),
  line('(?:=+ )?\\d+ (?:skipped|deselected)(?:, \\d+ (?:skipped|deselected|warnings?)){0,3} in \\d'),
  // JavaScript: node --test, vitest, jest, mocha, deno.
  line('[ℹ#] (?:pass|fail|cancelled) (\\d+)$'),
  line('No test files found, exiting'),
  line('No tests found, exiting'),
  line('Tests {2}(?:no tests|(?:\\d+ (?:skipped|todo)(?: \\| )?){1,2})(?: \\(\\d+\\))?$'),
  line('Tests {2}(?:[\\d a-z|]{0,80} )?(\\d+) (?:passed|failed)'),
  line('Tests: {1,10}(?:\\d+ (?:skipped|todo), ){0,2}\\d+ total$'),
  line('Tests: {1,10}(?:\\d+ [a-z]+, ){0,3}(\\d+) (?:passed|failed),'),
  line('(\\d+) (?:passing|failing)(?: \\(\\d+[a-z]+\\))?$'),
  line('(?:ok|FAILED) \\| (\\d+) passed'),
  // Go and Rust.
  /^(?:\? {3}\t\S+|\t\S+\t.*)\t\[no test files\]$/,
  /^ok {2}\t\S+\t.*\[no tests to run\]$/,
  /^(ok {2}|FAIL)\t\S+\t(?!.*\[no tests to run\]$)/,
  line('test result: (?:ok|FAILED)\\. (\\d+) passed; (\\d+) failed;'),
  // Ruby, PHP, Java, .NET, Solidity.
  line('(\\d+) examples?, \\d+ failures?'),
  line('(\\d+) (?:runs|tests), \\d+ assertions, \\d+ failures'),
  line('No tests executed!$'),
  line('OK \\((\\d+) tests?, \\d+ assertions?\\)$'),
  line('(?:\\[\\w+\\] )?Tests run: (\\d+), Failures: \\d'),
  line('(?:\\[\\w+\\] )?No tests to run\\.$'),
  line('No test is available in '),
  line('(?:Passed|Failed)! {1,3}- Failed: {1,10}\\d+, Passed: {1,10}(\\d+)'),
  line('No tests found in project'),
];

/** Taken from the tests that ran: unittest counts those that it skipped. */
const SKIPPED = line('OK \\((?:[a-z ]+=\\d+, )*skipped=(\\d+)(?:, [a-z ]+=\\d+)*\\)$');
/** node counts a file without tests as one that passed, under the file's name. */
const EMPTY_FILE = /^✔ \S+\.[cm]?[jt]sx? \([\d.]+ms\)$/;

export function saysNoTestRan(printed: Printed): boolean {
  let summaries = 0;
  let ran = 0;
  for (const text of printedLines(printed)) {
    if (text.length > MOST_CHARS || !MAYBE.test(text)) continue;
    if (EMPTY_FILE.test(text)) ran -= 1;
    const skipped = Number(SKIPPED.exec(text)?.[1] ?? 0);
    // Since Python 3.12.1 skipped classes are not among those that ran.
    if (skipped <= ran) ran -= skipped;
    for (const summary of SUMMARIES) {
      const found = summary.exec(text);
      if (found === null) continue;
      summaries += 1;
      for (const group of found.slice(1)) ran += /^\d+$/.test(group) ? Number(group) : 1; // a word: some ran
      break;
    }
  }
  return summaries > 0 && ran <= 0;
}

/** No summary is that long. */
const MOST_CHARS = 300;
/** A quick test before the exact ones: a gate may print millions of lines. */
const MAYBE = /test|pass|fail|cancelled|ran \d|example|runs,|skipped|selected/i;
