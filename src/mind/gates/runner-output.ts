/** Reads the failed tests from each runner's output. `ids.ts` says what makes a report uncertain. */

/** A reader's result: ids as printed, and the runner's own count of failures (null: it does not count). */
export type RunnerIds = {
  readonly ids: readonly string[];
  readonly count: number | null;
  readonly ran: number | null;
};

/** How many lines below a test its type and place may follow. */
const LOOK_AHEAD = 6;

/**
 * Failed tests in TAP of `node --test --test-reporter=tap`; other TAP writers count no failures, so they are uncertain.
 */
export function readTap(lines: readonly string[]): RunnerIds | null {
  const count = (what: string) => Number(onlyLine(lines, new RegExp(`^# ${what} (\\d+)$`))?.[1] ?? Number.NaN);
  const [fail, pass, cancelled] = [count('fail'), count('pass'), count('cancelled')];
  if (!Number.isInteger(fail + pass) || cancelled !== 0) return null;
  if (!isLast(lines, /^# duration_ms [\d.]+$/)) return null;
  const ids: string[] = [];
  const path: string[] = [];
  for (const [index, line] of lines.entries()) {
    const [, before, begun] = /^( *)# Subtest: (.*)$/.exec(line) ?? [];
    if (before !== undefined && begun !== undefined) path.splice(before.length / 4, path.length, begun);
    if (!line.includes('not ok')) continue;
    const [, indent, rest] = /^((?: {4})*)not ok \d+ - (.*)$/.exec(line) ?? [];
    if (indent === undefined || rest === undefined) return null;
    // A # in a name is escaped.
    const [, name, directive] = /^(.*?)( # (?:TODO|SKIP)\b.*)?$/.exec(rest) ?? [];
    const depth = indent.length / 4;
    if (name === undefined || name !== path[depth]) return null;
    if (directive !== undefined) continue;
    const about = aboutTest(lines, index, indent);
    // A whole file ended badly: which of its tests would have failed is unknown.
    if (about === null || about.exited) return null;
    if (about.type === 'test') ids.push([about.file, ...path.slice(0, depth + 1)].join(' > '));
  }
  return { ids, count: fail, ran: fail + pass };
}

function aboutTest(lines: readonly string[], index: number, indent: string) {
  const block = lines.slice(index + 1, index + 1 + LOOK_AHEAD);
  const field = (name: string) =>
    onlyLine(block, new RegExp(`^${indent}  ${name}: '([^']*)'$`), new RegExp(`${name}:`))?.[1];
  // Node 20 writes a type for suites only.
  const type = block.some((line) => line.startsWith(`${indent}  type: `)) ? field('type') : 'test';
  const place = field('location');
  if (block[0] !== `${indent}  ---` || (type !== 'test' && type !== 'suite') || place === undefined) return null;
  const file = place.replace(/:\d+:\d+$/, '').replace(/^\/workspace\//, '');
  return { type, file, exited: block.some((line) => line.includes('exitCode:')) } as const;
}

const PYTEST_HEADING = /^=+ short test summary info =+$/;
const PYTEST_LAST = /^(?:=+ )?(\d+ [a-z]+(?:, \d+ [a-z]+){0,9}) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/;
/** Shown by `-r`, and no failures. */
const PYTEST_OTHER = /^(?:SKIPPED|XFAIL|XPASS|PASSED) /;

/**
 * Failed tests in pytest's short summary. Raw captured output precedes it, so only text after its one heading counts.
 */
export function readPytest(lines: readonly string[]): RunnerIds | null {
  const written = lines.filter((line) => line.trim() !== '');
  if (onlyLine(written, PYTEST_HEADING, /short test summary info/) === null) return null;
  const summary = written.slice(written.findIndex((line) => PYTEST_HEADING.test(line)) + 1);
  const counts = pytestCounts(summary.pop() ?? '');
  if (counts === null || counts.has('error') || counts.has('errors')) return null;
  const ids: string[] = [];
  for (const line of summary) {
    if (PYTEST_OTHER.test(line)) continue;
    const id =
      line.startsWith('FAILED ') && !isRepeated(line, 'FAILED ') ? pytestId(line.slice('FAILED '.length)) : null;
    // Also `!!! stopping after 1 failures !!!`: the rest did not run.
    if (id === null) return null;
    ids.push(id);
  }
  const of = (word: string) => counts.get(word) ?? 0;
  return { ids, count: of('failed'), ran: of('failed') + of('passed') + of('xfailed') + of('xpassed') };
}

function pytestCounts(line: string): ReadonlyMap<string, number> | null {
  const list = PYTEST_LAST.exec(line)?.[1];
  if (list === undefined) return null;
  return new Map(
    list.split(', ').map((part) => {
      const [number, word] = part.split(' ');
      return [word ?? '', Number(number)];
    }),
  );
}

/** `path::test - message`; parameters in brackets may contain the same dash. */
function pytestId(text: string): string | null {
  const dash = text.indexOf(' - ');
  const bracket = text.indexOf('[');
  const inBrackets = bracket >= 0 && (dash < 0 || bracket < dash);
  const close = text.indexOf('] - ');
  const id = inBrackets ? (close < 0 ? text : text.slice(0, close + 1)) : dash < 0 ? text : text.slice(0, dash);
  if (inBrackets && !id.endsWith(']')) return null;
  return id.includes('::') ? id : null;
}

const VITEST_SUMMARY = /^ +Tests {2}(\d+) failed(?: \| (\d+) passed)?(?: \| \d+ [a-z ]{1,20}){0,4} \(\d+\)$/;

/** Advice about speed that vitest 5 prints below its summary. */
const VITEST_ADVICE = /^(?: +(?:Environment|Import|Transform|Isolate) {2}\S| {13}\S)/;

const withoutAdvice = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !VITEST_ADVICE.test(line));

/** What vitest 5 prints after the name of a test that it tried more than once. */
const VITEST_TRIES = / \((?:(?:initial run|\d+(?:st|nd|rd|th) retry)(?:, )?)+\)$/;

/** Failed tests in vitest's default reporter. */
export function readVitest(stdout: readonly string[], stderr: readonly string[]): RunnerIds | null {
  const lines = [...stdout, ...stderr];
  if (!isLast(withoutAdvice(stdout), /^ +Duration {2}/)) return null;
  const summary = onlyLine(lines, VITEST_SUMMARY, / Tests {2}\d/);
  const files = onlyLine(lines, /^ Test Files {2}\d+ failed/, /Test Files {2}\d/);
  if (summary === null || files === null) return null;
  // Errors outside tests, and files that did not load: which tests they affect is unknown.
  if (lines.some((line) => /^ +Errors {2}\d|Failed Suites \d|Unhandled Errors?/.test(line))) return null;
  const ids: string[] = [];
  for (const line of lines) {
    if (!line.includes('FAIL ')) continue;
    const id = /^ FAIL {2}(\S.* > .*)$/.exec(line)?.[1];
    if (id === undefined || isRepeated(line, 'FAIL ')) return null;
    ids.push(id.replace(VITEST_TRIES, ''));
  }
  const failed = Number(summary[1]);
  return { ids, count: failed, ran: failed + Number(summary[2] ?? 0) };
}

const JEST_SUMMARY = /^Tests: +(\d+) failed, ((?:\d+ [a-z]+, ){0,3})\d+ total$/;

/** Failed tests in jest's default reporter. With many files it repeats them at the end: the same ids again. */
export function readJest(lines: readonly string[]): RunnerIds | null {
  const summary = onlyLine(lines, JEST_SUMMARY, /\bTests: +\d/);
  if (summary === null || !isLast(lines, /^Ran all test suites/)) return null;
  const ids: string[] = [];
  let file: string | null = null;
  for (const line of lines) {
    if (/^(?:PASS|RUNS) /.test(line)) file = null;
    const begun = /^FAIL (\S+)(?: \([\d.]+ m?s\))?$/.exec(line)?.[1];
    if (begun !== undefined) file = begun;
    else if (line.includes('FAIL ')) return null;
    if (!line.includes('●') || /^ {2}● Console$/.test(line)) continue;
    const name = /^ {2}● (.+)$/.exec(line)?.[1];
    if (name === undefined || isRepeated(line, '●') || file === null || name === 'Test suite failed to run')
      return null;
    ids.push(`${file} > ${name}`);
  }
  const failed = Number(summary[1]);
  const passed = Number(/(\d+) passed/.exec(summary[2] ?? '')?.[1] ?? 0);
  return { ids, count: failed, ran: failed + passed };
}

/** Failed tests of `go test`, plain or `-v`. Go does not count them, so each failing package has to be complete. */
export function readGo(lines: readonly string[]): RunnerIds | null {
  const ids: string[] = [];
  let names: string[] = [];
  let ends = 0;
  for (const line of lines) {
    // A package did not build, or a test ended its whole process: what else would have failed is unknown.
    if (/\[(?:build|setup) failed\]|^panic: |^fatal error: |^FAIL\t.*\(cached\)/.test(line)) return null;
    if (line.includes('--- FAIL')) {
      const name = /^ *--- FAIL: (\S+) \([\d.]+s\)$/.exec(line)?.[1];
      if (name === undefined) return null;
      names.push(name);
    }
    // The test binary prints it at its end, which one that called os.Exit did not reach.
    if (line === 'FAIL') ends += 1;
    const [, word, name] = /^(FAIL|ok {2})\t(\S+)\t/.exec(line) ?? [];
    if (name === undefined) continue;
    if (word === 'FAIL' ? ends !== 1 || names.length === 0 : ends + names.length > 0) return null;
    ids.push(...names.map((test) => `${name} > ${test}`));
    names = [];
    ends = 0;
  }
  // With several packages the last line is one more FAIL.
  if (!isLast(lines, /^(?:FAIL$|FAIL\t|ok {2}\t|\? {3}\t)/)) return null;
  return names.length > 0 || ends > 1 ? null : { ids, count: null, ran: null };
}

const CARGO_RESULT =
  /^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; \d+ ignored; \d+ measured; \d+ filtered out(?:; |$)/;
/** In the list of failed targets, which cargo prints last. */
const CARGO_TARGET = /^ {4}`[^`]+`$/;
/** A path of modules, or the place of an example in the documentation. */
const CARGO_NAME = /^\S+(?: - \S* ?\(line \d+\)(?: - [a-z]+){0,2})?$/;

/** Failed tests of `cargo test --no-fail-fast`; without that flag the targets after the first red one did not run. */
export function readCargo(stdout: readonly string[], stderr: readonly string[]): RunnerIds | null {
  const all = [...stdout, ...stderr];
  if (onlyLine(all, /^error: \d+ targets? failed:$/, /error: \d+ targets? failed/) === null) return null;
  if (!isLast(all, CARGO_TARGET) || !(isLast(stdout, CARGO_RESULT) || isLast(stdout, CARGO_TARGET))) return null;
  const ids: string[] = [];
  const sum = { passed: 0, failed: 0, begun: 0, ended: 0 };
  let list: string[] | null = null;
  for (const line of stdout) {
    if (/running \d+ tests?/.test(line)) sum.begun += 1;
    if (line === 'failures:') list = [];
    else if (line.startsWith('    ')) list?.push(line.slice(4));
    else if (line !== '' && !line.includes('test result:')) list = null;
    if (!line.includes('test result:')) continue;
    const [, word, passed, failed] = CARGO_RESULT.exec(line) ?? [];
    if (word === undefined || (word === 'FAILED') !== Number(failed) > 0) return null;
    if (Number(failed) !== (list?.length ?? 0)) return null;
    if (list?.some((id) => !CARGO_NAME.test(id))) return null;
    ids.push(...(list ?? []));
    sum.passed += Number(passed);
    sum.failed += Number(failed);
    sum.ended += 1;
    list = null;
  }
  // A test that ended its process leaves a start without a result.
  return sum.begun === sum.ended ? { ids, count: sum.failed, ran: sum.passed + sum.failed } : null;
}

const UNITTEST_HEADING =
  /^(FAIL|ERROR|UNEXPECTED SUCCESS): (\w+) \(([\w.]+)\)((?: \[[^\]]{0,200}\])?(?: \(.{1,300}\))?)$/;
const UNITTEST_RESULT = /^FAILED \(((?:[a-z ]{1,30}=\d+(?:, )?){1,5})\)$/;
/** Names of tests that unittest itself makes for files that did not load and for fixtures. */
const UNITTEST_OWN = /^(?:setUpClass|tearDownClass|setUpModule|tearDownModule)$/;

/**
 * Failed tests of `python -m unittest`. Before 3.11 it prints the class after a test, later also the test itself: one
 * id for both.
 */
export function readUnittest(lines: readonly string[]): RunnerIds | null {
  const ran = onlyLine(lines, /^Ran (\d+) tests? in [\d.]+s$/, /^Ran \d+ tests?/);
  const result = onlyLine(lines, UNITTEST_RESULT, /^(?:OK|FAILED|NO TESTS RAN)(?: \(|$)/);
  if (ran === null || result === null || !isLast(lines, UNITTEST_RESULT)) return null;
  const ids: string[] = [];
  for (const [index, line] of lines.entries()) {
    const marks = line.match(/(?:FAIL|ERROR|UNEXPECTED SUCCESS): /g)?.length ?? 0;
    if (marks === 0) continue;
    if (marks > 1) return null;
    const [, , name, of, part] = UNITTEST_HEADING.exec(line) ?? [];
    // A test that prints such a line without the rule above it, or a file that did not load.
    if (name === undefined || of === undefined || !/^={70}$/.test(lines[index - 1] ?? '')) return null;
    if (UNITTEST_OWN.test(name) || of.startsWith('unittest.')) return null;
    ids.push(`${of.endsWith(`.${name}`) ? of : `${of}.${name}`}${part}`);
  }
  const of = (word: string) => Number(new RegExp(`(?:^|, )${word}=(\\d+)`).exec(result[1] ?? '')?.[1] ?? 0);
  const count = of('failures') + of('errors') + of('unexpected successes');
  return { ids, count, ran: ranOf(Number(ran[1]), of('skipped')) };
}

/** unittest counts skipped tests as run; 3.12.1 does not. */
export const ranOf = (ran: number, skipped: number): number => (skipped > ran ? ran : ran - skipped);

/** The match of the only line that fits; null if none fits, or if any other line looks similar. */
function onlyLine(lines: readonly string[], shape: RegExp, looksLike: RegExp = shape): RegExpExecArray | null {
  const alike = lines.filter((line) => looksLike.test(line));
  return alike.length === 1 ? shape.exec(alike[0] ?? '') : null;
}

/** Whether a line has a mark more than once, which means that other text is in the same line. */
const isRepeated = (line: string, mark: string): boolean => line.indexOf(mark) !== line.lastIndexOf(mark);

/** What package managers print after the runner's failure, and messages of runners that also wrote a report. */
const MANAGER =
  /^(?:npm (?:error|ERR!)|.?ELIFECYCLE|error Command failed|info Visit |(?:JSON|JUNIT) report written to |Test results written to: )/;

/** Whether the runner printed last: anything that ran after it may have failed as well, unnoticed. */
function isLast(lines: readonly string[], shape: RegExp): boolean {
  return shape.test(lines.findLast((line) => line.trim() !== '' && !MANAGER.test(line.trimStart())) ?? '');
}
