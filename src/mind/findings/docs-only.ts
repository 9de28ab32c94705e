/** Finds changes of only documents and comments for a task that asks for behaviour. */
import { testMatcher } from '../candidates/test-paths.ts';
import type { ChangedFile } from '../changes/changed-file.ts';
import { languageOf } from '../code/languages.ts';
import { withoutComments } from '../code/mask.ts';
import { AFTER, BEFORE, FileFacts } from './file-facts.ts';
import type { FindingRule, Hit, RuleContext } from './rule.ts';
import type { TaskWords } from './task-words.ts';

/** If the task asks for documents, they are the work. */
const DOCS =
  /\b(?:docs?|javadoc|notes?|document\w*|docstrings?|readme|changelog|release notes?|releases?|comments?|commented|jsdoc|typedoc|godoc|rustdoc|guides?|tutorials?|typos?|spelling|grammar|wording|broken links?|links? (?:to|in)|badges?|logos?|licen[sc]\w*|copyright|faq|translat\w*|markdown|explain\w*|describ\w*|mention\w*|clarif\w*|instructions|website|contribut\w*|maintainers?|collaborators?|sponsor\w*|governance|meetings?|announce\w*|whitespace|nits?|wip|code of conduct|prep|backers?|chore|revert\w*|man page|manual|help text|ecosystem|renders?|rendering|examples?|sections?|chapters?|paragraphs?|headings?|headers?|diagrams?)\b|\.(?:md|rst|txt|adoc)\b/i;
