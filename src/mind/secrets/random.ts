/** Values that look random, judged by what precedes them. */

import { encodedLogin } from './base64-logins.ts';
import { contextOf, quotedAround, valueAround } from './context.ts';
import { isFile, isHarmless, isNames, isPlaceholder, isStructured, UUID } from './harmless.ts';
import { ASKED, isTokenLike, JUDGED, LETTERS, LETTERS_ONLY, NUMBER_LENGTH, named } from './named-values.ts';
import { namesSession, OPEN_NAME, SECRET_NAME, spaced, TELLING } from './names.ts';
import type { SecretSpan } from './secret-span.ts';
import { namesVendor } from './vendors.ts';
import { surprise } from './word-entropy.ts';

/** A less surprising text is a word, whatever precedes it. */
const LEAST_BITS = 9;

export const LEAST_LENGTH = 8;
/** How far back to search for a name. */
const MOST_NAME = 60;
/** Before the checksum of a module (Go) or of a file. */
const BEFORE_SUM = /(?:h1|sha\d+|md5)[:-]\/?$/i;

/** The word from `from` to `to`, all of it letters, digits and the signs of words. */
export function randomValue(text: string, from: number, to: number, digits: number): SecretSpan | null {
  const bits = surprise(text, from, to);
  const number = bits < LEAST_BITS && digits > 0 && to - from >= NUMBER_LENGTH;
  if (bits < (digits === 0 ? ASKED.named.bits : LEAST_BITS) && !number) return null;
  if (isSession(text, from, to)) return null;
  const byName = named(text, valueAround(text, from, to)) ?? byNameOfQuoted(text, from, to);
  if (byName !== null) return byName === 'open' ? null : byName;
  if (number) return null;
  if (isKeyPart(text, from, to)) return { from, to, rule: 'private-key' };
  const behind = behindPrefix(text, from, to);
  if (behind !== null) return behind;
  if (BEFORE_SUM.test(text.slice(Math.max(0, from - 8), from))) return null;
  const path = inPath(text, from, to);
  const value = path ?? { from: joinedFrom(text, from), to: valueAround(text, from, to).to, bits };
  return near(text, value, path !== null) ?? encodedLogin(text, from, to);
}

/** The name before the quotes, if the word follows other text inside them. */
function byNameOfQuoted(text: string, from: number, to: number): SecretSpan | 'open' | null {
  const quoted = quotedAround(text, from, to);
  if (quoted === null || quoted.from === from || text.slice(quoted.from, quoted.to).includes('://')) return null;
  return OPEN_NAME.test(text.slice(quoted.from, from).slice(-MOST_NAME)) ? 'open' : named(text, quoted);
}

/** A short start, and a rest that no name in code has. */
const PREFIXED = /^([a-z][a-z0-9]{1,11}(?:[._-][a-z0-9]{1,8}){0,2}[._-])([A-Za-z0-9+/]{30,200}|[A-Za-z0-9_-]{60,200})$/;
/** `odt_KTJlDq2A…`: both cases and digits, at random. */
const MIXED = /^(?=.*[a-z].*[a-z])(?=.*[A-Z].*[A-Z]).*\d.*\d/;
const MIXED_BITS = 1.3;
/** Vendors mark which keys are for use or tests, secret or public. */
const TOLD = /(?:^|[_-])(?:live|test|prod|sandbox|secret|sk|pat|api|key|token)[_-]$/;
const SUM = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/;

function isPrefixed(word: string): boolean {
  const [, maker, rest] = PREFIXED.exec(word) ?? [];
  if (maker === undefined || rest === undefined || OPEN_NAME.test(maker) || ID.test(maker)) return false;
  const bits = surprise(rest) / Math.min(rest.length, 60);
  if (MIXED.test(rest) && bits >= MIXED_BITS) return true;
  return (TOLD.test(maker) && /\d.*\d/.test(rest) && bits >= 1) || (maker.endsWith('_') && SUM.test(rest));
}

const TELLING_PREFIX = /(?:key|token|secret|private|access|password)[_-]{1,2}(?=[0-9A-Za-z-]{20,200}$)/i;

/** `acme_KTJlDq2A…`, `acmeSecretKey-ab8f9c…`: one word whose start names its owner or kind. */
function behindPrefix(text: string, from: number, to: number): SecretSpan | null {
  if (to - from < 24 || to - from > 250) return null;
  const word = text.slice(from, to);
  if (isPrefixed(word)) return { from, to: valueAround(text, from, to).to, rule: 'prefixed-token' };
  const name = TELLING_PREFIX.exec(word);
  if (name === null) return null;
  const rest = word.slice(name.index + name[0].length);
  return isTokenLike(rest) || (surprise(rest) >= ASKED.near.bits && !isNames(rest) && !isPlaceholder(rest))
    ? { from: from + name.index + name[0].length, to, rule: 'named-secret' }
    : null;
}

