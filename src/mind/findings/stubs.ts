/** Work that is put off: TODO, "not implemented", and functions that do nothing but say so. */

import type { AddedLine } from '../changes/changed-file.ts';
import { isCode } from '../code/languages.ts';
import { AFTER, type FileFacts } from './file-facts.ts';
import { type Hit, quoted, type Rule } from './rule.ts';

const TODO = /(?:\/\/|\/?\*|#|--|<!--)\s{0,4}@?(?:TODO|FIXME|XXX|HACK|TBD)\b|\b(?:TODO|FIXME)\s{0,3}[:(]/;
const UNWRITTEN =
  /\bnot (?:yet )?implemented\b|\bunimplemented!|\btodo!\s{0,3}\(|\bplaceholder (?:implementation|for now)\b|\bNotImplementedError\b|\bimplement (?:me|this|later)\b|\bto be implemented\b|\bstub(?:bed)? (?:implementation|for now)\b/i;
/** The only statement of a function that does nothing. */
const STUB =
  /^\s{0,80}(?:throw (?:new )?\w{0,40}Error\s{0,3}\(\s{0,3}['"`][^'"`\n]{0,80}(?:not (?:yet )?implemented|unimplemented|todo)[^\n]{0,80}|raise NotImplementedError\b.{0,200}|panic\(\s{0,3}["`].{0,60}(?:not (?:yet )?implemented|unimplemented|todo).{0,80}|(?:todo|unimplemented)!\s{0,3}[({[].{0,120})\s{0,9}$/i;
/** A line that opens the body of a function. */
const OPENS: Readonly<Record<string, RegExp>> = {
  script:
    /(?:\bfunction\b.{0,300}|=>\s{0,5}|^\s{0,80}(?!(?:if|for|while|switch|catch|with|else)\b)(?:(?:public|private|protected|static|async|override|export|default)\s{1,9}){0,6}[\w$#]{1,80}\s{0,3}(?:<[^>\n]{0,80}>)?\(.{0,300}\)[^;=\n]{0,120})\{\s{0,9}$/,
  python:
    /^\s{0,80}(?:async\s{1,9})?def\s{1,9}\w{1,80}\s{0,3}\(.{0,400}:\s{0,9}$|^\s{0,9}\)\s{0,9}(?:->[^:\n]{1,120})?:\s{0,9}$/,
  go: /^\s{0,80}(?:func\b.{0,400}|.{0,300}\bfunc\(.{0,200})\{\s{0,9}$/,
  rust: /\bfn\s{1,9}\w{1,80}.{0,400}\{\s{0,9}$/,
  java: /^\s{1,80}(?!(?:if|for|while|switch|catch|else)\b)(?:\w[\w<>,[\] ]{0,80}\s{1,9})?\w{1,80}\s{0,3}\(.{0,300}\)[^;=\n]{0,120}\{\s{0,9}$/,
};
/** Base classes and interfaces leave methods to others. */
const ABSTRACT = /\b(?:ABC|ABCMeta|abstract\w*|Protocol|interface|Base\w*|Mixin|\w+Base|Abstract\w*|trait)\b/;
const ASKED =
  /\b(?:stubs?|todo|fixme|placeholders?|scaffold\w*|skeleton|not implemented|NotImplemented\w*|unimplemented|abstract|base class|mock\w*)\b/i;

export const stubs: Rule = ({ files, words, mayPutOff }) => {
  const asked = mayPutOff || words.asks(ASKED);
  return files.flatMap((file) => {
    if (file.isTest || file.language === 'other' || !isCode(file.path) || file.file.after === null) return [];
    const old = new Set(file.removed.map(({ text }) => text.trim()));
    return file.added.filter(({ text }) => !old.has(text.trim())).flatMap((line) => judge(file, line, asked));
  });
};

function judge(file: FileFacts, added: AddedLine, asked: boolean): Hit[] {
  const text = added.text.slice(0, 2_000);
  const { line } = added;
  if ((STUB.test(text) && isWholeBody(file, line)) || (isNote(file, added) && isOnlyNote(file, line))) {
    const blocks = !asked && !isLeftToOthers(file, line);
    const message = `This function does nothing but say that it is not implemented (${quoted(text)}): write it`;
    return [{ rule: 'stub-function', severity: blocks ? 'high' : 'medium', path: file.path, line, message, blocks }];
  }
  if (asked || !(TODO.test(text) || UNWRITTEN.test(text))) return [];
  const message = `Work is put off here (${quoted(text)}): do it, or leave the note out`;
  return [{ rule: 'work-put-off', severity: 'medium', path: file.path, line, message, blocks: false }];
}

/** A comment that puts work off. */
const isNote = (file: FileFacts, { line, text }: AddedLine): boolean =>
  (TODO.test(text.slice(0, 2_000)) || UNWRITTEN.test(text.slice(0, 2_000))) &&
  /^[\s'"]*$/.test(file.codeLines(AFTER)[line - 1] ?? '');

/** What a function without work in it gives. */
const NO_WORK =
  /^\s{0,80}(?:pass|\.\.\.|return(?:\s{1,3}(?:this|self|null|None|nil|undefined|true|false|True|False|0|(['"`])\s{0,80}\1|\[\]|\{\}|""))?(?:,\s{0,3}nil)?)\s{0,3};?\s{0,9}$/;

