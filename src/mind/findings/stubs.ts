/** Finds postponed work: TODO, "not implemented", and functions that do nothing else. */

import type { AddedLine } from '../changes/changed-file.ts';
import { isCode } from '../code/languages.ts';
import { AFTER, BEFORE, type FileFacts } from './file-facts.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';

const TODO = /(?:\/\/|\/?\*|#|--|<!--)\s{0,4}@?(?:TODO|FIXME|XXX|HACK|TBD)\b|\b(?:TODO|FIXME)\s{0,3}[:(]/;
const UNWRITTEN =
  /\bnot (?:yet )?implemented\b|\bunimplemented!|\btodo!\s{0,3}\(|\bplaceholder (?:implementation|for now)\b|\bNotImplementedError\b|\bimplement (?:me|this|later)\b|\bto be implemented\b|\bstub(?:bed)? (?:implementation|for now)\b|\bplaceholder\b(?=.{0,60}\b(?:real|actual|later|until|now|todo)\b)|\b(?:real|actual|proper) (?:\w+ ){1,3}(?:comes?|follows|goes here|is missing)\b|\bimplement(?:ation)? (?:comes|follows) later\b/i;
/** A note that the work itself is missing, beside whatever stands in for it. */
const MISSING =
  /\b(?:TODO|FIXME|XXX|TBD)\b.{0,12}\b(?:implement|write|do|add|finish|remove|call|replace)\w*\b|\bnot (?:yet )?implemented\b/i;
/** The only statement of a function that does nothing. */
const STUB =
  /^\s{0,80}(?:throw (?:new )?\w{0,40}(?:Error|Exception)\s{0,3}\(\s{0,3}['"`][^'"`\n]{0,80}(?:not (?:yet )?implemented|unimplemented|todo)[^\n]{0,80}|raise NotImplementedError\b.{0,200}|panic\(\s{0,3}["`].{0,60}(?:not (?:yet )?implemented|unimplemented|todo).{0,80}|(?:todo|unimplemented)!\s{0,3}[({[].{0,120})\s{0,9}$/i;
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
  /\b(?:stubs?|todo|fixme|placeholders?|scaffold\w*|skeleton|not implemented|NotImplemented\w*|unimplemented|abstract|base class|protocol|interface|no-?op|nothing|empty|dummy|mock\w*)\b/i;

/** A line without any of these words matches none of the patterns above. */
const MAY_PUT_OFF = /todo|fixme|xxx|hack|tbd|implement|placeholder|stub|\b(?:real|actual|proper) /i;

export const stubs: FindingRule = ({ files, words, mayPutOff }) => {
  const asked = mayPutOff || words.asks(ASKED);
  const said = new Set(words.asking(/./).flatMap((text) => text.match(/[\w$]+/g) ?? []));
  return files.flatMap((file) => {
    if (file.isTest || file.language === 'other' || !isCode(file.path) || file.file.after === null) return [];
    const old = new Set(file.removed.map(({ text }) => text.trim()));
    const idle = asked ? [] : idleFunctions(file, said);
    const others = file.added.filter(
      ({ line, text }) =>
        MAY_PUT_OFF.test(text) && !old.has(text.trim()) && !idle.some(({ from, to }) => line >= from && line <= to),
    );
    return [
      ...idle.map(({ from, name }) => idleHit(file, from, name)),
      ...others.flatMap((line) => judge(file, line, asked)),
    ];
  });
};

function idleHit({ path }: FileFacts, line: number, name: string): Hit {
  const message = `The task asks for ${quoted(name)}, and this function does nothing yet: write it`;
  return { rule: 'stub-function', severity: 'high', path, line, message, blocks: true };
}

const NAME =
  /(?:\b(?:def|func|fn|function)\s{1,9}(?:\([^)\n]{0,80}\)\s{0,3})?)?\b([\w$]{4,80})\s{0,3}(?:<[^>\n]{0,80}>)?\(\s{0,9}((?:self|cls|this|&(?:mut )?self)\b)?[\s,]{0,9}([^)\s]?)/;

/** New functions that the task names, and that do nothing with what they are given. `from` counts from 1. */
function idleFunctions(file: FileFacts, said: ReadonlySet<string>): { from: number; to: number; name: string }[] {
  const heads = file.added.flatMap(({ line, text }) => {
    const [, name = '', , parameter = ''] = text.includes('(') ? (NAME.exec(text.slice(0, 1_000)) ?? []) : [];
    return said.has(name) ? [{ line, name, parameter }] : [];
  });
  if (heads.length === 0) return [];
  const lines = file.codeLines(AFTER);
  const raw = file.text(AFTER)?.split('\n') ?? [];
  const before = new Set(file.code(BEFORE).match(/[\w$]+/g));
  return heads.flatMap(({ line, name, parameter }) => {
    const head = (lines[line - 1] ?? '').slice(0, 1_000);
    if (before.has(name) || opens(file)?.test(head) !== true || isInTests(file, line)) return [];
    let to = line;
    while (to < lines.length && (/^[\s'"]*$/.test(lines[to] ?? '') || indentOf(lines[to]) > indentOf(head))) to += 1;
    const body = lines
      .slice(line, to)
      .flatMap((one, i) => (/^[\s'"]*$/.test(one) ? [] : [[one, raw[line + i] ?? ''] as const]));
    const isIdle = body.every(
      ([code, text]) => STUB.test(text) || (NO_WORK.test(code) && (parameter !== '' || !/return/.test(code))),
    );
    return isIdle && body.length < 3 && !isLeftToOthers(file, line + 1, true) ? [{ from: line, to, name }] : [];
  });
}

function judge(file: FileFacts, added: AddedLine, asked: boolean): Hit[] {
  const text = added.text.slice(0, 2_000);
  const { line } = added;
  const isStub = STUB.test(text) && isWholeBody(file, line) && !isInTests(file, line);
  if (isStub || isLeftOut(file, added) || (isNote(file, added) && isOnlyNote(file, line))) {
    const blocks = !asked && !isLeftToOthers(file, line);
    const message = `This code does nothing but say that it is not implemented (${quoted(text)}): write it`;
    return [{ rule: 'stub-function', severity: blocks ? 'high' : 'medium', path: file.path, line, message, blocks }];
  }
  if (asked || !(TODO.test(text) || UNWRITTEN.test(text))) return [];
  const message = `Work is postponed here (${quoted(text)}): do it, or leave the note out`;
  return [{ rule: 'work-put-off', severity: 'medium', path: file.path, line, message, blocks: false }];
}

/** A comment that postpones work. */
const isNote = (file: FileFacts, { line, text }: AddedLine): boolean =>
  (TODO.test(text.slice(0, 2_000)) || UNWRITTEN.test(text.slice(0, 2_000))) &&
  /^[\s'"]*$/.test(file.codeLines(AFTER)[line - 1] ?? '');

/** Finished work does not contain this macro. */
const LEFT_OUT = /(?<![\w.])todo!\s{0,3}[({[]/;
const isLeftOut = (file: FileFacts, line: AddedLine): boolean =>
  file.language === 'rust' && LEFT_OUT.test(file.codeOf(line).slice(0, 2_000)) && !isInTests(file, line.line);

/** Whether a line of Rust stands behind the head of the file's own tests. */
const isInTests = (file: FileFacts, line: number): boolean =>
  file
    .codeLines(AFTER)
    .slice(0, line)
    .some((one) => /^\s{0,40}#\[cfg\(test\)\]/.test(one));

/** What a function without any work returns. */
const NO_WORK =
  /^\s{0,80}(?:pass|\.\.\.|(?:void|_ =) \w{1,60}|(?:return\b\s{0,3})?(?:\[\.\.\.\w{1,60}\]|\{ \.\.\.\w{1,60} \}|\{(?:\s{0,9}[\w'"]{1,40}\s{0,3}:\s{0,3}(?:[\d.]{1,20}|null|true|false|(['"`])\s{0,80}\1)\s{0,3},?){1,8}\s{0,9}\})|return(?:\s{1,3}(?:this|self|null|None|nil|undefined|true|false|True|False|0|(['"`])\s{0,80}\2|\[\]|\{\}|""))?(?:,\s{0,3}nil)?)\s{0,3};?\s{0,9}$/;
/** A branch, of which a change may add one and leave its work out. */
const BRANCH =
  /^\s{0,80}(?:\}\s{0,3})?(?:else\s{1,3})?(?:(?:if|elif|for|while|switch|match)\b.{1,300}|else\s{0,3}|(?:case|default|when)\b.{0,200})[{:]\s{0,9}$/;

/** Whether a function or a new branch holds nothing but this comment, and returns nothing that had to be computed. */
function isOnlyNote(file: FileFacts, line: number): boolean {
  const lines = file.codeLines(AFTER);
  const at = line - 1;
  let above = beside(lines, at, -1);
  // What only says that a parameter is not used.
  if (above !== null && /^\s{0,80}(?:void|_ =) \w{1,60};?\s{0,9}$/.test(lines[above] ?? ''))
    above = beside(lines, above, -1);
  if (above === null) return false;
  const head = (lines[above] ?? '').slice(0, 1_000);
  const isBranch = BRANCH.test(head) && file.added.some((one) => one.line === (above ?? 0) + 1);
  if (opens(file)?.test(head) !== true && !isBranch) return false;
  let below = beside(lines, at, 1);
  const note = file.text(AFTER)?.split('\n')[at] ?? '';
  const isMissing = !isBranch || MISSING.test(note) || UNWRITTEN.test(note);
  if (below !== null && isMissing && NO_WORK.test(lines[below] ?? '')) below = beside(lines, below, 1);
  if (file.language !== 'python') return below !== null && /^\s{0,80}(?:\}|case\b|default\b)/.test(lines[below] ?? '');
  return below === null || indentOf(lines[below]) <= indentOf(lines[above]);
}

const opens = ({ language }: FileFacts): RegExp | undefined =>
  OPENS[language === 'javascript' || language === 'typescript' ? 'script' : language];

/** Whether nothing else stands between the lines that open and end the function. */
function isWholeBody(file: FileFacts, line: number): boolean {
  const lines = file.codeLines(AFTER);
  const at = line - 1;
  const [above, below] = [beside(lines, at, -1), beside(lines, at, 1)];
  if (above === null || opens(file)?.test((lines[above] ?? '').slice(0, 1_000)) !== true) return false;
  if (file.language !== 'python') return below !== null && /^\s{0,80}\}/.test(lines[below] ?? '');
  return below === null || indentOf(lines[below]) < indentOf(lines[at]);
}

/** The next line of code; a line that is only a string, such as a doc string, does not count. */
function beside(lines: readonly string[], at: number, step: 1 | -1): number | null {
  for (let i = at + step; i >= 0 && i < lines.length && Math.abs(i - at) < 40; i += step)
    if (!/^[\s'"]*$/.test(lines[i] ?? '')) return i;
  return null;
}

/** `surely`: a class that says so. */
function isLeftToOthers(file: FileFacts, line: number, surely = false): boolean {
  const lines = file.codeLines(AFTER);
  const own = indentOf(lines[line - 1]);
  if (file.language !== 'python' && file.language !== 'typescript' && file.language !== 'javascript') return false;
  for (let i = line - 2; i >= 0; i -= 1) {
    const text = (lines[i] ?? '').slice(0, 500);
    if (i > line - 6 && /@(?:\w+\.)?(?:abstractmethod|overload|abstractproperty)\b/.test(text)) return true;
    if (/^\s{0,80}(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\b/.test(text) && indentOf(text) < own) {
      // A Python class without a base class is meant to be derived from.
      return (file.language === 'python' && !surely) || ABSTRACT.test(text);
    }
  }
  return false;
}

const indentOf = (line = ''): number => line.length - line.trimStart().length;
