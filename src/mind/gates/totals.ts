/**
 * How many tests a runner says it ran. With a known runner (`ids`) exit code 0 alone is no pass: the runner may find no
 * test, skip all of them, be ended early by a test (`process.exit(0)`), or have its exit code swallowed (`… | tee
 * log`).
 *
 * Parsing ignores text around the totals, because a green run may print anything. It is strict about the totals: none
 * is an error, and one failed test among several runs is red. A test that prints forged totals can only add tests that
 * ran or failed; it cannot remove a failure.
 */
import { assertNever } from '../../kernel/assert-never.ts';
import type { IdFormat, RunnerOutput } from './ids.ts';
import { printedLines } from './printed-lines.ts';
import { ranOf } from './runner-output.ts';

/** `ran`: null if the runner says that some ran, but not how many. */
type Totals = { readonly ran: number | null; readonly failed: number };

type RunnerTotals =
  /** The exit code stands. */
  | { readonly type: 'stands'; readonly ran: number | null }
  /** The exit code is 0, but the runner counts failures. */
  | { readonly type: 'red'; readonly ended: string }
  | { readonly type: 'error'; readonly problem: string; readonly noTests: boolean };

/** Compares an exit code with the runner's totals. `ended`: how it ended, as part of a sentence. */
export function checkTotals(
  format: IdFormat,
  printed: RunnerOutput,
  run: { readonly green: boolean; readonly ended: string },
): RunnerTotals {
  const totals = totalsIn(format, printed);
  if (totals !== null && totals.ran === 0 && totals.failed === 0)
    return {
      type: 'error',
      problem: `no test ran: ${run.ended}, and none was found or all were skipped`,
      noTests: true,
    };
  if (!run.green) return { type: 'stands', ran: totals?.ran ?? null };
  if (totals === null) {
    const problem = `${run.ended}, but the summary that ${format} prints at its end is missing: the run ended early, or prints in another form (let it print its usual summary, or remove \`ids\` from the gate)`;
    return { type: 'error', problem, noTests: false };
  }
  if (totals.failed > 0) return { type: 'red', ended: `${run.ended}, but its summary counts ${totals.failed} failed` };
  return { type: 'stands', ran: totals.ran };
}

const FORMATS: readonly IdFormat[] = ['tap', 'vitest', 'jest', 'pytest', 'unittest', 'go', 'cargo'];

/** The summary of any runner with a test that ran; null if there is none. */
export function summaryIn(printed: RunnerOutput): Totals | null {
  const found = FORMATS.map((format) => totalsIn(format, printed));
  return found.find((totals) => totals !== null && totals.ran !== 0) ?? null;
}

/** Returns null if a run started and printed no totals at its end. */
export function totalsIn(format: IdFormat, printed: RunnerOutput): Totals | null {
  const lines = printedLines(printed);
  switch (format) {
    case 'vitest':
    case 'jest':
    case 'pytest':
      return worded(lines, WORDED[format]);
    case 'tap':
      return tap(lines);
    case 'unittest':
      return unittest(lines);
    case 'go':
      return go(lines);
    case 'cargo':
      return cargo(lines);
    default:
      return assertNever(format, 'format of test ids');
  }
}

type Worded = {
  /** The line that starts a run; null if the runner prints none. */
  readonly begins: RegExp | null;
  /** The line of totals; its first group is a list such as `1 failed, 2 passed`. */
  readonly totals: RegExp;
  /** Whole files that failed, on a separate line. */
  readonly files: RegExp | null;
  readonly ran: readonly string[];
  readonly failed: readonly string[];
};

/** After a colon: pnpm, turbo and lerna put the package's name before each line. */
const WORDED: Readonly<Record<'vitest' | 'jest' | 'pytest', Worded>> = {
  vitest: {
    begins: /(?:^|:) {0,40}RUN {2}v\d/,
    totals:
      /(?:^|:) {0,40}(?:Tests {2}(no tests|\d+ [a-z][a-z |\d]{1,150}?)(?: \(\d+\))?|No test files found, exiting.*)$/,
    files: /(?:^|:) {0,40}Test Files {2}(\d+ failed)\b/,
    ran: ['passed', 'failed', 'expected fail'],
    failed: ['failed'],
  },
  jest: {
    begins: null,
    totals: /(?:^|:) {0,40}(?:Tests: {1,20}((?:\d+ [a-z]+, ){0,6})\d+ total|No tests found, exiting.*)$/,
    files: /(?:^|:) {0,40}Test Suites: {1,20}(\d+ failed),/,
    ran: ['passed', 'failed'],
    failed: ['failed'],
  },
  pytest: {
    begins: /^=+ test session starts =+$/,
    totals:
      /^(?:=+ )?(no tests ran|\d+ [a-z ]{1,30}(?:, \d+ [a-z ]{1,30}){0,9}) in \d[\d.]{0,12} ?s(?:econds)?(?: \([\d:., a-z]{1,30}\))?(?: =+)?$/,
    files: null,
    ran: ['passed', 'failed', 'xfailed', 'xpassed', 'error', 'errors'],
    failed: ['failed', 'error', 'errors'],
  },
};

