/** Finds secrets in a text, in one walk over its words; the time grows with the length of the text alone. */
import { type Finding, merged } from './finding.ts';
import { besideMarks } from './marks.ts';
import { isName, mayName, passwordAfter } from './passwords.ts';
import { keyBefore, privateKey } from './private-key.ts';
import { LEAST_LENGTH, randomValue } from './random.ts';
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
import { isEscape, wordBegin } from './word-begin.ts';

/** 1: letters and digits; 2: signs inside of words; 0: what stands between words. */
const KIND = new Uint8Array(1 << 16);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') KIND[char.charCodeAt(0)] = 1;
for (const char of '_+/.~-') KIND[char.charCodeAt(0)] = 2;
const NEWLINE = 10;
const COLON = 58;
const STROKE = 47;
const BAR = 124;
const B = 66;
const LETTER_B = 98;
const E = 69;
const LEAST_WITHOUT_DIGIT = 16;
const LEAST_MARKED = 30;
const LEAST_NAME = 3;

export function findSecrets(text: string): Finding[] {
  const found: Finding[] = [];
  const length = text.length;
  /** Behind the token that was found last: nothing more is looked for inside of it. */
  let done = 0;
  /** Where a web token was looked for in vain: none begins before the next sign that it can not have. */
  let noWebToken = 0;
  for (let at = 0; at < length; at++) {
    let code = text.charCodeAt(at);
    if (KIND[code] === 0) continue;
    const start = at;
    const begin = wordBegin(text, start, at === 0 ? NEWLINE : text.charCodeAt(at - 1), code);
    let digits = 0;
    let before = 0;
    for (let kind = KIND[code] as number; kind !== 0; kind = KIND[code] as number) {
      if (kind === 1) {
        if (code < 58) digits++;
        if ((before !== 1 || at === begin) && at >= done) {
          const block = before === 2 && (code === B || code === E) ? keyBlock(text, at, done) : null;
          const token = block ?? (mayBegin(text, at) ? tokenAt(text, at) : null);
          if (token !== null) {
            found.push(token);
            done = token.to;
          } else if (at >= noWebToken && mayBeWebToken(code, text.charCodeAt(at + 1))) {
            const { finding, triedTo } = webToken(text, at);
            if (finding !== null) found.push(finding);
            noWebToken = triedTo;
          }
        }
      }
      before = kind;
      at++;
      // A zero behind the end, which is no part of a word.
      code = at < length ? text.charCodeAt(at) : 0;
    }
    if (at <= done || at <= begin) continue;
    const short = at - start < (digits > 0 ? LEAST_LENGTH : LEAST_WITHOUT_DIGIT);
    if (!short || announces(text, start, begin, at)) inWord(text, start, begin, at, digits, found);
  }
  return besideMarks(text, merged(found));
}

/** Whether a short word may say something about what follows: most are done with here. */
function announces(text: string, start: number, begin: number, to: number): boolean {
  if (mayName(text, to)) return true;
  const first = text.charCodeAt(begin) | 32;
  return first === LETTER_B || KIND[text.charCodeAt(start)] === 2 || KIND[text.charCodeAt(begin)] === 2;
}

/** Five dashes may stand behind any sign, and the word of a key behind them. */
function keyBlock(text: string, at: number, done: number): Finding | null {
  if (text.startsWith('-----BEGIN', at - 5)) return privateKey(text, at - 5);
  return text.startsWith('-----END', at - 5) ? keyBefore(text, at - 5, done) : null;
}

/** `start` to `to` is a word: letters, digits, and the signs inside of words; before `begin` stands the end of something else. */
function inWord(text: string, start: number, begin: number, to: number, digits: number, found: Finding[]): void {
  const from = begin !== start && isEscape(text, start) ? begin : start;
  const length = to - from;
  // Behind the sign of a diff, a quote, a comment.
  let plain = begin;
  while (plain < to && KIND[text.charCodeAt(plain)] === 2) plain++;
  if (length >= LEAST_LENGTH && (digits > 0 || length >= LEAST_WITHOUT_DIGIT)) {
    const one =
      (length >= LEAST_MARKED ? (markedToken(text, from, to) ?? markedToken(text, plain, to)) : null) ??
      randomValue(text, from, to, digits);
    if (one !== null) found.push(one);
  }
  const announced = byWord(text, from, plain, to);
  if (announced !== null) found.push(announced);
  const next = text.charCodeAt(to);
  if (digits >= 8 && (next === COLON || next === BAR) && to - plain <= 18) {
    const numbered = numberedToken(text, plain, to);
    if (numbered !== null) found.push(numbered);
  }
  const name = mayName(text, to) ? nameBegin(text, start, begin, to) : null;
  const password = name === null ? null : passwordAfter(text, name, to);
  if (password !== null) found.push(password);
}

/** Where the name of a password begins, if the word is one. */
function nameBegin(text: string, start: number, begin: number, to: number): number | null {
  if (to - start >= LEAST_NAME && isName(text, start, to)) return start;
  return begin !== start && to - begin >= LEAST_NAME && isName(text, begin, to) ? begin : null;
}

/** What certain words announce; `plain`: behind the signs that it begins with. */
function byWord(text: string, from: number, plain: number, to: number): Finding | null {
  if (text.charCodeAt(from) === STROKE && text.charCodeAt(from + 1) === STROKE && text.charCodeAt(from - 1) === COLON)
    return loginInAddress(text, from + 2) ?? hookAddress(text, from + 2);
  const length = to - plain;
  if (length > 6) return null;
  if ((text.charCodeAt(plain) | 32) === 98 && /^(?:basic|bearer)$/i.test(text.slice(plain, to)))
    return credentials(text, to);
  if (plain === from) return null;
  const option =
    (length === 1 && text.startsWith('-u', plain - 1)) || (length === 4 && text.startsWith('--user', plain - 2));
  return option ? commandLogin(text, to) : null;
}
