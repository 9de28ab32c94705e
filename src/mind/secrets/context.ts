/** The surroundings of a value: the name it is assigned to, the words before it on its line, its quotes and its end. */
import { BETWEEN_NAME } from './names.ts';

/** How far back to look; longer lines are generated. */
const REACH = 120;
const MAX_GAP = 24;
const MAX_NAME = 64;

type ValueContext = {
  /** The name that the value is assigned to, or an empty text. */
  readonly name: string;
  /** An operator (`=`, `:`, `,`, `(`, `>`) or a quote separates the two. */
  readonly given: boolean;
  /** That operator is `=` or `:`. */
  readonly assigned: boolean;
  /** The rest of the line before the value. */
  readonly line: string;
};

const isName = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  code === 36;

/** What may stand between a name and its value (1), what assigns the value to it (3); a quote does: `token 'abc'`. */
const GAP = new Uint8Array(1 << 16);
for (const char of '"\'`\t =:,({[<>?|!*@%\\+&;#') GAP[char.charCodeAt(0)] = 1;
for (const char of '=:,(>|"\'`') GAP[char.charCodeAt(0)] = 3;
const NEWLINE = 10;
const RETURN = 13;
const DOT = 46;
const EQUALS = 61;
const COLON = 58;
const DASH = 45;
const STROKE = 47;
const TILDE = 126;

/** The rules ask one after the other about the same value. */
let last: { text: string; at: number; context: ValueContext } | null = null;

export function contextOf(text: string, at: number): ValueContext {
  if (last !== null && last.at === at && last.text === text) return last.context;
  last = { text, at, context: lookBefore(text, at) };
  return last.context;
}

function lookBefore(text: string, at: number): ValueContext {
  let start = at;
  const least = Math.max(0, at - REACH);
  while (start > least && text.charCodeAt(start - 1) !== NEWLINE) start--;
  let given = false;
  let assigned = false;
  let end = at;
  let name = '';
  for (let tries = 0; tries < 3; tries++) {
    const before = skipGap(text, end);
    given ||= before.given;
    assigned ||= before.assigned;
    let from = before.at;
    while (from > 0 && before.at - from < MAX_NAME && isName(text.charCodeAt(from - 1))) from--;
    name = text.slice(from, before.at);
    end = from;
    if (name === '' || !BETWEEN_NAME.test(name)) break;
  }
  if (start > 0 && isBlank(text, start, at)) start = lineAbove(text, start);
  const line = text.slice(Math.min(start, end), at);
  // A blank is enough after an option (`--token …`) and in a line that sets a variable (`ENV TOKEN …`).
  if (!given && (name.startsWith('-') || SETS.test(line))) given = true;
  if (name === '' && assigned) name = namedAbove(text, end);
  return { name, given, assigned, line };
}

function isBlank(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > 32) return false;
  return true;
}

const ABOVE = /(?:^|\n)([^\n]*:)[ \t]*\r?\n\s*$/;

/** A value alone on its line belongs to the text above it that ends in a colon. */
function lineAbove(text: string, start: number): number {
  const head = text.slice(Math.max(0, start - REACH), start);
  const found = ABOVE.exec(head);
  return found === null ? start : start - head.length + found.index;
}

