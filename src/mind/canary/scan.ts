/**
 * Reduces source text to code: blanks comments and the insides of strings, and pairs brackets. Strict: returns null if
 * a string is not closed or a bracket does not match, because then something was misread.
 */

export type TestLanguage = 'script' | 'python' | 'go' | 'rust';

export type Scanned = {
  /** As long as the text. Line ends inside strings are blanked too, and in Python those that end no statement. */
  readonly code: string;
  /** Maps each opening bracket to its closing one. */
  readonly pairs: ReadonlyMap<number, number>;
};

/** The end of a string or comment, and the part of it that stays: its quotes. */
type Token = { readonly from: number; readonly to: number; readonly end: number; readonly isComment: boolean };
/** 0: no token starts here. Null: one starts and does not end. */
type TokenRead = Token | 0 | null;

const MAX_TEXT = 1_000_000;
const OPENS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const TOKENS: Readonly<Record<Exclude<TestLanguage, 'script'>, (text: string, at: number) => TokenRead>> = {
  python: pythonToken,
  go: goToken,
  rust: rustToken,
};

export function scan(family: TestLanguage, text: string): Scanned | null {
  if (text.length > MAX_TEXT) return null;
  const code = text.split('');
  const pairs = new Map<number, number>();
  const openers = new Map<number, number>();
  const open: number[] = [];
  /** Opening braces of `${` whose template continues after the closing one. */
  const templates = new Set<number>();
  /** The last character of code. */
  let last = -1;
  const take = (token: Token): number => {
    code.fill(' ', token.from, token.to);
    if (!token.isComment) last = token.end - 1;
    return token.end;
  };
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if (char in OPENS) {
      const opened = open.pop();
      if (opened === undefined || text[opened] !== OPENS[char]) return null;
      pairs.set(opened, at);
      openers.set(at, opened);
      last = at;
      at += 1;
      if (!templates.has(opened)) continue;
    } else if ('([{'.includes(char)) {
      open.push(at);
      last = at;
      at += 1;
      continue;
    }
    const inTemplate = char === '}' || (family === 'script' && char === '`');
    if (inTemplate) {
      const end = templateEnd(text, char === '}' ? at : at + 1);
      if (end === null) return null;
      at = take({ from: char === '}' ? at : at + 1, to: end, end: end + 1, isComment: false });
      if (text[end] === '`') continue;
      // The dollar of `${`; its brace is a bracket like others.
      open.push(at);
      templates.add(at);
      last = at;
      at += 1;
      continue;
    }
    const token = family === 'script' ? scriptToken(text, at, last, openers) : TOKENS[family](text, at);
    if (token === null) return null;
    if (token !== 0) at = take(token);
    else if (family === 'python' && char === '\\' && /\\\r?\n/y.test(text.slice(at, at + 3))) {
      code.fill(' ', at, at + (text[at + 1] === '\r' ? 3 : 2));
      at += text[at + 1] === '\r' ? 3 : 2;
    } else {
      if (family === 'python' && char === '\n' && open.length > 0) code[at] = ' ';
      if (!/\s/.test(char)) last = at;
      at += 1;
    }
  }
  return open.length > 0 ? null : { code: code.join(''), pairs };
}

/** The place of the closing backtick, or of the next `${`; null if there is none. */
function templateEnd(text: string, from: number): number | null {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '`' || (text[at] === '$' && text[at + 1] === '{')) return at;
  }
  return null;
}

function scriptToken(text: string, at: number, last: number, openers: ReadonlyMap<number, number>): TokenRead {
  const char = text[at];
  if (char === "'" || char === '"') return quoted(text, at, 1);
  if (char === '#' && at === 0 && text[1] === '!') return comment(at, lineEnd(text, at));
  if (char !== '/') return 0;
  if (text[at + 1] === '/' || text[at + 1] === '*') return slashComment(text, at, false);
  if (!mayBeRegExp(text, at, last, openers)) return 0;
  let inClass = false;
  for (let i = at + 1; i < text.length && text[i] !== '\n'; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '[') inClass = true;
    else if (text[i] === ']') inClass = false;
    else if (text[i] === '/' && !inClass) return { from: at + 1, to: i, end: i + 1, isComment: false };
  }
  return null;
}

