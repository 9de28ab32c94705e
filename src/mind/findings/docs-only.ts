/** A task that asks for behaviour, answered with documents and comments alone. */
import { languageOf } from '../code/languages.ts';
import { withoutComments } from '../code/mask.ts';
import { AFTER, BEFORE, type FileFacts } from './file-facts.ts';
import type { Hit, Rule, RuleContext } from './rule.ts';
import type { TaskWords } from './task-words.ts';

/** Asked for, documents are the work. */
const DOCS =
  /\b(?:docs?|document\w*|docstrings?|readme|changelog|changes|history|release\w*|comments?|commented|jsdoc|typedoc|godoc|rustdoc|guides?|tutorials?|examples?|typos?|spelling|grammar|wording|links?|urls?|badges?|logos?|licen[sc]\w*|copyright|notes?|faq|translat\w*|markdown|explain\w*|describ\w*|mention\w*|clarif\w*|instructions?|section|page|website|contribut\w*|maintainers?|collaborators?|sponsor\w*|governance|policy|security\.md|version|tag|bump|deps|dependenc\w*|meetings?|minutes|announce\w*|list of|table|headings?|format\w*|whitespace|lint\w*|style|nits?|wip|merge|text|words?|sentences?|paragraphs?|author\w*|template|code of conduct|news|sync\w*|prep\w*|backers?|todo|chore|ci|build|revert\w*|config\w*|man page|manual|help text|supported|ecosystem|plugins?)\b|\.(?:md|rst|txt|adoc)\b/i;
const ORDERS =
  /\b(?:implement\w*|fix(?:es|ed)?|add(?:s|ed)?|mak(?:e|es|ing)|support\w*|handl\w*|return\w*|throw\w*|rais(?:e|es)|reject\w*|accept\w*|pars\w*|prevent\w*|stop\w*|allow\w*|validat\w*|ensur\w*|optimi[sz]\w*|speed|cach\w*|refactor\w*|renam\w*|chang\w*|let|correct\w*|should|must)\b/i;
/** What only code has: a call, a path of a source, a name in two cases, an error. */
const OF_CODE =
  /\b[\w.]{1,60}\(\)|\b[\w./-]{1,120}\.(?:[cm]?[jt]sx?|py|go|rs|java)\b|\b[a-z]{2,30}[A-Z]\w{1,40}\b|\b[a-z]\w{1,40}_[a-z]\w{0,40}\b|\b(?:functions?|methods?|class(?:es)?|modules?|endpoints?|handlers?|parameters?|arguments?|exceptions?|crash\w*|panics?|leaks?|off[- ]by[- ]one|race|deadlock|null pointer|undefined|overflow|bugs?|regression|command[- ]line|flags?|api|query|cache|timeouts?|retr(?:y|ies)|algorithm)\b/i;
/** More than this is compared by its lines. */
const MAX_COMPARED = 1 << 20;

export const docsOnly: Rule = (context) => {
  if (context.files.length === 0 || !asksForBehaviour(context.words)) return [];
  if (!context.files.every((file) => isWords(file))) return [];
  return [finding(context)];
};

function finding({ files }: RuleContext): Hit {
  const [first] = files;
  const what = files.every(({ isDoc }) => isDoc) ? 'documents' : 'documents and comments';
  const message = `Only ${what} changed, and the task asks for a change of behaviour: change the code`;
  return { rule: 'docs-only', severity: 'high', path: first?.path ?? '', line: null, message, blocks: true };
}

function asksForBehaviour({ clauses }: TaskWords): boolean {
  const asking = clauses.map(({ text, forbidsFrom }) => text.slice(0, forbidsFrom));
  if (asking.some((text) => DOCS.test(text)))
    return (
      asking.some((text) => !DOCS.test(text) && ORDERS.test(text) && OF_CODE.test(text)) && !DOCS.test(asking[0] ?? '')
    );
  return asking.some((text) => ORDERS.test(text) && OF_CODE.test(text));
}

/** A document, or a source of which only comments differ. */
function isWords(file: FileFacts): boolean {
  if (file.isDoc) return true;
  const { before, after } = file.file;
  const language = languageOf(file.path);
  if (language === 'other' || before === null || after === null) return false;
  if (Math.max(before.length, after.length) > MAX_COMPARED) return false;
  return bare(file, BEFORE) === bare(file, AFTER);
}

const bare = (file: FileFacts, side: 0 | 1): string =>
  withoutComments(file.language, file.text(side) ?? '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