/** The private members of a key in JSON (JWK); `n`, `e`, `x` and `y` are public. */
const KEY_PART = /^(?:d|p|q|dp|dq|qi|k)$/;
const KEY_TYPE = /(?<![A-Za-z])kty["'`\\]*\s?:/;
const LEAST_KEY = 20;
/** How far its type may be from a member: keys of 4,096 bits have members of 683 characters. */
const KEY_REACH = 4_096;

function isKeyPart(text: string, from: number, to: number): boolean {
  if (to - from < LEAST_KEY || !KEY_PART.test(contextOf(text, from).name)) return false;
  return KEY_TYPE.test(text.slice(Math.max(0, from - KEY_REACH), Math.min(text.length, to + KEY_REACH)));
}

const UUID_LENGTH = 36;

/** The session id of a coding CLI, which is a UUID: it grants no access, and people find records by it. */
function isSession(text: string, from: number, to: number): boolean {
  if (to - from !== UUID_LENGTH || !UUID.test(text.slice(from, to))) return false;
  return valueAround(text, from, to).to === to && namesSession(contextOf(text, from).line);
}

/** Some alphabets have `=` in them: if the piece before it is as random, it is no name but the start of the value. */
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

type EntropySpan = { readonly bits: number; readonly from: number; readonly to: number };
const STROKE = 47;

/** In a path or address, only the surprising parts between slashes count, and what lies between those parts. */
function inPath(text: string, from: number, to: number): EntropySpan | null {
  const first = text[from];
  if (first !== '/' && first !== '.') return null;
  let found: EntropySpan = { bits: 0, from, to: from };
  for (let start = from; start < to; ) {
    // Not `indexOf`: it would search the whole text for each of a million words.
    let end = start;
    while (end < to && text.charCodeAt(end) !== STROKE) end++;
    const bits = surprise(text, start, end);
    if (bits >= ASKED.vendor.bits)
      found = { bits: Math.max(bits, found.bits), from: found.bits === 0 ? start : found.from, to: end };
    start = end + 1;
  }
  return found;
}

const KEY_WORD =
  /(?:^|[^a-z])(?:keys?|auth)(?:[^a-z]|$)|(?:session|private|access)["'`\\\s=:>{-]{1,12}(?:[A-Z0-9]{6,12} )?$/i;
const VENDOR_REACH = 60;
const REDACTED = /\[redacted:[a-z0-9-]*\]?/g;
/** The slashes of a comment, not of an address. */
const COMMENT = /^\s*\/\/+(?=[\w-]+\s)/;
const PATHS = /[^\s"'=:<>]*\/[^\s"'=:<>]*/g;

/** No name right before it, but a significant word on the same line: the name of a secret or of a service. */
function near(text: string, { from, to, bits }: EntropySpan, inAddress: boolean): SecretSpan | null {
  const length = to - from;
  if (bits < ASKED.vendor.bits || length < ASKED.vendor.length) return null;
  const value = text.slice(from, Math.min(to, from + JUDGED));
  if (isStructured(value) || isFile(value) || isHarmless(value) || text[from - 1] === '@') return null;
  if (isNamedSum(text, from, value) || LINK.test(text.slice(to, to + 3))) return null;
  const written = contextOf(text, from).line.replace(COMMENT, ' ');
  // Names of modules and files are no names of values, nor is the placeholder of a redacted secret.
  const plain = inAddress ? written : written.replaceAll(PATHS, ' ');
  const line = spaced(plain.replaceAll(REDACTED, ' '));
  const byName = bits >= ASKED.near.bits && length >= ASKED.near.length && namesSecret(line);
  const isKey = () => ofVendor(line, plain) && !ID.test(value) && !ID_NAME.test(spaced(written));
  const rule = byName ? 'near-secret-name' : isKey() ? 'near-vendor-name' : null;
  if (rule === null || OPEN_NAME.test(line) || isPlaceholder(value)) return null;
  return LETTERS.test(value) && bits < LETTERS_ONLY * length ? null : { from, to, rule };
}

/** The id of a model's call or message, a request, a run (ULID): it grants no access. */
const ID =
  /^(?:call|chatcmpl|conv|evt|fc|file|item|msg|nonce|req|resp|rs|run|thread|toolu|ws)[_-]|^[0-7][0-9A-HJKMNP-TV-Z]{25}$|^01[0-9a-hjkmnp-tv-z]{24}$/;
/** `hosted_zone_id: aws.String("`: it identifies one of many. */
const ID_NAME =
  /(?:^|[^a-z])(?:ids?|label|host_?name|vpc)["'`\]]{0,3}\s{0,40}(?:=>|[:=]{1,2})\s{0,40}(?:[\w.]{1,40}\()?\[?["'`]?$/i;

/** `the tests pass as well, see …`: a sentence about tests in feedback to workers. */
const PASSES =
  /(?<=\b(?:tests?|checks?|gates?|builds?|they|all|both) )pass(?=[,.;)]| (?:again|as|in|now|on|too|with|without)\b)/gi;

const namesSecret = (line: string): boolean =>
  TELLING.test(line) && (SECRET_NAME.test(line.replaceAll(PASSES, ' ')) || KEY_WORD.test(line));

/** `written`: the original line, before its words were separated. */
function ofVendor(line: string, written: string): boolean {
  const close = line.slice(-VENDOR_REACH);
  // The host of an address names a vendor, however far before the value.
  if (close.includes('//') || line.slice(line.lastIndexOf(' ') + 1).includes('//')) return false;
  return namesVendor(close, written.slice(-VENDOR_REACH));
}

/** After the text of a link, as change logs link to commits. */
const LINK = /^`?\]\(/;
const SUM_IN_JSON = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const JSON_NAME = /"([\w.-]{1,60})"\s?:\s?"$/;

/** A checksum in JSON, as git and SHA-256 write it, is what its own name says, whatever else is on the line. */
function isNamedSum(text: string, from: number, value: string): boolean {
  if (!SUM_IN_JSON.test(value)) return false;
  const name = JSON_NAME.exec(text.slice(Math.max(0, from - 70), from))?.[1];
  return name !== undefined && !TELLING.test(name);
}
