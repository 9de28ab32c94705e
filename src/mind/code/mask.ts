/**
 * Blanks comments and the insides of strings in source text; all other characters and line ends keep their places. What
 * is searched in it is code, so readers can be simple patterns. One pass, whatever the text. Not a parser. Known
 * guesses: a slash after `)` divides; an apostrophe in JSX text hides the rest of its line.
 */
import type { Language } from './languages.ts';
import { endOfRegExp } from './mask-regexp.ts';

const [TAB, NEWLINE, RETURN, DOUBLE, HASH, SINGLE, STAR, SLASH] = [9, 10, 13, 34, 35, 39, 42, 47];
const [BACKSLASH, BACKTICK, OPEN, CLOSE, DOLLAR, SPACE] = [92, 96, 123, 125, 36, 32];

/** What may start or end a string or comment; everything else is skipped. */
const STOPS: Readonly<Record<Language, RegExp>> = {
  typescript: /['"`/{}]/g,
  javascript: /['"`/{}]/g,
  python: /['"#]/g,
  go: /['"`/]/g,
  rust: /['"/]/g,
  java: /['"/]/g,
  other: /(?!)/g,
};

export const maskOf = (language: Language, text: string): string => new Masker(language, text, false).masked();

/** Blanks only comments. */
export const withoutComments = (language: Language, text: string): string => new Masker(language, text, true).masked();

/** Walks once over a text. Each method takes the start of its kind of token and returns its end. */
class Masker {
  readonly #language: Language;
  readonly #text: string;
  readonly #keepStrings: boolean;
  readonly #isScript: boolean;
  readonly #pieces: string[] = [];
  /** Text before this is in `#pieces`. */
  #done = 0;
  /** Where the code since the last string or comment starts, and the last character of code before that. */
  #segment = 0;
  #before = -1;
  /** For each template with an open `${`: how many braces are open in it. */
  readonly #templates: number[] = [];
  #noRegExpUntil = 0;
  #newline = -1;

  constructor(language: Language, text: string, keepStrings: boolean) {
    this.#language = language;
    this.#text = text;
    this.#keepStrings = keepStrings;
    this.#isScript = language === 'typescript' || language === 'javascript';
  }

  masked(): string {
    const stop = STOPS[this.#language];
    let at = 0;
    while (at < this.#text.length) {
      stop.lastIndex = at;
      if (!stop.test(this.#text)) break;
      at = this.#token(stop.lastIndex - 1);
    }
    if (this.#done === 0) return this.#text;
    this.#pieces.push(this.#text.slice(this.#done));
    return this.#pieces.join('');
  }

  #token(at: number): number {
    const code = this.#text.charCodeAt(at);
    switch (code) {
      case SLASH:
        return this.#slash(at);
      case HASH: {
        const end = lineEnd(this.#text, at);
        this.#blank(at, end);
        return end;
      }
      case OPEN:
        if (this.#templates.length > 0) this.#templates.push((this.#templates.pop() ?? 0) + 1);
        return at + 1;
      case CLOSE:
        return this.#closeBrace(at);
      case BACKTICK:
        return this.#isScript ? this.#template(at + 1) : this.#rawString(at + 1);
      default:
        return this.#quoted(at, code);
    }
  }

  /** A comment, a regular expression or a division. */
  #slash(at: number): number {
    const next = this.#text.charCodeAt(at + 1);
    if (next === SLASH || next === STAR) return this.#comment(at, next);
    if (!this.#isScript || at < this.#noRegExpUntil) return at + 1;
    const end = endOfRegExp(this.#text, at, this.#lastCode(at));
    if (end < 0) this.#noRegExpUntil = -end;
    if (end <= 0) return at + 1;
    this.#string(at + 1, end - 1);
    this.#segment = end;
    return end;
  }

  #comment(at: number, second: number): number {
    const end = second === SLASH ? lineEnd(this.#text, at) : commentEnd(this.#text, at, this.#language === 'rust');
    this.#before = this.#lastCode(at);
    this.#blank(at, end);
    this.#segment = end;
    return end;
  }

  #closeBrace(at: number): number {
    const open = this.#templates.pop();
    if (open === undefined) return at + 1;
    if (open === 0) return this.#template(at + 1);
    this.#templates.push(open - 1);
    return at + 1;
  }

  /** From inside a template to after its end, or after the next `${`. */
  #template(from: number): number {
    const text = this.#text;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) at += 1;
      else if (code === BACKTICK) break;
      else if (code === DOLLAR && text.charCodeAt(at + 1) === OPEN) {
        this.#string(from, at);
        this.#templates.push(0);
        this.#segment = at + 2;
        this.#before = at + 1;
        return at + 2;
      }
    }
    this.#string(from, Math.min(at, text.length));
    this.#segment = Math.min(at + 1, text.length);
    return at + 1;
  }

  #rawString(from: number): number {
    const end = found(this.#text, '`', from);
    this.#string(from, end);
    this.#segment = end + 1;
    return end + 1;
  }

  #quoted(at: number, quote: number): number {
    const inside = insideOf(this.#language, this.#text, at, quote);
    if (inside === null) return at + 1;
    this.#string(inside.from, inside.to);
    const end = inside.to + inside.quotes;
    this.#segment = Math.min(end, this.#text.length);
    return end;
  }

  /** Blanks the inside of a string; its quotes stay. */
  #string(from: number, to: number): void {
    if (!this.#keepStrings) this.#blank(from, to);
    this.#before = from - 1;
  }

  #blank(from: number, to: number): void {
    if (to <= from) return;
    const text = this.#text;
    if (from > this.#done) this.#pieces.push(text.slice(this.#done, from));
    // Searched once per line: otherwise a one-line text would be read again for each of its strings.
    if (this.#newline < from) this.#newline = lineEnd(text, from);
    this.#pieces.push(this.#newline < to ? text.slice(from, to).replace(/[^\n]+/g, spaces) : spaces(to - from));
    this.#done = to;
  }

  #lastCode(at: number): number {
    for (let i = at - 1; i >= this.#segment; i -= 1) {
      const code = this.#text.charCodeAt(i);
      if (code !== SPACE && code !== NEWLINE && code !== TAB && code !== RETURN) return i;
    }
    return this.#before;
  }
}

type StringInside = { readonly from: number; readonly to: number; readonly quotes: number };

/** The inside of the string that opens at `at`; null if the quote opens none. */
function insideOf(language: Language, text: string, at: number, quote: number): StringInside | null {
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
function rustChar(text: string, at: number): StringInside | null {
  if (text.charCodeAt(at + 1) === BACKSLASH) {
    const end = text.slice(at + 3, at + 14).indexOf("'");
    return end < 0 ? null : { from: at + 1, to: at + 3 + end, quotes: 1 };
  }
  const end = text.charCodeAt(at + 2) === SINGLE ? at + 2 : text.charCodeAt(at + 3) === SINGLE ? at + 3 : -1;
  const one = end < 0 ? '' : text.slice(at + 1, end);
  return end > 0 && [...one].length === 1 ? { from: at + 1, to: end, quotes: 1 } : null;
}

/** An unclosed string ends with its line, unless it may have several lines. */
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

/** Rust comments nest. */
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
