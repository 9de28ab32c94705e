/**
 * Finds tests and assertions that a change removes, weakens or switches off, even in files that the task may change.
 */
import { testMatcher } from '../candidates/test-paths.ts';
import type { ChangedFile } from '../changes/changed-file.ts';
import { declaredIn } from '../code/outline.ts';
import { scriptOf } from '../code/script-blocks.ts';
import { AFTER, BEFORE, type DiffSide, FileFacts } from './file-facts.ts';
import { isPureInsertion } from './pure-insertion.ts';
import { count, type FindingRule, type Hit, quoted, type RuleContext } from './rule.ts';
import { REMOVAL, REVERT, type TaskWords } from './task-words.ts';
import type { TestBlock } from './test-blocks.ts';

/** Words between a verb and the tests, without an order to write some. */
const WAY = '(?:(?!\\b(?:add|writ|extend|updat|new|cover|creat|keep|so that|until|make)\\w*\\b).)';
const THE_TESTS =
  '\\b(?:tests?|specs?|suites?|assert\\w*|test[- ]?cases?|snapshots?|tests?[_.-]\\w+|\\w+[_.-](?:tests?|spec))\\b(?!.{0,20}\\b(?:pass|fail|runner|green)\\w*)';
const REDUCING =
  '\\b(?:merg|consolidat|combin|dedup|parametri[sz]|refactor|rewr[io]t|rework|replac|split|extract|migrat|convert|reorgani[sz]|restructur|simplif|unif[iy]|port|switch|inlin|shorten|reduc|trim|cut)\\w*\\b';
/** Words that make tests the object of removal or rework. */
const ABOUT_TESTS = new RegExp(
  `(?:${REMOVAL.source}|${REVERT.source})${WAY}{0,60}${THE_TESTS}|${REDUCING}\\s+(?:(?!and\\b)\\S+\\s+){0,4}${THE_TESTS}|^tests?(?:\\(.{0,40}\\))?:|^(?:revert|reapply)\\b`,
  'i',
);
/** Code in a sentence: in backticks, in mixed case, with an underscore, all capitals. */
const CODE_WORD =
  /`([\w$]{2,60})`|\b([a-z]+[A-Z][\w$]*|[A-Za-z]\w*_\w+|[A-Z][A-Z0-9]{3,}|[A-Z][a-z0-9]+[A-Z]\w*)\b|\b([a-z]\w{2,40})\(\)/g;
/** Another program checks types there. */
const TYPE_TESTS = /\.(?:test-d|tst|spec-d)\.[cm]?tsx?$/;
const SKIPS =
  /\b(?:skip\w*|disabl\w*|xfail\w*|ignor\w*|todo|pending|quarantin\w*|mut(?:e|ed|ing)|flak(?:y|iness|ey)|turn\w* off|expected? fail\w*|fails? on|unstable)\b/i;
/** Under which conditions files of Go and parts of Rust are compiled. */
const CONDITIONS =
  /\b(?:build|cargo|feature)[ -](?:tags?|constraints?|features?|flags?)|\btags?\b|\b(?:platforms?|windows|linux|unix|darwin|macos|wasm|cgo|race|nightly)\b/i;

export const testLoss: FindingRule = (context) => {
  const holders = context.files.filter((file) => file.mayHoldTests);
  const arrivals = arrivedTests(holders);
  const isNeeded = context.words.asks(REMOVAL) || context.words.asks(REVERT);
  const losing = { words: context.words, gone: isNeeded ? goneNames(context) : new Set<string>() };
  return holders.flatMap((file) => [...lost(file, losing, arrivals), ...switchedOff(file, context.words)]);
};

/** Whether a test file only loses tests, and the words ask to remove them, or what they are about. */
export function losesOnlyAsked(file: ChangedFile, files: readonly ChangedFile[], words: TaskWords): boolean {
  const { path, before, after } = file;
  if (after === null || !words.asks(REMOVAL) || !isPureInsertion({ path, before: after, after: before })) return false;
  const isTest = testMatcher([]);
  const facts = files.map((one) => new FileFacts(one, isTest(one.path)));
  const own = new FileFacts(file, true);
  const away = minus(own.tests(BEFORE).tests, own.tests(AFTER).tests);
  return away.length > 0 && asksForLoss({ words, gone: goneNames({ files: facts, words }) }, own, away);
}

type Losing = { readonly words: TaskWords; readonly gone: ReadonlySet<string> };

/** Tests that are new in a file, by name: one that left another file has moved. */
function arrivedTests(files: readonly FileFacts[]): Map<string, TestBlock[]> {
  const arrived = new Map<string, TestBlock[]>();
  for (const file of files)
    for (const test of minus(file.tests(AFTER).tests, file.tests(BEFORE).tests))
      arrived.set(test.name, [...(arrived.get(test.name) ?? []), test]);
  return arrived;
}

