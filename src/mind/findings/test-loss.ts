/** Tests and assertions that a change takes away, weakens or switches off, also in files that the task may change. */
import { identifierWords } from '../code/companions.ts';
import { nameOf } from '../code/paths.ts';
import { AFTER, BEFORE, type FileFacts } from './file-facts.ts';
import { count, type Hit, quoted, type Rule, type RuleContext } from './rule.ts';
import { REMOVAL, REVERT, REWORK, type TaskWords } from './task-words.ts';
import type { TestBlock } from './test-blocks.ts';

const TESTS = /\b(?:tests?|specs?|suites?|assert\w*|test[- ]?cases?|cases|benchmarks?|coverage|tested|testing)\b/i;
const SKIPS =
  /\b(?:skip\w*|disabl\w*|xfail\w*|ignor\w*|todo|pending|quarantin\w*|mut(?:e|ed|ing)|flak(?:y|iness|ey)|turn\w* off|expected? fail\w*|fails? on|unstable)\b/i;

export const testLoss: Rule = (context) => {
  const holders = context.files.filter((file) => file.mayHoldTests);
  const arrivals = arrivedTests(holders);
  return holders.flatMap((file) => [...lost(file, context, arrivals), ...switchedOff(file, context.words)]);
};

/** Tests that are new in a file, by name: one that left another file has moved. */
function arrivedTests(files: readonly FileFacts[]): Map<string, TestBlock[]> {
  const arrived = new Map<string, TestBlock[]>();
  for (const file of files)
    for (const test of minus(file.tests(AFTER).tests, file.tests(BEFORE).tests))
      arrived.set(test.name, [...(arrived.get(test.name) ?? []), test]);
  return arrived;
}

/** Those of `all` whose name `others` has fewer times. */
function minus(all: readonly TestBlock[], others: readonly TestBlock[]): TestBlock[] {
  const left = new Map<string, number>();
  for (const { name } of others) left.set(name, (left.get(name) ?? 0) + 1);
  return all.filter(({ name }) => {
    const n = left.get(name) ?? 0;
    left.set(name, n - 1);
    return n <= 0;
  });
}

function lost(file: FileFacts, { words }: RuleContext, arrivals: Map<string, TestBlock[]>): Hit[] {
  const [before, after] = [file.tests(BEFORE), file.tests(AFTER)];
  if (file.file.before === null || (before.tests.length === 0 && before.assertions === 0)) return [];
  const isRuns = ({ skip }: TestBlock): boolean => skip !== 'yes';
  const gone = minus(before.tests, after.tests).filter(isRuns);
  const moved = gone.filter(({ name }) => arrivals.get(name)?.pop() !== undefined);
  const fewer = before.tests.filter(isRuns).length - after.tests.length - moved.length;
  const away = gone.filter((test) => !moved.includes(test));
  const movedAssertions = moved.reduce((sum, { assertions }) => sum + assertions, 0);
  const assertions = before.assertions - after.assertions - movedAssertions;
  if (fewer > 0 || (file.file.after === null && away.length > 0)) {
    const n = Math.max(fewer, file.file.after === null ? away.length : 0);
    const blocks = !asksForLoss(words, file, away);
    const names = away.slice(0, 3).map(({ name }) => quoted(name));
    const message = `${count(n, 'test')} removed${names.length === 0 ? '' : `: ${names.join(', ')}`}. The task does not ask for fewer tests: restore ${n === 1 ? 'it' : 'them'}`;
    return [hit('tests-removed', file, null, message, blocks)];
  }
  if (assertions > 0) {
    const weaker = weakerTests(before.tests, after.tests, ({ assertions: n }) => n);
    const blocks = !asksForLoss(words, file, [...away, ...weaker.map(([old]) => old)]);
    const [first] = weaker;
    const where = first === undefined ? '' : ` (in test ${quoted(first[1].name)})`;
    const message = `${count(assertions, 'assertion')} that could fail removed${where}. The task does not ask for fewer checks: restore ${assertions === 1 ? 'it' : 'them'}`;
    return [hit('assertions-removed', file, first?.[1].line ?? null, message, blocks)];
  }
  return weakerTests(before.tests, after.tests, ({ exact }) => exact).map(([old, now]) => {
    const message = `Test ${quoted(now.name)} compares ${count(old.exact - now.exact, 'value')} less: an exact check became one that nearly every value passes`;
    return hit('assertions-weakened', file, now.line, message, !asksForLoss(words, file, [old]));
  });
}

/** Tests of one name that have less of something, each with what it was. */
function weakerTests(
  before: readonly TestBlock[],
  after: readonly TestBlock[],
  of: (test: TestBlock) => number,
): (readonly [TestBlock, TestBlock])[] {
  const now = new Map(after.map((test) => [test.name, test]));
  return before.flatMap((old) => {
    const test = now.get(old.name);
    return test !== undefined && of(test) < of(old) ? [[old, test] as const] : [];
  });
}

/** Whether the task's own words explain that these tests go: they speak of tests, or of what these tests are about. */
function asksForLoss(words: TaskWords, file: FileFacts, tests: readonly TestBlock[]): boolean {
  const asking = [REMOVAL, REWORK, REVERT].flatMap((pattern) => words.asking(pattern));
  if (asking.some((text) => TESTS.test(text))) return true;
  const about = new Set([...tests.map(({ name }) => name), nameOf(file.path)].flatMap(tellingWords));
  return asking.some((text) => tellingWords(text).some((word) => about.has(word)));
}

const PLAIN: ReadonlySet<string> = new Set(
  'test tests spec should when with from into that this does not the and for are was has have can will all any its use uses using one two new old get set add more less only js ts py go rs java fix make value values support code file files'.split(
    ' ',
  ),
);

const tellingWords = (text: string): string[] =>
  identifierWords(text.slice(0, 2_000)).filter((word) => word.length >= 3 && !PLAIN.has(word));

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
  const wide = newWideSkips(file);
  for (const line of wide) {
    const message = `${quoted(file.text(AFTER)?.split('\n')[line - 1] ?? '')} switches a group of tests off`;
    hits.push(hit('tests-skipped', file, line, message, !asked && before.tests.length > 0));
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
