/**
 * Source text with comments and the insides of strings blanked out: every other character stays at its place, and so do
 * line ends. What is looked for in it is code, so readers can be simple patterns. One pass, whatever the text.
 *
 * Not a parser. Known guesses: a slash after `)` divides; an apostrophe in the text of JSX hides the rest of its line.
 */
import type { Language } from './languages.ts';
import { endOfRegExp } from './mask-regexp.ts';

const [TAB, NEWLINE, DOUBLE, HASH, SINGLE, STAR, SLASH] = [9, 10, 34, 35, 39, 42, 47];
const [BACKSLASH, BACKTICK, OPEN, CLOSE, DOLLAR, SPACE] = [92, 96, 123, 125, 36, 32];

/** What may begin or end a string or a comment; everything else is passed over. */
const STOPS: Readonly<Record<Language, RegExp>> = {
  typescript: /['"`/{}]/g,
  javascript: /['"`/{}]/g,
  python: /['"#]/g,
  go: /['"`/]/g,
  rust: /['"/]/g,
  java: /['"/]/g,
  other: /(?!)/g,
};

export function maskOf(language: Language, text: string): string {
  return masked(language, text, false);
}

/** Comments alone are blanked. */
export const withoutComments = (language: Language, text: string): string => masked(language, text, true);

function masked(language: Language, text: string, keepStrings: boolean): string {
  const stop = STOPS[language];
  const script = language === 'typescript' || language === 'javascript';
  const size = text.length;
  const pieces: string[] = [];
  /** Text before this is in `pieces`. */
  let done = 0;
  /** Where the code since the last string or comment begins, and the last character of code before that. */
  let segment = 0;
  let before = -1;
  /** Of each template whose `${` is open: how many braces are open in it. */
  const templates: number[] = [];
  let noRegExpUntil = 0;
  let newline = -1;

  const blank = (from: number, to: number): void => {
    if (to <= from) return;
    if (from > done) pieces.push(text.slice(done, from));
    // Looked for once per line: a text of one line would be read anew for each of its strings.
    if (newline < from) newline = lineEnd(text, from);
    pieces.push(newline < to ? text.slice(from, to).replace(/[^\n]+/g, spaces) : spaces(to - from));
    done = to;
  };
  const lastCode = (at: number): number => {
    for (let i = at - 1; i >= segment; i -= 1) {
      const code = text.charCodeAt(i);
      if (code !== SPACE && code !== NEWLINE && code !== TAB && code !== 13) return i;
    }
    return before;
  };
  /** Blanks the inside of a string whose quotes stay. */
  const string = (from: number, to: number): number => {
    if (!keepStrings) blank(from, to);
    before = from - 1;
    return to;
  };

  let i = 0;
  while (i < size) {
    stop.lastIndex = i;
    if (!stop.test(text)) break;
    i = stop.lastIndex - 1;
    const code = text.charCodeAt(i);
    switch (code) {
      case SLASH: {
        const next = text.charCodeAt(i + 1);
        if (next === SLASH || next === STAR) {
          const end = next === SLASH ? lineEnd(text, i) : commentEnd(text, i, language === 'rust');
          before = lastCode(i);
          blank(i, end);
          segment = end;
          i = end;
        } else if (script && i >= noRegExpUntil) {
          const end = endOfRegExp(text, i, lastCode(i));
          if (end > 0) {
            i = string(i + 1, end - 1) + 1;
            segment = i;
          } else {
            if (end < 0) noRegExpUntil = -end;
            i += 1;
          }
        } else i += 1;
        continue;
      }
      case HASH: {
        const end = lineEnd(text, i);
        blank(i, end);
        i = end;
        continue;
      }
      case OPEN:
        if (templates.length > 0) templates[templates.length - 1] = (templates.at(-1) ?? 0) + 1;
        i += 1;
        continue;
      case CLOSE: {
        const open = templates.at(-1);
        i += 1;
        if (open === undefined) continue;
        if (open > 0) templates[templates.length - 1] = open - 1;
        else {
          templates.pop();
          i = template(i);
        }
        continue;
      }
      case BACKTICK:
        if (script) i = template(i + 1);
        else i = string(i + 1, found(text, '`', i + 1)) + 1;
        segment = i;
        continue;
      default: {
        const inside = insideOf(language, text, i, code);
        i = inside === null ? i + 1 : string(inside.from, inside.to) + inside.quotes;
        if (inside !== null) segment = Math.min(i, size);
      }
    }
  }
  if (done === 0) return text;
  pieces.push(text.slice(done));
  return pieces.join('');

  /** From inside of a template: to behind its end, or behind the next `${`. */
  function template(from: number): number {
    let at = from;
    for (; at < size; at += 1) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) at += 1;
      else if (code === BACKTICK) break;
      else if (code === DOLLAR && text.charCodeAt(at + 1) === OPEN) {
        if (!keepStrings) blank(from, at);
        templates.push(0);
        segment = at + 2;
        before = at + 1;
        return at + 2;
      }
    }
    if (!keepStrings) blank(from, Math.min(at, size));
    before = from - 1;
    segment = Math.min(at + 1, size);
    return at + 1;
  }
}

type Inside = { readonly from: number; readonly to: number; readonly quotes: number };

/** The inside of the string that opens at `at`; null when the quote opens none. */
function insideOf(language: Language, text: string, at: number, quote: number): Inside | null {
  const mark = quote === SINGLE ? "'" : '"';
  const triple = language === 'python' || (language === 'java' && quote === DOUBLE);
  if (triple && text.startsWith(mark + mark + mark, at)) {
    return { from: at + 3, to: tripleEnd(text, at + 3, mark), quotes: 3 };
  }
  if (language === 'rust') {
    if (quote === SINGLE) return rustChar(text, at);
    let hashes = at;
    while (text.charCodeAt(hashes - 1) === HASH) hashes -= 1;
    if (/[rR]/.test(text[hashes - 1] ?? '') && !/[\w]/.test(text[hashes - 2]?.replace('b', '') ?? '')) {
      const mark = `"${'#'.repeat(at - hashes)}`;
      return { from: at + 1, to: found(text, mark, at + 1), quotes: mark.length };
    }
    return { from: at + 1, to: quoteEnd(text, at + 1, quote, true), quotes: 1 };
  }
  return { from: at + 1, to: quoteEnd(text, at + 1, quote, false), quotes: 1 };
}

/** `'a'` and `'\n'`, but not the lifetime `'a`. */
function rustChar(text: string, at: number): Inside | null {
  if (text.charCodeAt(at + 1) === BACKSLASH) {
    const end = text.slice(at + 3, at + 14).indexOf("'");
    return end < 0 ? null : { from: at + 1, to: at + 3 + end, quotes: 1 };
  }
  const end = text.charCodeAt(at + 2) === SINGLE ? at + 2 : text.charCodeAt(at + 3) === SINGLE ? at + 3 : -1;
  const one = end < 0 ? '' : text.slice(at + 1, end);
  return end > 0 && [...one].length === 1 ? { from: at + 1, to: end, quotes: 1 } : null;
}

/** A string that is not closed ends with its line, unless lines may be in it. */
function quoteEnd(text: string, from: number, quote: number, lines: boolean): number {
  for (let i = from; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i += 1;
    else if (code === quote || (code === NEWLINE && !lines)) return i;
  }
  return text.length;
}

function tripleEnd(text: string, from: number, mark: string): number {
  const three = mark + mark + mark;
  for (let i = from; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i += 1;
    else if (code === mark.charCodeAt(0) && text.startsWith(three, i)) return i;
  }
  return text.length;
}

/** Those of Rust nest. */
function commentEnd(text: string, at: number, nest: boolean): number {
  if (!nest) return Math.min(found(text, '*/', at + 2) + 2, text.length);
  let depth = 0;
  for (let i = at; i < text.length - 1; i += 1) {
    const code = text.charCodeAt(i);
    if (code === SLASH && text.charCodeAt(i + 1) === STAR) {
      depth += 1;
      i += 1;
    } else if (code === STAR && text.charCodeAt(i + 1) === SLASH) {
      depth -= 1;
      i += 1;
      if (depth === 0) return i + 1;
    }
  }
  return text.length;
}

const lineEnd = (text: string, from: number): number => found(text, '\n', from);

function found(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}

const BLANKS = ' '.repeat(256);

function spaces(what: string | number): string {
  const size = typeof what === 'string' ? what.length : what;
  return size <= BLANKS.length ? BLANKS.slice(0, size) : ' '.repeat(size);
}
