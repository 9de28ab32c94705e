/**
 * Finds the first failure in a gate's output: the lines that say what went wrong, and the place that they name. One
 * pass over the text; the result is small however much noise there is.
 */
import { withoutAnsi } from '../../kernel/ansi.ts';

type FirstFailure = {
  readonly lines: readonly string[];
  /** Relative to the project. */
  readonly file: string | null;
  readonly line: number | null;
};

/**
 * From the surest sign of the cause: an assertion, an error that a tool names, a word that says that something failed.
 */
const RANKS: readonly RegExp[] = [
  /\b(?:Assert(?:ion)?(?:Failed)?Error|AssertionFailure|ComparisonFailure)\b|^E {3,}\S|\bexpect\(.*\)\.|\bpanicked at |^assertion .*failed|^\s*--- FAIL: |^ *not ok \d+(?! .*# (?:TODO|SKIP))|^\s*Failed asserting that /,
  /\(\d+,\d+\): error |:\d+:\d+ - error |^\s*\d+:\d+\s+error\s|^\S+:\d+:(?:\d+:?)? (?:fatal )?(?:error\b|[A-Z]+\d{2,})|^\s+× |^error\[\w+\]: |^\s*(?:Uncaught )?(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b.*:|^panic: |syntax error|^(?:critical|high): |below.*threshold|\bTimeout.*test|[Tt]est timed out/,
  /^\s*(?:✖|✗|×|✘|●)\s|^\S+:\d+:\d+ (?:lint|assist|format|parse)\b|\bFAIL(?:ED|URE)?\b|^\s*(?:Fatal )?[Ee]rror\b|^\S*: (?:error|fatal)\b|^fatal: |\bnot found\b|[Tt]imed? ?out|out of memory/,
];
/** Most lines match none of these, and cost one test. */
const MAYBE =
  /rror|FAIL|ssert|^E {3}|expect|not ok|panic|✖|✗|×|✘|●|fatal|\d:\d|--- FAIL|not found|[Tt]imed? ?out|critical|high:|threshold|out of memory|Exception|ComparisonFailure/;

/** The name of a test or file, above its failure. */
const TITLE =
  /^\s*(?:✖|✗|×|✘|●|FAIL\b|FAILED\b|--- FAIL:|not ok \d+|FAIL:|ERROR:|_{3,} .+ _{3,}$|---- .+ ----$|\d+\) )|^thread '.*panicked/;
/** Does not help to repair the code. */
const BORING =
  /^\s*(?:at .*(?:node:|node_modules)|at async|duration_ms:|type: '|failureType:|\.\.\.$|---$|[-─⎯=_]{4,}|TAP version|# |ok \d+|\d+\.\.\d+$|stack backtrace|\d+: \S+::|at \.\/)/;
const GO_FAIL = /^\s*--- FAIL: /;
const GO_LINE = /^\s+\S+\.go:\d+: /;

const MAX_LINE = 400;
const BEFORE = 3_000;
const AFTER = 6_000;
const MOST_LINES = 8;

/** Returns null if nothing in the output names a failure. */
export function firstFailure(output: string): FirstFailure | null {
  const at = findFailure(output);
  if (at === null) return null;
  const above = linesOf(output.slice(Math.max(0, at - BEFORE), at)).slice(at > BEFORE ? 1 : 0);
  const [first = '', ...below] = linesOf(output.slice(at, at + AFTER));
  if (GO_FAIL.test(first)) return goFailure(first, below, above);
  const end = below.findIndex((line) => TITLE.test(line));
  const own = (end < 0 ? below : below.slice(0, end)).filter(isTelling);
  const from = above.findLastIndex((line) => TITLE.test(line));
  const title = from < 0 || TITLE.test(first) ? [] : above.slice(from, from + 1);
  const before = from < 0 ? above : above.slice(from);
  const heading = placeIn(before.slice(-12).toReversed());
  // A linter's message follows the place.
  const place =
    placeBelowFile(first, above) ?? (/^\s+× /.test(first) ? heading : null) ?? placeIn([first, ...own]) ?? heading;
  const lines = [...title, first, ...own].slice(0, MOST_LINES).map((line) => line.slice(0, MAX_LINE).trimEnd());
  return { lines, file: place?.file ?? null, line: place?.line ?? null };
}

/** Its message is below the innermost failed test; with `-v` above it. */
function goFailure(first: string, below: readonly string[], above: readonly string[]): FirstFailure {
  const nested = below.findIndex((line) => !GO_FAIL.test(line));
  const titles = [first, ...below.slice(0, Math.max(0, nested))];
  const rest = below.slice(Math.max(0, nested));
  const end = rest.findIndex((line) => GO_FAIL.test(line) || /^(?:FAIL|ok|=== )/.test(line));
  const said = end < 0 ? rest : rest.slice(0, end);
  const before = above.slice(above.findLastIndex((line) => line.startsWith('=== ')) + 1);
  const own = said.some((line) => GO_LINE.test(line)) ? said : before;
  const place = placeIn(own.filter((line) => GO_LINE.test(line)));
  const lines = [...titles.slice(-1), ...own].slice(0, MOST_LINES).map((line) => line.slice(0, MAX_LINE).trimEnd());
  return { lines, file: place?.file ?? null, line: place?.line ?? null };
}

/** The start of the line with the surest sign of a failure; the first of several. */
function findFailure(output: string): number | null {
  const found: (number | undefined)[] = [];
  for (let at = 0; at < output.length; ) {
    const next = output.indexOf('\n', at);
    const end = next < 0 ? output.length : next;
    const line = output.slice(at, Math.min(end, at + MAX_LINE));
    if (MAYBE.test(line)) {
      const rank = rankOf(withoutAnsi(line));
      if (rank === 0) return at;
      if (rank >= 0) found[rank] ??= at;
    }
    at = end + 1;
  }
  return found.find((at) => at !== undefined) ?? null;
}

function rankOf(line: string): number {
  const text = plain(line);
  return RANKS.findIndex((rank) => rank.test(text));
}

/** `go test -json` prints each line as a field of an object. */
const plain = (line: string): string =>
  (line.startsWith('{"') ? /"Output":"((?:[^"\\]|\\.)*)/.exec(line)?.[1]?.replaceAll(/\\n$/g, '') : undefined) ?? line;

