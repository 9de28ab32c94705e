/** Finds secrets in a text, in one walk over its words; the time grows only with the length of the text. */
import {
  chpasswdPassword,
  hashedPassword,
  htpasswdPassword,
  optionPassword,
  pgpassPassword,
  pipedPassword,
} from './commands.ts';
import { placedPassword } from './password-places.ts';
import { isName, mayName, passwordAfter } from './passwords.ts';
import { keyBefore, privateKey } from './private-key.ts';
import { LEAST_LENGTH, randomValue } from './random.ts';
import { besideMarks, merged, type SecretSpan } from './secret-span.ts';
import {
  commandLogin,
  credentials,
  hookAddress,
  loginInAddress,
  mayBeWebToken,
  numberedToken,
  webToken,
} from './shapes.ts';
import { markedToken, mayBegin, tokenAt } from './tokens.ts';

/** 1: letters and digits; 2: signs inside words; 0: separators. */
const KIND = new Uint8Array(1 << 16);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') KIND[char.charCodeAt(0)] = 1;
// For `contraseña` and `hasło`.
for (const char of 'ñł') KIND[char.charCodeAt(0)] = 1;
for (const char of '_+/.~-') KIND[char.charCodeAt(0)] = 2;
const NEWLINE = 10;
const COLON = 58;
const STROKE = 47;
const DASH = 45;
const BACKSLASH = 92;
const PERCENT = 37;
const BRACKET = 91;
const SEMICOLON = 59;
const B = 66;
const LETTER_B = 98;
const E = 69;
const LEAST_WITHOUT_DIGIT = 16;
const LEAST_MARKED = 30;
const LEAST_NAME = 2;
const DOLLAR = 36;

export function findSecrets(text: string): SecretSpan[] {
  return new Scan(text).findings();
}

/** A word of the text: letters, digits, and the signs inside words. */
type Word = {
  readonly start: number;
  readonly to: number;
  /** After the end of something else that is glued to the word: see `wordBegin`. */
  readonly begin: number;
  readonly digits: number;
};

class Scan {
  readonly #text: string;
  readonly #found: SecretSpan[] = [];
  /** After the last token found: nothing more is searched inside it. */
  #done = 0;
  /** Where the search for a web token failed: none starts before the next sign that it cannot contain. */
  #noWebToken = 0;

  constructor(text: string) {
    this.#text = text;
  }