/** Requests that only code can fulfil, and their subject. */
const BEHAVIOUR: readonly RegExp[] = [
  // Says what is to be, or what is wrong. Of 1,002 commits of documents alone, 3 say so without a word about documents.
  /\b(?:must|should|shall|has to|needs to|so that|still|no longer)\b/i,
  /\b(?:implement\w*|fix(?:es|ed)?|correct(?:s|ed)?)\s+(?:the\s+|a\s+|an\s+)?(?:[\w$]{1,60}\.[\w$.]{1,60}(?!\w)|[\w$.]{1,60}\()/i,
  /\bfix(?:es|ed)?\s+(?:the|a)\s+(?:crash\w*|panics?|leak|hang|deadlock|race)\b/i,
  /\b(?:implement\w*|fix(?:es|ed)?|mak(?:e|es|ing)|let|add(?:s|ed)?|extend\w*|change\w*|optimi[sz]\w*|refactor\w*|renam\w*|correct\w*|handl\w*|support\w*|stop\w*|prevent\w*|ensur\w*)\b.{0,120}?(?:\b[\w.]{1,60}\(\)|\b[\w./-]{1,120}\.(?:[cm]?[jt]sx?|py|go|rs|java)\b)/i,
  /(?:`[\w.$]{1,60}(?:\(.{0,40}?\))?`|\b(?:functions?|methods?|class|parser|server|client|endpoints?|handlers?|command|cli|api|constructor|module|cache|queue|loop)\b).{0,80}?\b(?:returns?|throws?|raises?|rejects?|accepts?|parses?|crash\w*|panics?|leaks?|hangs?|ignores?|rounds?|overflows?|fails?|loses?|drops?|mutates?|must|should)\b/i,
  /\b(?:make|let)\b.{1,80}?\b(?:return|throw|raise|reject|accept|parse|handle|support|ignore|round|count|sort|skip|validate|wait|retry|log|emit|use|respect|keep|work|fail|exit|print|refuse|allow|forbid|detect|stop|start|give|take|store|remember|show|hide|load|read|write|send|check|create|drop)\b/i,
  /\b(?:add|implement|write|create|introduce|provide)s?\b.{0,60}?\b(?:functions?|methods?|class|parameters?|arguments?|flags?|endpoints?|handlers?|validation|retr(?:y|ies)|timeouts?|caching|pagination|subcommands?)\b/i,
  /\b(?:fix|correct|repair|resolve)(?:es|s|ed)?\b.{0,60}?\b(?:off[- ]by[- ]one|crash\w*|panics?|race|deadlock|leak|overflow|rounding|regression|infinite loop|null pointer|memory|exception|bug in)\b/i,
  // A route, a command with its arguments, a flag.
  /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+\/\w/,
  /\b(?:add|support|implement|introduce|accept|allow|provide|offer)(?:s|ed)?\s+(?:an?\s+|the\s+|new\s+){0,3}(?:(?:command|option|flag|subcommand|route)\s+)?(?:`(?:[^`\n]{1,60} [^`\n]{1,60}|\/[^`\n]{1,60}|--?\w[^`\n]{0,60})`|--\w)/i,
  // "a new level DEBUG below INFO", "cli: accept more than one file": nothing but the thing or the order itself.
  /^\s*(?:[\w./() -]{1,40}:\s{1,4})?(?:an?|one|another|two|three)\s+(?:new|further|additional|second|third)\s+(?!\w+\s*$)\w/i,
  /^\s*[\w./-]{1,40}(?:\(\))?:\s{1,4}(?:accept|support|allow|reject|refuse|return|print|show|log|read|write|retry|cache|sort|skip|parse|validate|check|handle|stop|start|use|keep|store|count|limit|raise|throw|ignore|take|give|escape|close|open|wait)s?\b/i,
];

/** "Stock.take must not accept text" asks for behaviour, although it forbids something; it forbids no edit. */
const SHALL_NOT =
  /\b(?:must|should|may|shall|can)(?: ?not|n['’]t| never)\s+(?!(?:be )?(?:chang|touch|edit|modif|remov|delet|alter|rewrit|break|broke|add|install|us|introduc|upgrad|bump|replac|skip))\w/i;

/** A longer clause is compared by its lines. */
const MAX_CLAUSE = 400;
const MAX_COMPARED = 1 << 20;

export const docsOnly: FindingRule = (context) => {
  // A reviewer may ask for a comment, and a later step may write the documents: the behaviour came before.
  if (context.continues || context.files.length === 0 || !asksForBehaviour(context.words)) return [];
  if (!context.files.every((file) => isWords(file))) return [];
  return [finding(context)];
};

function finding({ files }: RuleContext): Hit {
  const [first] = files;
  const what = files.every(({ isDoc }) => isDoc) ? 'documents' : 'documents and comments';
  const message = `Only ${what} changed, and the task asks for a change of behaviour: change the code`;
  return { rule: 'docs-only', severity: 'high', path: first?.path ?? '', line: null, message, blocks: true };
}

/** One clause that also mentions documents makes the whole task doubtful. */
function asksForBehaviour({ clauses }: TaskWords): boolean {
  const asking = clauses.map(({ text, forbidsFrom }) => {
    const short = text.slice(0, MAX_CLAUSE);
    return forbidsFrom > 0 && SHALL_NOT.test(short) ? short : short.slice(0, forbidsFrom);
  });
  if (asking.some((text) => DOCS.test(text))) return false;
  return asking.some((text) => BEHAVIOUR.some((pattern) => pattern.test(text)));
}

/** Whether any part of this change is neither a document, nor a comment, nor a test. */
export const changesBehaviour = (files: readonly ChangedFile[], testPaths: readonly string[]): boolean => {
  const isTest = testMatcher(testPaths);
  return files.some((file) => !isTest(file.path) && !isWords(new FileFacts(file, false)));
};

/** A document, or a source file in which only comments changed. */
function isWords(file: FileFacts): boolean {
  if (file.isDoc) return true;
  const { before, after } = file.file;
  const language = languageOf(file.path);
  if (language === 'other' || before === null || after === null) return false;
  if (Math.max(before.length, after.length) > MAX_COMPARED) return false;
  return bare(file, BEFORE) === bare(file, AFTER);
}

/** A Python string that stands alone, which only documents. */
const DOC_STRING = /^[ \t]*[rRuU]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\\\n]*"|'[^'\\\n]*')[ \t]*$/gm;

const bare = (file: FileFacts, side: 0 | 1): string =>
  withoutDocStrings(file, withoutComments(file.language, file.text(side) ?? ''))
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim();

const withoutDocStrings = ({ language }: FileFacts, text: string): string =>
  language === 'python' ? text.replace(DOC_STRING, '') : text;
