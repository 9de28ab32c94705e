/**
 * Whether a change of a test file only adds: then its additions count as new tests, and everything that was there still
 * counts.
 */
import { testMatcher } from '../candidates/test-paths.ts';
import { type ChangedFile, lineDiff } from '../changes/changed-file.ts';
import { exits } from './early-exit.ts';
import { AFTER, BEFORE, FileFacts } from './file-facts.ts';

/** An import may gain names: the new line still has all of the old ones. */
const IMPORT =
  /^\s{0,80}(?:import\b|from\s+\S+\s+import\b|export\s+\{|(?:const|let|var)\s+[\w${}\s,:]{1,400}=\s*(?:await\s+)?(?:require|import)\(|use\s+[\w:]|(?:pub\s+)?use\b|"[\w./-]+"$|[\w$,\s]{1,200},?$|\}\s*from\b|\)\s*$)/;

/** At the left margin, or hoisted there: it changes what existing tests see. */
const DISRUPTS =
  /^(?:before|after|setup|teardown)\w{0,20}\(|\b(?:vi|jest|mock|td)\.(?:mock|doMock|unstable_mockModule|module|setMock)\(|\bautouse\s{0,3}=\s{0,3}True|^def (?:pytest_|setup_|teardown_)|\bsys\.modules\b|^func (?:TestMain|init)\(|^(?:globalThis|global|window|process)\b|\bprototype\b|\bdefineProperty\(/;

/** In a language whose tests cannot be told apart. */
const LEAVES_OUT =
  /^\s{0,80}(?:skip|pending|x(?:it|describe|context|specify)|return|exit|abort|at_exit|markTestSkipped|\$this->markTest\w+)\b/;
/** Ends a test that was there before its old lines have run. */
const RETURNS = /^\s{1,80}return\s{0,3};?\s{0,9}$/;

export function isPureInsertion(file: ChangedFile): boolean {
  if (file.before === null || file.after === null || file.before === file.after) return false;
  const { added, removed } = lineDiff(file);
  const texts = added.map(({ text }) => text);
  const kept = removed.every(
    ({ text }) => (IMPORT.test(text) && growsInto(text, texts)) || texts.some((one) => hasMoreRows(text, one)),
  );
  if (!kept) return false;
  const facts = new FileFacts(file, testMatcher([])(file.path));
  const disrupts = added.some((line) => exits(facts, line) || DISRUPTS.test(facts.codeOf(line).slice(0, 2_000)));
  if (disrupts) return false;
  const [before, after] = [facts.tests(BEFORE), facts.tests(AFTER)];
  if (after.wideSkips.length > before.wideSkips.length) return false;
  if (facts.language === 'other' && texts.some((text) => LEAVES_OUT.test(text))) return false;
  const old = new Set(before.tests.map(({ name }) => name));
  const isOld = (at: number) => after.tests.some(({ name, line, end }) => old.has(name) && at > line && at < end);
  if (added.some((line) => RETURNS.test(facts.codeOf(line)) && isOld(line.line))) return false;
  const now = new Map<string, (typeof after.tests)[number][]>();
  for (const test of after.tests) now.set(test.name, [...(now.get(test.name) ?? []), test]);
  const isThere = before.tests.every((was) => {
    const test = now.get(was.name)?.shift();
    return test !== undefined && test.skip === was.skip && test.assertions >= was.assertions && test.exact >= was.exact;
  });
  return isThere && !after.tests.some(({ skip }) => skip === 'only') && after.assertions >= before.assertions;
}

/** What a row of a table of samples is made of: texts, numbers and brackets, and nothing that runs. */
const ROWS =
  /^(?:\s|,|[[\](){}:]|-?[\d._]+|null|undefined|None|nil|true|false|True|False|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*$/;

/** The line has the same list, with more samples in it. */
function hasMoreRows(before: string, after: string): boolean {
  const length = after.length - before.length;
  if (length <= 0 || before.length > 2_000) return false;
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  // `"a", "b"` → `"a", "c", "b"`: what is new may be taken to begin at several places.
  for (let at = start; at >= 0 && after.endsWith(before.slice(at)); at -= 1) {
    const more = after.slice(at, at + length);
    const isInList = before.slice(0, at).includes('[') && before.slice(at).includes(']');
    if (isInList && more.includes(',') && ROWS.test(more)) return true;
  }
  return false;
}

function growsInto(old: string, added: readonly string[]): boolean {
  const names = old.match(/[\w$./@-]+/g) ?? [];
  return added.some((text) => IMPORT.test(text) && names.every((name) => text.includes(name)));
}
