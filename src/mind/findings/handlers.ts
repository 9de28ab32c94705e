/** Where errors end up in a source file, and what is done with them. Reads code without comments and strings. */
import type { Language } from '../code/languages.ts';

export type Handler = {
  /** The number of its first line, from 1; `to` is its last. */
  readonly line: number;
  readonly to: number;
  /** What it catches, such as `except ValueError`; equal for the same handler on both sides of a change. */
  readonly takes: string;
  /**
   * `passes`: the error goes on to a caller, or is inspected. `logs`, `constant`, `nothing`: it is printed, replaced by
   * a value, or forgotten. `other`: something else happens, and the error is not inspected.
   */
  readonly does: 'passes' | 'logs' | 'constant' | 'nothing' | 'other';
  /** The handler ends the process as a failure, or returns such an exit code. */
  readonly ends: boolean;
};

const MAX_HANDLERS = 500;
const MAX_BODY = 2_000;
const HEADS: Readonly<Record<string, RegExp>> = {
  script:
    /\bcatch\s{0,3}(?:\(\s{0,3}(?<name>[\w$]{0,40})[^)\n]{0,80}\)\s{0,3})?(?<open>\{)|(?<promise>\.catch)\(\s{0,9}(?:async\s{0,3})?(?:function\s{0,3}\w{0,30}\s{0,3}\(\s{0,3}(?<arg>[\w$]{0,40})[^)\n]{0,40}\)\s{0,3}(?=\{)|\(?\s{0,3}(?<param>[\w$]{0,40})[^)=\n]{0,40}\)?\s{0,3}=>\s{0,9})(?<body>\{|(?=[^\s{]))/g,
  java: /\bcatch\s{0,3}\(\s{0,3}(?:final\s{1,3})?(?<type>[\w.| ]{1,120}?)\s{1,3}(?<name>\w{1,40})\s{0,3}\)\s{0,3}(?<open>\{)/g,
  go: /\bif\b[^{\n]{0,160}\b(?<name>err\w{0,20}) != nil\s{0,3}(?<open>\{)/g,
};
const EXCEPT = /^([ \t]{0,120})except\b([^:\n]{0,160}?)(?:\s+as\s+(\w{1,40}))?\s*:(.*)$/;

export function handlersIn(language: Language, code: string): readonly Handler[] {
  if (language === 'python') return inPython(code.split('\n'));
  const heads = HEADS[language === 'javascript' || language === 'typescript' ? 'script' : language];
  if (heads === undefined) return [];
  const found: Handler[] = [];
  let [line, at] = [1, 0];
  for (const match of code.matchAll(heads)) {
    if (found.length >= MAX_HANDLERS) break;
    for (let next = code.indexOf('\n', at); next >= 0 && next < match.index; next = code.indexOf('\n', at)) {
      line += 1;
      at = next + 1;
    }
    const { name, arg, param, type = '', open, promise, body = '' } = match.groups ?? {};
    const from = match.index + match[0].length;
    const text = bodyFrom(code.slice(from, from + MAX_BODY), (open ?? body) === '{');
    if (text === null) continue;
    const first = line + (code.slice(match.index, from).match(/\n/g)?.length ?? 0);
    const to = first + (text.match(/\n/g)?.length ?? 0);
    const takes = `${promise ?? 'catch'} ${type}`.trim();
    found.push({ line, to, takes, does: doing(language, text, name ?? arg ?? param ?? ''), ends: ENDS.test(text) });
  }
  return found;
}

/** The body up to its end; null if that is too far away. `isBlock`: it began with a brace. */
function bodyFrom(code: string, isBlock: boolean): string | null {
  let depth = 0;
  for (let i = 0; i < code.length; i += 1) {
    const letter = code[i] as string;
    if (depth === 0 && (isBlock ? letter === '}' : letter === ')' || letter === ',')) return code.slice(0, i);
    if ('({['.includes(letter)) depth += 1;
    else if (')}]'.includes(letter)) depth -= 1;
  }
  return null;
}

function inPython(lines: readonly string[]): readonly Handler[] {
  const found: Handler[] = [];
  for (const [i, line] of lines.entries()) {
    if (found.length >= MAX_HANDLERS) break;
    const head = EXCEPT.exec(line.slice(0, 500));
    if (head === null) continue;
    const [, indent = '', type = '', name = '', rest = ''] = head;
    const body = [rest];
    for (let j = i + 1; j < lines.length && body.length < 40; j += 1) {
      const text = lines[j] ?? '';
      if (text.trim() !== '' && text.length - text.trimStart().length <= indent.length) break;
      body.push(text.slice(0, 500));
    }
    const text = body.join('\n');
    const takes = `except ${type.trim()}`.trim();
    found.push({ line: i + 1, to: i + body.length, takes, does: doing('python', text, name), ends: ENDS.test(text) });
  }
  return found;
}

const ENDS =
  /\bprocess\.exit(?:Code\s{0,3}=|\()\s{0,3}[^0\s)]|\b(?:sys|os|System)\.[eE]xit\(\s{0,3}[^0\s)]|\blog\.Fatal\w{0,2}\(|\braise SystemExit\(\s{0,3}[^0\s)]|^\s{0,80}return [1-9]\d{0,2}\s{0,3};?\s{0,9}$/m;
const LOGS =
  /^(?:(?:this|self|[\w$]{1,20})\.){0,2}#?_?(?:console|logging|log|logger|warnings|traceback|slog|out|err)\.\w{1,20}\(|^(?:await\s)?(?:print\w{0,2}|debug|warn|log\w{0,10}|fmt\.(?:Print|Fprint)\w{0,3})\s{0,3}\(|^\w{1,40}\.printStackTrace\(/i;
/** Still ends with an error. */
const PASSES =
  /\b(?:throw|raise|panic|reject|fail|abort|process\.exit\(\s{0,3}[^0\s)]|(?:sys|os|System)\.[eE]xit\(\s{0,3}[^0\s)]|exit\(\s{0,3}[^0\s)]|errors?\.(?:New|Wrap\w*|push|append|add)|fmt\.Errorf)\b/;
/** A value from before the error, or nothing. */
const CONSTANT =
  /^(?:pass|\.\.\.|continue|break|(?:return\b)?\s{0,3}(?:(?!.*[\w$)\]]\s{0,3}\()|new \w{1,40}\(\s*\)$).{0,200})$/s;
const ASSIGNS = /^[\w$.]{1,60}\s{0,3}(?:[-+*/|&]|:)?=(?!=)|^[\w$.]{1,60}(?:\+\+|--)$/;

function doing(language: Language, body: string, error: string): Handler['does'] {
  const statements = statementsOf(body);
  const rest = statements.filter((text) => !LOGS.test(text));
  const looked =
    error === '' || error === '_' ? null : new RegExp(`(?<![\\w$])${error.replace(/\$/g, '\\$')}(?![\\w$])`);
  if (rest.some((text) => PASSES.test(text) || looked?.test(text) === true)) return 'passes';
  if (rest.length === 0) return statements.length === 0 ? 'nothing' : 'logs';
  if (rest.every((text) => /^(?:pass|\.\.\.|continue)$/.test(text)) && language === 'python')
    return statements.length === rest.length ? 'nothing' : 'logs';
  return rest.every((text) => CONSTANT.test(text) && !ASSIGNS.test(text)) ? 'constant' : 'other';
}

/** A statement in brackets may have several lines. */
function statementsOf(body: string): string[] {
  const found: string[] = [];
  let [depth, text] = [0, ''];
  for (const letter of body) {
    if ('([{'.includes(letter)) depth += 1;
    if (')]}'.includes(letter)) depth -= 1;
    if (depth <= 0 && (letter === '\n' || letter === ';')) {
      found.push(text);
      text = '';
    } else text += letter;
  }
  return [...found, text].map((one) => one.trim()).filter((one) => one !== '');
}
