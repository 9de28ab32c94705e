/** Finds secrets in a text, in one walk over its words; the time grows with the length of the text alone. */
import { type Finding, merged } from './finding.ts';
import { mayName, passwordAfter } from './passwords.ts';
import { LEAST_LENGTH, randomValue } from './random.ts';
import {
  commandLogin,
  credentials,
  hookAddress,
  loginInAddress,
  numberedToken,
  privateKey,
  webToken,
} from './shapes.ts';
import { markedToken, mayBegin, tokenAt } from './tokens.ts';

/** 1: letters and digits; 2: signs inside of words; 0: what stands between words. */
const KIND = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  if (/[A-Za-z0-9]/.test(String.fromCharCode(code))) KIND[code] = 1;
  else if (/[_+/.~-]/.test(String.fromCharCode(code))) KIND[code] = 2;
}
const COLON = 58;
const STROKE = 47;
const DASH = 45;
const LEAST_WITHOUT_DIGIT = 16;

export function findSecrets(text: string): Finding[] {
  const found: Finding[] = [];
  const length = text.length;
  /** Behind the token that was found last: nothing more is looked for inside of it. */
  let done = 0;
  for (let at = 0; at < length; at++) {
    let code = text.charCodeAt(at);
    if (code >= 128 || KIND[code] === 0) continue;
    const start = at;
    let digits = 0;
    let before = 0;
    for (;;) {
      const kind = KIND[code];
      if (kind === 0) break;
      if (kind === 1) {
        if (code < 58) digits++;
        if (before !== 1 && at >= done && mayBegin(code, text.charCodeAt(at + 1))) {
          const token = tokenAt(text, at);
          if (token !== null) {
            found.push(token);
            done = token.to;
          }
        }
      }
      before = kind ?? 0;
      at++;
      if (at >= length) break;
      code = text.charCodeAt(at);
      if (code >= 128) break;
    }
    if (at > done) inWord(text, start, at, digits, found);
  }
  return merged(found);
}

/** `from` to `to` is a word: letters, digits, and the signs inside of words. */
function inWord(text: string, from: number, to: number, digits: number, found: Finding[]): void {
  const length = to - from;
  const add = (one: Finding | null) => {
    if (one !== null) found.push(one);
  };
  if (length >= LEAST_LENGTH && (digits > 0 || length >= LEAST_WITHOUT_DIGIT))
    add(markedToken(text, from, to) ?? randomValue(text, from, to));
  add(byWord(text, from, to));
  if (digits === length && length >= 8 && length <= 18) add(numberedToken(text, from, to));
  if (length >= 3 && mayName(text, from, to)) add(passwordAfter(text, from, to));
}

/** What certain words announce. */
function byWord(text: string, from: number, to: number): Finding | null {
  const first = text.charCodeAt(from);
  if (first === DASH) {
    if (text.startsWith('-----BEGIN', from)) return privateKey(text, from);
    if ((to - from === 2 && text[to - 1] === 'u') || text.slice(from, to) === '--user') return commandLogin(text, to);
    return null;
  }
  if (first === STROKE && text.charCodeAt(from + 1) === STROKE && text.charCodeAt(from - 1) === COLON)
    return loginInAddress(text, from + 2) ?? hookAddress(text, from + 2);
  if ((first | 32) === 98 && to - from <= 6 && /^(?:basic|bearer)$/i.test(text.slice(from, to)))
    return credentials(text, to);
  if (first === 101 || first === 90) return webToken(text, from);
  return null;
}
