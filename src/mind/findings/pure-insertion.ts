/** Whether a change of a test file only adds: then what it adds counts as new tests, and all that was there still speaks. */
import { testMatcher } from '../candidates/test-paths.ts';
import { type ChangedFile, lineDiff } from '../changes/changed-file.ts';
import { exits } from './early-exit.ts';
import { AFTER, BEFORE, FileFacts } from './file-facts.ts';

/** An import may grow by names: the line is replaced by one that still brings all of the old ones. */
const IMPORT =
  /^\s{0,80}(?:import\b|from\s+\S+\s+import\b|export\s+\{|(?:const|let|var)\s+[\w${}\s,:]{1,400}=\s*(?:await\s+)?(?:require|import)\(|use\s+[\w:]|(?:pub\s+)?use\b|"[\w./-]+"$|[\w$,\s]{1,200},?$|\}\s*from\b|\)\s*$)/;

/** At the left margin, or hoisted there: it changes what the tests that were there see. */
const DISRUPTS =
  /^(?:before|after|setup|teardown)\w{0,20}\(|\b(?:vi|jest|mock|td)\.(?:mock|doMock|unstable_mockModule|module|setMock)\(|\bautouse\s{0,3}=\s{0,3}True|^def (?:pytest_|setup_|teardown_)|\bsys\.modules\b|^func (?:TestMain|init)\(|^(?:globalThis|global|window|process)\b|\bprototype\b|\bdefineProperty\(/;

export function isPureInsertion(file: ChangedFile): boolean {
  if (file.before === null || file.after === null || file.before === file.after) return false;
  const { added, removed } = lineDiff(file);
  const kept = removed.every(
    ({ text }) =>
      IMPORT.test(text) &&
      growsInto(
        text,
        added.map((one) => one.text),
      ),
  );
  if (!kept) return false;
  const facts = new FileFacts(file, testMatcher([])(file.path));
  const disrupts = added.some((line) => exits(facts, line) || DISRUPTS.test(facts.codeOf(line).slice(0, 2_000)));
  if (disrupts) return false;
  const [before, after] = [facts.tests(BEFORE), facts.tests(AFTER)];
  if (after.wideSkips.length > before.wideSkips.length) return false;
  const now = new Map<string, (typeof after.tests)[number][]>();
  for (const test of after.tests) now.set(test.name, [...(now.get(test.name) ?? []), test]);
  const isThere = before.tests.every((old) => {
    const test = now.get(old.name)?.shift();
    return test !== undefined && test.skip === old.skip && test.assertions >= old.assertions && test.exact >= old.exact;
  });
  return isThere && !after.tests.some(({ skip }) => skip === 'only') && after.assertions >= before.assertions;
}

function growsInto(old: string, added: readonly string[]): boolean {
  const names = old.match(/[\w$./@-]+/g) ?? [];
  return added.some((text) => IMPORT.test(text) && names.every((name) => text.includes(name)));
}