/** Whether a function holds nothing but this comment, and gives nothing that had to be worked out. */
function isOnlyNote(file: FileFacts, line: number): boolean {
  const lines = file.codeLines(AFTER);
  const at = line - 1;
  const above = beside(lines, at, -1);
  if (above === null || opens(file)?.test((lines[above] ?? '').slice(0, 1_000)) !== true) return false;
  let below = beside(lines, at, 1);
  if (below !== null && NO_WORK.test(lines[below] ?? '')) below = beside(lines, below, 1);
  if (file.language !== 'python') return below !== null && /^\s{0,80}\}/.test(lines[below] ?? '');
  return below === null || indentOf(lines[below]) <= indentOf(lines[above]);
}

const opens = ({ language }: FileFacts): RegExp | undefined =>
  OPENS[language === 'javascript' || language === 'typescript' ? 'script' : language];

/** Whether nothing else stands between the line that opens the function and the one that ends it. */
function isWholeBody(file: FileFacts, line: number): boolean {
  const lines = file.codeLines(AFTER);
  const at = line - 1;
  const [above, below] = [beside(lines, at, -1), beside(lines, at, 1)];
  if (above === null || opens(file)?.test((lines[above] ?? '').slice(0, 1_000)) !== true) return false;
  if (file.language !== 'python') return below !== null && /^\s{0,80}\}/.test(lines[below] ?? '');
  return below === null || indentOf(lines[below]) < indentOf(lines[at]);
}

/** The next line of code; what is only a string, such as a doc string, is none. */
function beside(lines: readonly string[], at: number, step: 1 | -1): number | null {
  for (let i = at + step; i >= 0 && i < lines.length && Math.abs(i - at) < 40; i += step)
    if (!/^[\s'"]*$/.test(lines[i] ?? '')) return i;
  return null;
}

function isLeftToOthers(file: FileFacts, line: number): boolean {
  const lines = file.codeLines(AFTER);
  const own = indentOf(lines[line - 1]);
  if (file.language !== 'python' && file.language !== 'typescript' && file.language !== 'javascript') return false;
  for (let i = line - 2; i >= 0; i -= 1) {
    const text = (lines[i] ?? '').slice(0, 500);
    if (i > line - 6 && /@(?:\w+\.)?(?:abstractmethod|overload|abstractproperty)\b/.test(text)) return true;
    if (/^\s{0,80}(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\b/.test(text) && indentOf(text) < own) {
      // A class of Python that is not derived is one to derive from.
      return file.language === 'python' || ABSTRACT.test(text);
    }
  }
  return false;
}

const indentOf = (line = ''): number => line.length - line.trimStart().length;
