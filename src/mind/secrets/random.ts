/** Values that look random, judged by what stands before them: the better the name, the less is asked of the value. */
import { assigned } from './assigned.ts';
import { contextOf } from './context.ts';
import type { Finding } from './finding.ts';
import { isNames, UUID } from './forms.ts';
import { isPlace } from './harmless.ts';
import { ASKED, BEFORE_SUM, ID, JUDGED, MOST_NAME } from './judged.ts';
import { isForm, NUMBER_LENGTH, named } from './named.ts';
import { namesSession, OPEN_NAME } from './names.ts';
import { near } from './near.ts';
import { surprise } from './ordinary.ts';
import { isPlaceholder } from './placeholder.ts';
import { quotedAround, valueAround } from './value.ts';

/** What is not even this surprising is a word, whatever stands before it. */
const LEAST_BITS = 9;

export const LEAST_LENGTH = 8;

/** The word from `from` to `to`, all of it letters, digits and the signs of words. */
export function randomValue(text: string, from: number, to: number, digits: number): Finding | null {
  const bits = surprise(text, from, to);
  const number = bits < LEAST_BITS && digits > 0 && to - from >= NUMBER_LENGTH;
  if (bits < (digits === 0 ? ASKED.named.bits : LEAST_BITS) && !number) return null;
  if (isSession(text, from, to)) return null;
  const inner = named(text, valueAround(text, from, to));
  if (inner !== null) return inner === 'open' ? null : inner;
  const quoted = quotedAround(text, from, to);
  if (quoted !== null && !text.slice(quoted.from, quoted.to).includes('://')) {
    if (quoted.from !== from) {
      if (OPEN_NAME.test(text.slice(quoted.from, from).slice(-MOST_NAME))) return null;
      const outer = named(text, quoted);
      if (outer !== null) return outer === 'open' ? null : outer;
    }
  }
  if (number) return null;
  const behind = behindPrefix(text, from, to);
  if (behind !== null) return behind;
  if (
    BEFORE_SUM.test(text.slice(Math.max(0, from - 8), from)) ||
    isPlace(text.slice(from, Math.min(to, from + JUDGED)))
  )
    return null;
  const path = inPath(text, from, to);
  const value = path ?? { from: joinedFrom(text, from), to: valueAround(text, from, to).to };
  const found = near(text, value, path?.bits ?? bits, path !== null);
  return found ?? assigned(text, from, to, bits);
}

const PREFIXED =
  /^([a-z][a-z0-9]{1,11}(?:[._-][a-z0-9]{1,8}){0,2}[._-])(?:[A-Za-z0-9+/]{30,200}|[A-Za-z0-9_-]{60,200})$/;
/** `example.org/message/Z6AA…`: behind the `@` of an address. */
const HOST_PATH = /^(?:[a-z0-9-]+\.)+[a-z]{2,6}\//;
/** Makers mark what is for use and what is for tests, what is secret and what is public. */
const TOLD = /(?:^|[_-])(?:live|test|prod|sandbox|secret|sk|pat|api|key|token)[_-]$/;
const TELLING_PREFIX = /(?:key|token|secret|private|access|password)[_-]{1,2}(?=[0-9A-Za-z-]{20,200}$)/i;

/** `odt_KTJlDq2A…`, `acmeSecretKey-ab8f9c…`: one word, of which the beginning says whose it is or what. */
function behindPrefix(text: string, from: number, to: number): Finding | null {
  if (to - from < 24 || to - from > 250) return null;
  const word = text.slice(from, to);
  const maker = PREFIXED.exec(word)?.[1];
  if (maker !== undefined && !OPEN_NAME.test(maker) && !ID.test(maker) && !HOST_PATH.test(word) && !isNode(text, to)) {
    const rest = word.slice(maker.length);
    const mixed = /[a-z].*[a-z]/.test(rest) && /[A-Z].*[A-Z]/.test(rest) && /\d.*\d/.test(rest);
    const told = TOLD.test(maker) || (maker.endsWith('_') && /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/.test(rest));
    if (
      (mixed && surprise(rest) >= 1.3 * Math.min(rest.length, 60)) ||
      (told && surprise(rest) >= ASKED.near.bits && !isNames(rest))
    )
      return { from, to: valueAround(text, from, to).to, rule: 'prefixed-token' };
  }
  const name = TELLING_PREFIX.exec(word);
  if (name === null) return null;
  const rest = word.slice(name.index + name[0].length);
  return isForm(rest) || (surprise(rest) >= ASKED.near.bits && !isNames(rest) && !isPlaceholder(rest))
    ? { from: from + name.index + name[0].length, to, rule: 'named-secret' }
    : null;
}

/** `place_86f7… -> transition_b658… [label="t1"]`: of a graph. */
const NODE = /^(?: -> \w+)? \[(?:color|label|shape|style)=/;
const isNode = (text: string, to: number): boolean => NODE.test(text.slice(to, to + 80));

const UUID_LENGTH = 36;

/** The id of a session of a coding CLI, which is a UUID: nobody gets in with it, and records are found by it. */
function isSession(text: string, from: number, to: number): boolean {
  if (to - from !== UUID_LENGTH || !UUID.test(text.slice(from, to))) return false;
  return valueAround(text, from, to).to === to && namesSession(contextOf(text, from).line);
}

/** Some alphabets have `=` in them: where a piece before it is as random, it is no name but the beginning of the value. */
function joinedFrom(text: string, from: number): number {
  let start = from;
  for (let pieces = 0; pieces < 4 && text[start - 1] === '='; pieces++) {
    let piece = start - 1;
    while (piece > 0 && start - piece < 80 && /[\w+/-]/.test(text[piece - 1] ?? '')) piece--;
    if (piece === start - 1 || surprise(text, piece, start - 1) < LEAST_BITS) break;
    start = piece;
  }
  return start;
}

type Part = { readonly bits: number; readonly from: number; readonly to: number };
const STROKE = 47;

/** Of a path or an address only the surprising parts between two strokes count, and what stands between those. */
function inPath(text: string, from: number, to: number): Part | null {
  const first = text[from];
  if (first !== '/' && first !== '.') return null;
  let found: Part = { bits: 0, from, to: from };
  for (let start = from; start < to; ) {
    // Not `indexOf`: it would look through the whole text for each of a million words.
    let end = start;
    while (end < to && text.charCodeAt(end) !== STROKE) end++;
    const bits = surprise(text, start, end);
    if (bits >= ASKED.vendor.bits)
      found = { bits: Math.max(bits, found.bits), from: found.bits === 0 ? start : found.from, to: end };
    start = end + 1;
  }
  return found;
}
