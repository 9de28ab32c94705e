/** Finds secrets in a text, in one walk over its words; the time grows with the length of the text alone. */
import { type Finding, merged } from './finding.ts';
import { besideMarks } from './marks.ts';
import { mayName, passwordAfter } from './passwords.ts';
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
const KIND = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  if (/[A-Za-z0-9]/.test(String.fromCharCode(code))) KIND[code] = 1;
  else if (/[_+/.~-]/.test(String.fromCharCode(code))) KIND[code] = 2;
}
const COLON = 58;
const STROKE = 47;
const BAR = 124;
const B = 66;
const E = 69;
const LEAST_WITHOUT_DIGIT = 16;

export function findSecrets(text: string): Finding[] {
  const found: Finding[] = [];
  const length = text.length;
  /** Behind the token that was found last: nothing more is looked for inside of it. */
  let done = 0;
  /** Where a web token was looked for in vain: none begins before the next sign that it can not have. */
  let noWebToken = 0;
  for (let at = 0; at < length; at++) {
    let code = text.charCodeAt(at);
    if (code >= 128 || KIND[code] === 0) continue;
    const start = at;
    const begin = wordBegin(text, start);
    let digits = 0;
    let before = 0;
    for (;;) {
      const kind = KIND[code];
      if (kind === 0) break;
      if (kind === 1) {
        if (code < 58) digits++;
        if ((before !== 1 || at === begin) && at >= done) {
          const next = text.charCodeAt(at + 1);
          const block = before === 2 && (code === B || code === E) ? keyBlock(text, at, done) : null;
          const token = block ?? (mayBegin(code, next) ? tokenAt(text, at) : null);
          if (token !== null) {
            found.push(token);
            done = token.to;
          } else if (at >= noWebToken && mayBeWebToken(code, next)) {
            const { finding, triedTo } = webToken(text, at);
            if (finding !== null) found.push(finding);
            noWebToken = triedTo;
          }
        }
      }
      before = kind ?? 0;
      at++;
      if (at >= length) break;
      code = text.charCodeAt(at);
      if (code >= 128) break;
    }
    if (at > done && at > begin) inWord(text, start, begin, at, digits, found);
  }
  return besideMarks(text, merged(found));
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
  const add = (one: Finding | null) => {
    if (one !== null) found.push(one);
  };
  // Behind the sign of a diff, a quote, a comment.
  let plain = begin;
  while (plain < to && KIND[text.charCodeAt(plain)] === 2) plain++;
  if (length >= LEAST_LENGTH && (digits > 0 || length >= LEAST_WITHOUT_DIGIT))
    add(
      markedToken(text, from, to) ??
        (plain === from ? null : markedToken(text, plain, to)) ??
        randomValue(text, from, to),
    );
  add(byWord(text, from, plain, to));
  const next = text.charCodeAt(to);
  if ((next === COLON || next === BAR) && digits >= 8 && to - plain <= 18) add(numberedToken(text, plain, to));
  if (to - start >= 3 && mayName(text, start, to)) add(passwordAfter(text, start, to));
  else if (begin !== start && to - begin >= 3 && mayName(text, begin, to)) add(passwordAfter(text, begin, to));
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