  findings(): SecretSpan[] {
    const text = this.#text;
    for (let at = 0; at < text.length; at++) {
      if (KIND[text.charCodeAt(at)] === 0) continue;
      const word = this.#word(at);
      at = word.to;
      if (at > this.#done && at > word.begin) this.#judge(word);
    }
    return besideMarks(text, merged(this.#found));
  }

  /** Walks to the end of the word that starts here, and looks for tokens at each place where one may start. */
  #word(start: number): Word {
    const text = this.#text;
    const begin = wordBegin(text, start);
    let digits = 0;
    let before = 0;
    let to = start;
    for (; to < text.length; to++) {
      const code = text.charCodeAt(to);
      const kind = KIND[code] as number;
      if (kind === 0) break;
      if (kind === 1 && code < COLON) digits++;
      if (kind === 1 && (before !== 1 || to === begin) && to >= this.#done) this.#token(to, before);
      before = kind;
    }
    return { start, to, begin, digits };
  }

  #token(at: number, before: number): void {
    const text = this.#text;
    const code = text.charCodeAt(at);
    const block = before === 2 && (code === B || code === E) ? keyBlock(text, at, this.#done) : null;
    const token = block ?? (mayBegin(text, at) ? tokenAt(text, at) : null);
    if (token !== null) {
      this.#found.push(token);
      this.#done = token.to;
    } else if (at >= this.#noWebToken && mayBeWebToken(code, text.charCodeAt(at + 1))) {
      const { finding, triedTo } = webToken(text, at);
      if (finding !== null) this.#found.push(finding);
      this.#noWebToken = triedTo;
    }
  }

  #judge(word: Word): void {
    const isShort = word.to - word.start < (word.digits > 0 ? LEAST_LENGTH : LEAST_WITHOUT_DIGIT);
    if (!isShort || announces(this.#text, word)) this.#found.push(...inWord(this.#text, word));
  }
}

/** Whether a short word may say something about what follows; most are finished here. */
function announces(text: string, { start, begin, to }: Word): boolean {
  if (mayName(text, to)) return true;
  const next = text.charCodeAt(to);
  if ((next === COLON || next === DOLLAR) && text.charCodeAt(start - 1) === next) return true;
  const first = text.charCodeAt(begin) | 32;
  return first === LETTER_B || KIND[text.charCodeAt(start)] === 2 || KIND[text.charCodeAt(begin)] === 2;
}

/** Five dashes may follow any sign, and the word of a key may follow them. */
function keyBlock(text: string, at: number, done: number): SecretSpan | null {
  if (text.startsWith('-----BEGIN', at - 5)) return privateKey(text, at - 5);
  return text.startsWith('-----END', at - 5) ? keyBefore(text, at - 5, done) : null;
}

/** What the word is, and what it announces. */
function inWord(text: string, word: Word): SecretSpan[] {
  const { start, begin, to, digits } = word;
  const from = begin !== start && isEscape(text, start) ? begin : start;
  // After the sign of a diff, a quote, a comment.
  let plain = begin;
  while (plain < to && KIND[text.charCodeAt(plain)] === 2) plain++;
  const name = mayName(text, to) ? nameBegin(text, word) : null;
  const found = [
    valueIn(text, from, plain, to, digits),
    announcedBy(text, from, plain, to),
    digits >= 8 && to - plain <= 18 && /[:|]/.test(text[to] ?? '') ? numberedToken(text, plain, to) : null,
    name === null ? null : passwordAfter(text, name, to),
    mayName(text, to) ? placedPassword(text, plain, to) : null,
  ];
  return found.filter((one) => one !== null);
}

function valueIn(text: string, from: number, plain: number, to: number, digits: number): SecretSpan | null {
  const length = to - from;
  if (length < (digits > 0 ? LEAST_LENGTH : LEAST_WITHOUT_DIGIT)) return null;
  const marked = length >= LEAST_MARKED ? (markedToken(text, from, to) ?? markedToken(text, plain, to)) : null;
  return marked ?? randomValue(text, from, to, digits);
}

/** Where the name of a password starts, if the word is one. */
function nameBegin(text: string, { start, begin, to }: Word): number | null {
  if (to - start >= LEAST_NAME && isName(text, start, to)) return start;
  return begin !== start && to - begin >= LEAST_NAME && isName(text, begin, to) ? begin : null;
}

/** What certain words announce; `plain`: after the signs that it starts with. */
function announcedBy(text: string, from: number, plain: number, to: number): SecretSpan | null {
  if (text.charCodeAt(from) === STROKE && text.charCodeAt(from + 1) === STROKE && text.charCodeAt(from - 1) === COLON)
    return loginInAddress(text, from + 2) ?? hookAddress(text, from + 2);
  const length = to - plain;
  if (plain === from + 1 && text.charCodeAt(from) === DASH) {
    const password = optionPassword(text, plain);
    if (password !== null) return password;
  }
  if (length >= 4 && length <= 5 && text.charCodeAt(to) === COLON && text.charCodeAt(from - 1) === COLON)
    return pgpassPassword(text, from, to);
  if (text.charCodeAt(to) === DOLLAR && text.charCodeAt(from - 1) === DOLLAR) return hashedPassword(text, from);
  if (length === 8 && text.startsWith('htpasswd', plain)) return htpasswdPassword(text, to);
  if (length === 8 && text.startsWith('chpasswd', plain)) return chpasswdPassword(text, plain);
  if (length === 5 && text.startsWith('--stdin', from) && /passwd[ \t]+$/.test(text.slice(from - 16, from)))
    return pipedPassword(text, from);
  if (length === 14 && text.startsWith('password-stdin', plain)) return pipedPassword(text, from);
  if (length > 6) return null;
  if ((text.charCodeAt(plain) | 32) === 98 && /^(?:basic|bearer)$/i.test(text.slice(plain, to)))
    return credentials(text, to);
  if (plain === from) return null;
  const option =
    (length === 1 && text.startsWith('-u', plain - 1)) || (length === 4 && text.startsWith('--user', plain - 2));
  return option ? commandLogin(text, to) : null;
}

const ESCAPED = /u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0abfnrtv]/y;
const ENCODED = /[0-9a-fA-F]{2}/y;
const NUMBER = /[0-9]{1,6}-/y;
const COLOUR = /[0-9]{0,3}[A-Za-z]/y;
const COLOUR_BEGINS = ['\u001b', 'u001b', 'u001B', 'x1b', 'x1B', '\\033', '\\e'];
const MOST_OF_COLOUR = 24;

/**
 * Where a word starts if the text before it is the end of something else: an escape (`
 * ` in JSON), a terminal colour, an encoded sign of an address, a line number (`12-`, as search tools print it). Their
 * letters are glued to the word but no part of it. `at`: where letters, digits and signs start.
 */
function wordBegin(text: string, at: number): number {
  const before = at === 0 ? NEWLINE : text.charCodeAt(at - 1);
  if (before === BACKSLASH) return behind(ESCAPED, text, at);
  if (before === PERCENT) return behind(ENCODED, text, at);
  if ((before === BRACKET || before === SEMICOLON) && inColour(text, at)) return behind(COLOUR, text, at);
  return before === NEWLINE && text.charCodeAt(at) < COLON ? behind(NUMBER, text, at) : at;
}

/**
 * Whether `begin` follows an escape, so that even a value starts there: an encoded sign or a number may be part of one.
 */
function isEscape(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before === BACKSLASH || before === BRACKET || before === SEMICOLON;
}

function behind(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function inColour(text: string, at: number): boolean {
  const head = text.slice(Math.max(0, at - MOST_OF_COLOUR), at);
  const bracket = head.lastIndexOf('[');
  if (bracket < 0 || /[^0-9;]/.test(head.slice(bracket + 1))) return false;
  return COLOUR_BEGINS.some((begin) => head.endsWith(begin, bracket));
}