/** Those of `all` whose name occurs less often in `others`. */
function minus(all: readonly TestBlock[], others: readonly TestBlock[]): TestBlock[] {
  const left = new Map<string, number>();
  for (const { name } of others) left.set(name, (left.get(name) ?? 0) + 1);
  return all.filter(({ name }) => {
    const n = left.get(name) ?? 0;
    left.set(name, n - 1);
    return n <= 0;
  });
}

function lost(file: FileFacts, losing: Losing, arrivals: Map<string, TestBlock[]>): Hit[] {
  const [before, after] = [file.tests(BEFORE), file.tests(AFTER)];
  if (file.file.before === null || (before.tests.length === 0 && before.assertions === 0)) return [];
  const isRuns = ({ skip }: TestBlock): boolean => skip !== 'yes';
  const gone = minus(before.tests, after.tests).filter(isRuns);
  const arrived = gone.map(({ name }) => arrivals.get(name)?.pop());
  const moved = gone.filter((_, i) => arrived[i] !== undefined);
  const known = new Set(before.tests.map(({ name }) => name));
  // A new test that is skipped from the start replaces none.
  const left = after.tests.filter((test) => isRuns(test) || known.has(test.name)).length;
  const fewer = before.tests.filter(isRuns).length - left - moved.length;
  const away = gone.filter((test) => !moved.includes(test));
  const movedAssertions = arrived.reduce((sum, test) => sum + (test?.assertions ?? 0), 0);
  const had = file.file.after === null ? sumOf(before.tests) : before.assertions;
  const fewerAssertions = had - after.assertions - movedAssertions;
  const emptied = weakerTests(before.tests, after.tests, ({ checks }) => Math.min(checks, 1));
  const assertions = Math.max(fewerAssertions, emptied.length);
  if (fewer > 0 || (file.file.after === null && away.length > 0)) {
    const n = Math.max(fewer, file.file.after === null ? away.length : 0);
    const blocks = !asksForLoss(losing, file, away);
    const names = away.slice(0, 3).map(({ name }) => quoted(name));
    const message = `${count(n, 'test')} removed${names.length === 0 ? '' : `: ${names.join(', ')}`}${blocks ? `. The task does not ask for fewer tests: restore ${n === 1 ? 'it' : 'them'}` : ''}`;
    return [hit('tests-removed', file, null, message, blocks)];
  }
  if (assertions > 0) {
    const weaker = [...emptied, ...weakerTests(before.tests, after.tests, ({ assertions: n }) => n)];
    const blocks = !TYPE_TESTS.test(file.path) && !asksForLoss(losing, file, [...away, ...weaker.map(([old]) => old)]);
    const [first] = weaker;
    const where = first === undefined ? '' : ` (in test ${quoted(first[1].name)})`;
    const message = `${count(assertions, 'assertion')} that could fail removed${where}${blocks ? `. The task does not ask for fewer checks: restore ${assertions === 1 ? 'it' : 'them'}` : ''}`;
    return [hit('assertions-removed', file, first?.[1].line ?? null, message, blocks)];
  }
  const weaker = weakerTests(before.tests, after.tests, ({ exact }) => exact);
  return weaker
    .filter(([old, now]) => now.assertions >= old.assertions)
    .map(([old, now]) => {
      const message = `Test ${quoted(now.name)} compares ${count(old.exact - now.exact, 'value')} less: an exact check became one that nearly every value passes`;
      return hit('assertions-weakened', file, now.line, message, !asksForLoss(losing, file, [old]));
    });
}

const sumOf = (tests: readonly TestBlock[]): number => tests.reduce((sum, { assertions }) => sum + assertions, 0);

/** Tests of one name that have become weaker, each with its old version. */
function weakerTests(
  before: readonly TestBlock[],
  after: readonly TestBlock[],
  of: (test: TestBlock) => number,
): (readonly [TestBlock, TestBlock])[] {
  const [was, now] = [byName(before), byName(after)];
  return before.flatMap((old) => {
    // Tests with one name are paired in order if their number is the same.
    if (was.get(old.name)?.length !== now.get(old.name)?.length) return [];
    const test = now.get(old.name)?.[was.get(old.name)?.indexOf(old) ?? 0];
    return test !== undefined && of(test) < of(old) ? [[old, test] as const] : [];
  });
}

function byName(tests: readonly TestBlock[]): Map<string, TestBlock[]> {
  const found = new Map<string, TestBlock[]>();
  for (const test of tests) {
    const others = found.get(test.name);
    if (others === undefined) found.set(test.name, [test]);
    else others.push(test);
  }
  return found;
}