const SETS = /^\s*(?:ENV|ARG|SETENV|SET|SETX)(?:\s+-\w+)*\s+[\w.-]+[ \t]+["']?$/i;
const NAME_ABOVE = /(?:^|[\s{,"'-])name["']?[ \t]?[:=][ \t]?["']?([\w.-]{1,64})["']?,?[ \t]*\r?\n[ \t]*["']?$/;

/** `name: API_TOKEN` on one line and `value: …` on the next. `end`: where `value` starts. */
function namedAbove(text: string, end: number): string {
  return NAME_ABOVE.exec(text.slice(Math.max(0, end - REACH), end))?.[1] ?? '';
}

/** The value of an element or a YAML block may start on the next line; nothing else crosses a line end. */
function skipGap(
  text: string,
  end: number,
): {
  readonly at: number;
  readonly given: boolean;
  readonly assigned: boolean;
} {
  let at = end;
  let given = false;
  let assigned = false;
  let newlines = 0;
  while (at > 0 && end - at < MAX_GAP) {
    const code = text.charCodeAt(at - 1);
    if (code === NEWLINE && newlines++ === 0) {
      const last = text.charCodeAt(at - 2) === RETURN ? at - 3 : at - 2;
      if (last < 0 || !/[=:>|(]/.test(text[last] ?? '')) break;
      at = last + 1;
      continue;
    }
    // `.=` of PHP is an operator, any other full stop part of a name.
    const gap = GAP[code] as number;
    if (gap === 0 && !(code === DOT && text.charCodeAt(at) === EQUALS)) {
      const line = code === STROKE || code === DASH || code === TILDE ? signsBefore(text, at) : null;
      if (line === null) break;
      at = line;
      continue;
    }
    given ||= gap === 3;
    assigned ||= code === EQUALS || code === COLON;
    at--;
  }
  return { at, given, assigned };
}

const MAX_SIGNS = 16;
const SIGNS = /^[\s+/~#*|>;!%-]+$/;

/** Where the line starts, if only the signs of a diff, a quote or a comment precede this place. */
function signsBefore(text: string, at: number): number | null {
  const head = text.slice(Math.max(0, at - MAX_SIGNS), at);
  const newline = head.lastIndexOf('\n');
  return newline >= 0 && SIGNS.test(head.slice(newline + 1)) ? at - head.length + newline + 1 : null;
}

const MOST = 256;
const MOST_VALUE = 4_096;

const STOPS = new Uint8Array(128);
for (const char of ' \t\r\n"\'`<>(){}[],;&|\\') STOPS[char.charCodeAt(0)] = 1;
const BLANK = 32;
const QUOTES = new Set([34, 39, 96]);

export type ValueSpan = { readonly from: number; readonly to: number; readonly quoted: boolean };

/** The whole text between two quotes, if it has no blank inside and is no address. */
export function quotedAround(text: string, from: number, to: number): ValueSpan | null {
  let start = from;
  while (start > 0 && from - start < MOST && inQuotes(text.charCodeAt(start - 1))) start--;
  const blank = start === from && text.charCodeAt(start - 1) === BLANK ? 1 : 0;
  const quote = text.charCodeAt(start - 1 - blank);
  if (start === 0 || !QUOTES.has(quote)) return null;
  const end = closing(text, to, quote);
  return end === null ? null : { from: start, to: end, quoted: true };
}

/** All words up to the same end share it: a hostile text of a million of them is walked once. */
let lastEnd = { text: '', from: 0, end: 0 };

export function valueAround(text: string, from: number, to: number): ValueSpan {
  let end = to;
  if (lastEnd.text === text && lastEnd.from <= to && to <= lastEnd.end) end = lastEnd.end;
  else {
    while (end < text.length && end - to < MOST_VALUE && !stops(text.charCodeAt(end))) end++;
    lastEnd = { text, from: to, end };
  }
  // A full stop or a colon after it belongs to the sentence.
  while (end > from + 1 && (text[end - 1] === '.' || text[end - 1] === ':')) end--;
  return { from, to: end, quoted: false };
}

const inQuotes = (code: number) => code > 32 && code < 127 && !QUOTES.has(code) && code !== 92;

function closing(text: string, to: number, quote: number): number | null {
  for (let end = to; end < text.length && end - to < MOST_VALUE; end++) {
    const code = text.charCodeAt(end);
    if (code === BLANK && text.charCodeAt(end + 1) === quote) return end;
    if (code === quote || (code === 92 && text.charCodeAt(end + 1) === quote)) return end;
    if (code <= 32 || code === 92) return null;
  }
  return null;
}

const stops = (code: number) => code >= 128 || STOPS[code] === 1;