function worded(lines: readonly string[], { begins, totals, files, ...words }: Worded): Totals | null {
  const lists = lines.flatMap((line) => {
    const match = totals.exec(line);
    return match === null ? [] : [match[1] ?? ''];
  });
  const begun = begins === null ? 0 : lines.filter((line) => begins.test(line)).length;
  if (lists.length === 0 || begun > lists.length) return null;
  const sum = (wanted: readonly string[], from: readonly string[]) =>
    from
      .flatMap((list) => list.split(/[,|]/))
      .map((part) => /^ *(\d+) (.*?) *$/.exec(part))
      .reduce((all, part) => all + (wanted.includes(part?.[2] ?? '') ? Number(part?.[1]) : 0), 0);
  const failedFiles = files === null ? [] : lines.flatMap((line) => files.exec(line)?.[1] ?? []);
  return {
    ran: sum(words.ran, lists),
    failed: Math.max(sum(words.failed, lists), sum(words.failed, failedFiles)),
  };
}

/** Uses the counts of node, tape and mocha; without them the points, by the rules of the format. */
function tap(lines: readonly string[]): Totals | null {
  const numbers = (shape: RegExp) => lines.flatMap((line) => shape.exec(line)?.[1] ?? []).map(Number);
  const sum = (shape: RegExp) => numbers(shape).reduce((all, one) => all + one, 0);
  const plans = numbers(/^1\.\.(\d{1,9})\b/);
  const versions = lines.filter((line) => /^TAP version 1[34]$/.test(line)).length;
  if (plans.length === 0 || versions > plans.length) return null;
  const points = lines.flatMap((line, index) => {
    const match = /^(not )?ok\b(?: \d+)?(?: -)? ?(.*)$/.exec(line);
    return match === null ? [] : [{ bad: match[1] !== undefined, rest: match[2] ?? '', before: lines[index - 1] }];
  });
  const planned = plans.reduce((all, one) => all + one, 0);
  if (points.length < planned) return null;
  const bailed = lines.some((line) => line.startsWith('Bail out!')) ? 1 : 0;
  const counted = numbers(/^# pass +(\d{1,9})$/).length > 0;
  if (counted) {
    const failed = sum(/^# fail +(\d{1,9})$/) + sum(/^# cancelled +(\d{1,9})$/);
    // node counts a file in which no test ran as a passed test with the file's name.
    const files = points.filter(({ bad, rest, before }) => !bad && FILE.test(rest) && before === `# Subtest: ${rest}`);
    return { ran: Math.max(0, sum(/^# pass +(\d{1,9})$/) - files.length) + failed, failed: failed + bailed };
  }
  const ran = points.filter(({ rest }) => !/# (?:skip|todo)\b/i.test(rest));
  return { ran: ran.length, failed: ran.filter(({ bad }) => bad).length + bailed };
}

const FILE = /\.[cm]?[jt]sx?$/;

/** A package without test files, which `-cover` lists since Go 1.22 with no coverage; or no package at all. */
const NO_GO_TESTS =
  /^\? {3}\t|\t\[no test files\]$|^\t\S+\t+coverage: 0\.0% of statements$|^go: warning: ".{1,200}" matched no packages$/;

/** Only `-v` names passed tests; without it a package prints `ok`, or that it has no tests to run. */
function go(lines: readonly string[]): Totals | null {
  const count = (shape: RegExp) => lines.filter((line) => shape.test(line)).length;
  const ok = lines.filter((line) => /^ok {2}\t\S/.test(line));
  const failed = Math.max(count(/^--- FAIL: /), count(/^FAIL(?:\t|$)/));
  if (ok.length === 0 && failed === 0 && count(NO_GO_TESTS) === 0) return null;
  const withTests = ok.filter((line) => !line.includes('[no tests to run]')).length;
  if (count(/^=== RUN /) > 0) return { ran: count(/^--- (?:PASS|FAIL): /), failed };
  return { ran: withTests + failed === 0 ? 0 : null, failed };
}

/** The result is on the first line after `Ran N tests`: a program may print its own `OK` anywhere else. */
function unittest(lines: readonly string[]): Totals | null {
  const totals = { ran: 0, failed: 0 };
  let runs = 0;
  for (const [index, line] of lines.entries()) {
    const ran = /^Ran (\d{1,9}) tests? in [\d.]{1,20}s$/.exec(line)?.[1];
    if (ran === undefined) continue;
    const next = lines.slice(index + 1, index + 4).find((one) => one.trim() !== '');
    const [, word, list] = /^(OK|FAILED|NO TESTS RAN)(?: \(([a-z =,\d]{1,200})\))?$/.exec(next ?? '') ?? [];
    if (word === undefined) return null;
    const of = (name: string) => Number(new RegExp(`(?:^|, )${name}=(\\d{1,9})`).exec(list ?? '')?.[1] ?? 0);
    const failed = of('failures') + of('errors') + of('unexpected successes');
    totals.failed += word === 'FAILED' ? Math.max(1, failed) : failed;
    totals.ran += Math.max(ranOf(Number(ran), of('skipped')), failed);
    runs += 1;
  }
  return runs === 0 ? null : totals;
}

const CARGO = /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed;/;

function cargo(lines: readonly string[]): Totals | null {
  const results = lines.flatMap((line) => {
    const match = CARGO.exec(line);
    return match === null ? [] : [{ passed: Number(match[1]), failed: Number(match[2]) }];
  });
  // A test that ended its process leaves a start without a result, and cargo takes its exit code.
  const begun = lines.filter((line) => /^running \d+ tests?$/.test(line)).length;
  if (results.length === 0 || begun > results.length) return null;
  const failed = results.reduce((all, one) => all + one.failed, 0);
  return { ran: failed + results.reduce((all, one) => all + one.passed, 0), failed };
}