/** Whether the task's own words explain the loss: they are about tests, or about removing what these tests name. */
function asksForLoss({ words, gone }: Losing, file: FileFacts, tests: readonly TestBlock[]): boolean {
  if (words.asks(ABOUT_TESTS) || areNamed(tests, words)) return true;
  if (gone.size === 0 || tests.length === 0 || !(words.asks(REMOVAL) || words.asks(REVERT))) return false;
  if (file.file.after === null && [...gone].some((name) => file.path.includes(name))) return true;
  const lines = file.text(BEFORE)?.split('\n') ?? [];
  return tests.every(({ line, end }) =>
    (
      lines
        .slice(line - 1, end - 1)
        .join('\n')
        .match(/[\w$]+/g) ?? []
    ).some((word) => gone.has(word)),
  );
}

/** "The test test_zero is pointless. Delete it." */
function areNamed(tests: readonly TestBlock[], words: TaskWords): boolean {
  if (tests.length === 0 || !words.asks(REMOVAL)) return false;
  return tests.every(({ name }) =>
    words.clauses.some(({ text, forbidsFrom }) => name.length > 3 && text.slice(0, forbidsFrom).includes(name)),
  );
}

/** Names that product code no longer declares, and words of the task that it now has less of. */
function goneNames({ files, words }: Pick<RuleContext, 'files' | 'words'>): ReadonlySet<string> {
  const looked = files.filter((file) => !file.isTest && file.language !== 'other' && file.removed.length > 0);
  const names = (file: FileFacts, side: DiffSide): string[] =>
    declaredIn(file.language, scriptOf(file.path, file.text(side) ?? ''), file.code(side)).map(({ name }) => name);
  const now = new Set(looked.flatMap((file) => names(file, AFTER)));
  const gone = looked.flatMap((file) => names(file, BEFORE)).filter((name) => name.length > 2 && !now.has(name));
  const asked = [REMOVAL, REVERT].flatMap((pattern) => words.asking(pattern));
  const wanted = new Set(
    asked.flatMap((text) => [...text.matchAll(CODE_WORD)].map((one) => one[1] ?? one[2] ?? one[3] ?? '')),
  );
  if (wanted.size === 0) return new Set(gone);
  const left = new Map<string, number>();
  const tally = (lines: readonly { readonly text: string }[], step: 1 | -1): void => {
    for (const { text } of lines)
      for (const word of text.slice(0, 2_000).match(/[\w$]+/g) ?? [])
        if (wanted.has(word)) left.set(word, (left.get(word) ?? 0) + step);
  };
  for (const file of looked) {
    tally(file.added, 1);
    tally(file.removed, -1);
  }
  return new Set([...gone, ...[...left].filter(([, n]) => n < 0).map(([word]) => word)]);
}

function switchedOff(file: FileFacts, words: TaskWords): Hit[] {
  const [before, after] = [file.tests(BEFORE), file.tests(AFTER)];
  const old = new Map(before.tests.map((test) => [test.name, test]));
  const asked = words.asks(SKIPS);
  const hits: Hit[] = [];
  for (const test of after.tests) {
    const was = old.get(test.name);
    if (test.skip === 'no' || was?.skip === test.skip) continue;
    const blocks = !asked && (test.skip === 'only' || (was?.skip === 'no' && test.skip === 'yes'));
    if (test.skip === 'only')
      hits.push(
        hit(
          'tests-only',
          file,
          test.line,
          `\`only\` on test ${quoted(test.name)} switches all other tests off`,
          blocks,
        ),
      );
    else if (was !== undefined || test.skip === 'yes') {
      const how = test.skip === 'yes' ? 'is skipped or may fail' : 'is skipped under a condition';
      const message = `Test ${quoted(test.name)} ${how} now: let it run, or say in the task why it may not`;
      hits.push(hit('tests-skipped', file, test.line, message, blocks));
    }
  }
  const isCompiled = file.language === 'go' || file.language === 'rust';
  const mayBeOff = asked || (isCompiled && words.asks(CONDITIONS));
  for (const line of newWideSkips(file)) {
    const message = `${quoted(file.text(AFTER)?.split('\n')[line - 1] ?? '')} switches a group of tests off`;
    hits.push(hit('tests-skipped', file, line, message, !mayBeOff && before.tests.length > 0));
  }
  return hits;
}

function newWideSkips(file: FileFacts): readonly number[] {
  const after = file.tests(AFTER).wideSkips;
  if (after.length <= file.tests(BEFORE).wideSkips.length) return [];
  const added = new Set(file.added.map(({ line }) => line));
  return after.filter((line) => added.has(line));
}

const hit = (rule: string, { path }: FileFacts, line: number | null, message: string, blocks: boolean): Hit => ({
  rule,
  severity: blocks ? 'high' : 'medium',
  path,
  line,
  message,
  blocks,
});
