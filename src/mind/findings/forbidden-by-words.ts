/** Files that the task forbids to change: "do not touch src/a.ts", "only change src/a.ts". */
import { nameOf } from '../code/paths.ts';
import type { FileFacts } from './file-facts.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';
import { REVERT } from './task-words.ts';

const VERBS = '(?:chang|touch|edit|modif|alter|updat|rewrit)\\w{0,4}';
const FORBIDS = new RegExp(
  `\\b(?:do not|don['’]?t|never|must(?: not|n['’]t)|should(?: not|n['’]t)|may not|shall not|without)\\s+(?:ever\\s+)?${VERBS}\\b(.{1,300})`,
  'i',
);
const STAYS =
  /\bleave\b(.{1,200}?)\b(?:alone|as (?:it|they)|unchanged|untouched)\b|(.{1,200}?)\b(?:(?:must|should|has to|have to|shall) )?(?:stay|remain|be left|be kept|keep)s?\b.{0,20}\b(?:unchanged|untouched|as (?:it|they) (?:is|are|was|were))\b|(.{1,200}?)\b(?:must|should|may|shall)(?: not|n['’]t) be (?:changed|touched|edited|modified|altered)\b/i;
const ONLY = new RegExp(
  `\\b(?:only|just|solely)\\s+${VERBS}\\b(.{1,300})|\\b(?:${VERBS}|touch)\\s+(?:only|nothing (?:but|except)|just)\\b(.{1,300})|^\\s*nothing (?:but|except|outside(?: of)?)\\b(.{1,200}?)\\b(?:may|must|should|is to|changes)\\b`,
  'i',
);
const MAX_TASK = 64 * 1024;
/** A path, or the last part of one. */
const PATH = /(?<![\w@./-])(?:\.\/)?((?:[\w@.-]+\/)+[\w@.-]*|[\w@-][\w@.-]*\.[a-z]{1,5})(?![\w/-])/gi;

export const forbiddenByWords: FindingRule = ({ files, words, task }) => {
  if (words.asks(REVERT)) return [];
  const texts = words.clauses.map(({ text }) => text);
  const forbidden = texts.flatMap((text) => pathsIn([FORBIDS.exec(text), STAYS.exec(text)]));
  // "Nothing but" is one phrase here, and two clauses elsewhere.
  const only = sentencesOf(task).flatMap((text) => pathsIn([FORBIDS.test(text) ? null : ONLY.exec(text)]));
  // If the words name none of the changed files, they may mean something else.
  const isLimited = files.some((file) => isIn(file, only));
  return files.flatMap((file): Hit[] => {
    if (isIn(file, forbidden)) return [hit(file, 'The task says that this file stays as it is: put it back')];
    if (!isLimited || isIn(file, only) || file.isTest || file.isDoc) return [];
    const message = `The task says to change only ${only
      .slice(0, 3)
      .map((one) => quoted(one))
      .join(', ')}: put this file back`;
    return [hit(file, message)];
  });
};

const sentencesOf = (task: string): string[] => task.slice(0, MAX_TASK).split(/[.;!?](?=\s|$)|\n/);

function pathsIn(found: readonly (RegExpExecArray | null)[]): string[] {
  return found.flatMap((match) =>
    (match?.slice(1) ?? []).flatMap((text = '') =>
      [...text.matchAll(PATH)].map(([, path = '']) => path.replace(/\.$/, '')),
    ),
  );
}

const isIn = ({ path }: FileFacts, named: readonly string[]): boolean =>
  named.some(
    (one) =>
      path === one ||
      nameOf(path) === one ||
      (one.endsWith('/') ? path : `${path}/`).startsWith(one.endsWith('/') ? one : `${one}/`),
  );

const hit = ({ path }: FileFacts, message: string): Hit => ({
  rule: 'forbidden-by-words',
  severity: 'high',
  path,
  line: null,
  message,
  blocks: true,
});