const BEFORE_VALUE =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|instanceof|await|yield|default)$/;

/** Whether a slash starts a regular expression, and is no division or end of a tag. */
function mayBeRegExp(text: string, at: number, last: number, openers: ReadonlyMap<number, number>): boolean {
  if (last < 0) return true;
  const before = text[last] ?? '';
  if (text[at + 1] === '>' || '<]\'"`'.includes(before)) return false;
  if (before === ')') {
    const opened = openers.get(last) ?? 0;
    return /(?:^|[^\w$.])(?:if|while|for|with)\s*$/.test(text.slice(Math.max(0, opened - 12), opened));
  }
  if (/[\w$]/.test(before) || before > '\x7f') return BEFORE_VALUE.test(text.slice(Math.max(0, last - 12), last + 1));
  return !((before === '+' || before === '-') && text[last - 1] === before);
}

function pythonToken(text: string, at: number): TokenRead {
  const char = text[at];
  if (char === '#') return comment(at, lineEnd(text, at));
  if (char !== "'" && char !== '"') return 0;
  return quoted(text, at, text.startsWith(char.repeat(3), at) ? 3 : 1);
}

function goToken(text: string, at: number): TokenRead {
  const char = text[at];
  if (char === '/') return slashComment(text, at, false);
  if (char === '"' || char === "'") return quoted(text, at, 1);
  if (char !== '`') return 0;
  const end = text.indexOf('`', at + 1);
  return end < 0 ? null : { from: at + 1, to: end, end: end + 1, isComment: false };
}

function rustToken(text: string, at: number): TokenRead {
  const char = text[at];
  if (char === '/') return slashComment(text, at, true);
  if (char === "'") {
    const end = text[at + 1] === '\\' ? text.indexOf("'", at + 3) : charEnd(text, at);
    return end < 0 ? 0 : { from: at + 1, to: end, end: end + 1, isComment: false };
  }
  if (char !== '"') return 0;
  const hashes = /(?<![\w])(?:[bc]?r)(#{0,20})$/.exec(text.slice(Math.max(0, at - 24), at))?.[1];
  if (hashes === undefined) return quoted(text, at, 1, true);
  const end = text.indexOf(`"${hashes}`, at + 1);
  return end < 0 ? null : { from: at + 1, to: end, end: end + 1 + hashes.length, isComment: false };
}

/** The closing quote of `'a'`; below 0 for the lifetime `'a`. */
function charEnd(text: string, at: number): number {
  const size = (text.codePointAt(at + 1) ?? 0) > 0xffff ? 2 : 1;
  return text[at + 1 + size] === "'" && text[at + 1] !== "'" ? at + 1 + size : -1;
}

/** A string with escapes; only one with three quotes, or in Rust, may have several lines. */
function quoted(text: string, at: number, quotes: 1 | 3, lines = quotes === 3): TokenRead {
  const mark = (text[at] ?? '').repeat(quotes);
  for (let i = at + quotes; i < text.length; i += 1) {
    if (text[i] === '\\') i += text[i + 1] === '\r' ? 2 : 1;
    else if (text.startsWith(mark, i)) return { from: at + quotes, to: i, end: i + quotes, isComment: false };
    else if (text[i] === '\n' && !lines) return null;
  }
  return null;
}

function slashComment(text: string, at: number, nest: boolean): TokenRead {
  if (text[at + 1] === '/') return comment(at, lineEnd(text, at));
  if (text[at + 1] !== '*') return 0;
  let depth = 1;
  for (let i = at + 2; i < text.length - 1; i += 1) {
    if (text.startsWith('*/', i)) {
      depth -= 1;
      i += 1;
      if (depth === 0) return comment(at, i + 1);
    } else if (nest && text.startsWith('/*', i)) {
      depth += 1;
      i += 1;
    }
  }
  return null;
}

const comment = (from: number, end: number): Token => ({ from, to: end, end, isComment: true });

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