const linesOf = (text: string): string[] =>
  withoutAnsi(text)
    .split(/\r?\n/)
    .map((line) => plain(line).slice(0, MAX_LINE))
    .filter((line) => line.trim() !== '');

const isTelling = (line: string): boolean => !BORING.test(line);

const PLACES: readonly RegExp[] = [
  /File "(?<file>[^"]{1,300})", line (?<line>\d+)/,
  /(?:^|[\s('"`])(?<file>(?:file:\/\/)?\/?(?:[\w@.+[\]-]+\/){0,20}[\w@.+[\]-]+\.[A-Za-z]\w{0,5})(?::(?<line>\d+)|\((?<row>\d+),\d+\))/,
];
const BARE_FILE = /^(?<file>\/?(?:[\w@.+[\]-]+\/)*[\w@.+[\]-]+\.[A-Za-z]\w{0,5})$/;

type FailureLine = { readonly file: string; readonly line: number };

function placeIn(lines: readonly string[]): FailureLine | null {
  for (const line of lines)
    for (const pattern of PLACES) {
      const { file = '', line: at, row } = pattern.exec(line)?.groups ?? {};
      const path = ownPath(file);
      if (path !== null) return { file: path, line: Number(at ?? row) };
    }
  return null;
}

/** `3:7 error …` below the path of its file. */
function placeBelowFile(line: string, above: readonly string[]): FailureLine | null {
  const row = /^\s*(\d+):\d+\s/.exec(line)?.[1];
  const file = row === undefined ? undefined : above.findLast((one) => BARE_FILE.test(one.trim()));
  const path = file === undefined ? null : ownPath(file.trim());
  return path === null ? null : { file: path, line: Number(row) };
}

/** The path as the project writes it; null if it is no file of the project. */
function ownPath(named: string): string | null {
  const path = named.replace(/^file:\/\//, '').replace(/^(?:\/workspace\/|\.\/)/, '');
  return path === '' || path.startsWith('/') || /(?:^|\/)(?:node_modules|site-packages|\.\.)(?:\/|$)/.test(path)
    ? null
    : path;
}
