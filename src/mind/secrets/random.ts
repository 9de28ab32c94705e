/** Values that look random, judged by what stands before them: the better the name, the less is asked of the value. */
import { contextOf } from './context.ts';
import type { Finding } from './finding.ts';
import { isFileOrHost, isFullPath, isNames, isPath, isStructured, UUID } from './forms.ts';
import { isHarmless, isIdentifier, isOrdinary, isPlace, isUnlikely } from './harmless.ts';
import { isOpen, isSignature, KEY_NAME, namesSession, OPEN_NAME, SECRET_NAME, spaced, TELLING } from './names.ts';
import { surprise } from './ordinary.ts';
import { isMonotonous, isPlaceholder } from './placeholder.ts';
import { quotedAround, type Value, valueAround } from './value.ts';
import { namesVendor } from './vendors.ts';

/** The least number of characters and of bits of surprise for each kind of context. */
const ASKED = {
  named: { bits: 14, length: 8 },
  near: { bits: 25, length: 12 },
  key: { bits: 22, length: 12 },
  vendor: { bits: 24, length: 12 },
  any: { bits: 36, length: 16 },
  plain: { bits: 38, length: 18 },
} as const;
/** What is not even this surprising is a word, whatever stands before it. */
const LEAST_BITS = 9;
/** A word without digits is a name more often than not. */
const LETTERS_ONLY = 1.5;
const WITH_DIGITS = 10;
const NUMBER_LENGTH = 15;

export const LEAST_LENGTH = 8;

const KEY_WORD =
  /(?:^|[^a-z])(?:keys?|auth)(?:[^a-z]|$)|(?:session|private|access)["'`\\\s=:>{-]{1,12}(?:[A-Z0-9]{6,12} )?$/i;
const VENDOR_REACH = 60;
const MOST_NAME = 60;
/** So much of a value tells what it is: a hostile one has the next name in it, and the next. */
const JUDGED = 256;
const TOKEN = /^[\w+/=.-]+$/;
/** With `_`: `_33A037C7-4BB3-…` bounds the parts of a mail. */
const HEX = /^[0-9a-f._-]+$/i;
/** Not those of one letter, nor what names things in documents, mails and tests, nor words of a sentence. */
const NAME =
  /^(?!(?:(?:.*[_-])?(?:ids?|index|messages?)|pk|si|src|href|targets?|parents?|config|secure|content|value|data|mask|class|list|path|body|boundary|result|expect(?:ed)?|assert\w*|encoded|encrypted\w*|actual|examples?|return|\w*value|want\w*|magic\w*|bytes|\w*_name|\w*uid|and|like|or|when|where)$).{2,}/i;
/** `SecureRandom.hex # => "…"`: what a line of code gives, not what a name is given. */
const RESULT = /(?:#|\/\/) ?=> ?["'`]?$/;
/** With the start of a cipher beside it: what is encrypted may be seen. */
const ENCRYPTED = /[^a-z]iv\\?["']\s?[:=]/i;
/** Before the sum of a module (Go) or of a file. */
const SUM = /(?:h1|sha\d+|md5)[:-]\/?$/i;
const MARK = /\[redacted:[a-z0-9-]*\]?/g;
/** Of a comment, not of an address. */
const COMMENT = /^\s*\/\/+(?=[\w-]+\s)/;
const PATHS = /[^\s"'=:<>]*\/[^\s"'=:<>]*/g;
/** Of an element. */
const MARKUP_ID = /<(?![\w-]*(?:key|secret|token|pass|auth|cred))[^<>]*[\s-]id=["']$|\sid=&quot;$/i;
/** `?package_id=`: the number of something in an address. */
const ADDRESS_ID = /[?&](?:[a-z]+_)?id=$/;
/** `hosted_zone_id: aws.String("`: which one it is, of many. */
const NUMBER_NAME =
  /(?:^|[^a-z])(?:ids?|uuid|guid|label|host(?:_?name)?|vpc|zone|image)["'`\]]{0,3}\s{0,40}(?:=>|[:=]{1,2})\s{0,40}(?:[\w.]{1,40}\()?\[?["'`]?$/i;
/** `{key}`: where something else is put in; not the name of the value itself. */
const PLACES = /(?<!\$)\{\w{1,30}\}(?!["'`\s=:>#-]{0,12}$)/g;
/**
 * So begin a certificate without its frame, a framed one that was encoded, an object of Kubernetes, a path; and files:
 * PNG, GIF, SVG and XML, PDF, ZIP, gzip, fonts.
 */
const ENCODED =
  /^(?:MII|LS0tLS1|azhz|\/|[\w-]+\.[\w.-]+\/|iVBORw0KGgo|R0lGOD|PHN2Zy|PD94bWwg|JVBERi0|UEsDBB|H4sIA|d09G[MR])/;
/** `KUBE-SEP-SXIVWICOYRO3J4NJ`: a name with a number of its own. */
const WORDS_BEFORE = /^(?:[A-Z]{3,}-){2}|^(?:[a-z]{2,}-){3}/;
/** `keenio 'abc'`: a name, a blank, a quote. */
const BLANK_BEFORE = /[\w-][ \t]+["'`]? ?$/;
/** `L2R_L2LOSS_SVC_DUAL`: the name of a constant. */
const CONSTANT = /^[A-Z][A-Z0-9]{0,11}(?:_[A-Z0-9]{1,12}){2,}$/;
/** Of C++, as the compiler writes it. */
const SYMBOL = /^[A-Z_]\w*[A-Z]EE$/;
/** Of CACHEDIR.TAG, in every directory for what may be deleted. */
const TAG = '8a477f597d28d172789f06886806bc55';
const ONLY_DIGITS = /^[\d-]+$/;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$.]*$/;

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
  if (SUM.test(text.slice(Math.max(0, from - 8), from)) || isPlace(text.slice(from, Math.min(to, from + JUDGED))))
    return null;
  const path = inPath(text, from, to);
  const value = path ?? { from: joinedFrom(text, from), to: valueAround(text, from, to).to };
  const found = near(text, value, path?.bits ?? bits, path !== null);
  return found ?? assigned(text, from, to, bits);
}

const PREFIXED =
  /^([a-z][a-z0-9]{1,11}(?:[._-][a-z0-9]{1,8}){0,2}[._-])(?:[A-Za-z0-9+/]{30,200}|[A-Za-z0-9_-]{60,200})$/;
/** What numbers a call or a message of a model, a request, a run (ULID): nobody gets in with it. */
const ID =
  /^(?:call|chatcmpl|conv|evt|fc|file|item|msg|nonce|req|resp|rs|run|thread|toolu|ws)[_-]|^[0-7][0-9A-HJKMNP-TV-Z]{25}$|^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Makers mark what is for use and what is for tests, what is secret and what is public. */
const TOLD = /(?:^|[_-])(?:live|test|prod|sandbox|secret|sk|pat|api|key|token)[_-]$/;
const TELLING_PREFIX = /(?:key|token|secret|private|access|password)[_-]{1,2}(?=[0-9A-Za-z-]{20,200}$)/i;

/** `odt_KTJlDq2A…`, `acmeSecretKey-ab8f9c…`: one word, of which the beginning says whose it is or what. */
function behindPrefix(text: string, from: number, to: number): Finding | null {
  if (to - from < 24 || to - from > 250) return null;
  const word = text.slice(from, to);
  const maker = PREFIXED.exec(word)?.[1];
  if (maker !== undefined && !OPEN_NAME.test(maker) && !ID.test(maker) && !isNode(text, from, to)) {
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
const isNode = (text: string, from: number, to: number): boolean =>
  text.startsWith(' ->', to) || text.startsWith(' [', to) || text.startsWith('-> ', from - 3);

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

/** What its own name says: a secret, something that anybody may see, or nothing. */
function named(text: string, plain: Value): Finding | 'open' | null {
  const { name: written, given, assigned, line } = contextOf(text, plain.from);
  if (!TELLING.test(written)) return null;
  const name = spaced(written);
  const secret = SECRET_NAME.test(name);
  if (!secret && !(assigned && KEY_NAME.test(name))) return null;
  if (isOpen(name) || (!secret && isSignature(line))) return 'open';
  const value = quotedAround(text, plain.from, plain.to) ?? plain;
  const range = value.from === plain.from ? value : plain;
  const whole = text.slice(range.from, Math.min(range.to, range.from + JUDGED));
  if (!range.quoted && isExpression(text, range)) return null;
  if (isFullPath(whole) || isHarmless(whole)) return 'open';
  if (!secret && USER_NAME.test(whole) && LOGIN.test(name)) return 'open';
  if (!given && !(secret && isBehindBlank(text, range.from, line, whole))) return null;
  return isSecret(whole, secret ? ASKED.named : ASKED.key)
    ? { from: range.from, to: range.to, rule: secret ? 'named-secret' : 'named-key' }
    : null;
}

/** A module in a list of them, and the commit that is used: `github.com/acme/jwt 4bbdd8ac624f…`. */
const MODULE = /\/[\w.-]+[ \t]+v?$/;

/** `TOKEN abc123…`: only a blank between the two. */
function isBehindBlank(text: string, from: number, line: string, value: string): boolean {
  if (!/[ \t]/.test(text[from - 1] ?? '') || MODULE.test(line)) return false;
  return isForm(value) && !isPath(value) && !isIdentifier(value);
}

function isSecret(value: string, asked: { readonly bits: number; readonly length: number }): boolean {
  if (value.length < asked.length || isAddress(value)) return false;
  if (isNames(value) && !LICENCE.test(value)) return false;
  if (UUID.test(value)) return new Set(value).size > 4;
  if (ONLY_DIGITS.test(value)) return value.length >= NUMBER_LENGTH && asked === ASKED.named && !isMonotonous(value);
  if (OWN_SUM.test(value) || value === TAG) return false;
  const bits = surprise(value);
  const digits = asked === ASKED.named && /\d.*[a-z]|[a-z].*\d/i.test(value) && !/[a-z]{5}/i.test(value);
  const least = IDENTIFIER.test(value)
    ? Math.max(asked.bits, LETTERS_ONLY * value.length)
    : digits
      ? WITH_DIGITS
      : asked.bits;
  return (bits >= least && !isPlaceholder(value)) || isForm(value);
}

/** Some services take a token there, which is longer than the name of a user. */
const LOGIN = /(?:^|[^a-z])login[^a-z]*$/i;
const USER_NAME = /^[\w.@-]{1,30}$/;

const MADE_UP = /example|x{6}|0{8}|\.\.\.|^v?\d+\.\d+\./i;
/** Groups of the same kind, as in the key of a licence: `F1A-NEI-HY4-PZK`; `AES-256-CBC` is an algorithm. */
const LICENCE = /^(?=[^0-9]*[0-9])(?!(?:AES|DES|ECDHE?|ECDSA|HMAC|RSA|SHA)\d*-)[A-Z0-9]{3,8}(?:-[A-Z0-9]{3,8}){2,}$/;
/** `SHA256=…`: says itself what it is. */
const OWN_SUM = /^\w{0,8}(?:sha|md)-?\d+[=:-]/i;

/** Counted up by hand perhaps, but a token by its length and its name: it is taken out rather than weighed. */
function isForm(value: string): boolean {
  if (LICENCE.test(value)) return true;
  if (value.length < 20 || !/^(?=[^a-z]*[a-z])[\w+/=.:-]+$/i.test(value) || MADE_UP.test(value)) return false;
  const digits = value.replaceAll(/[^0-9]/g, '').length;
  return digits * 8 >= value.length && new Set(value).size >= 8;
}

/** Given to a name that says nothing: only what cannot be anything else. */
function assigned(text: string, from: number, to: number, bits: number): Finding | null {
  if (bits < ASKED.any.bits) return null;
  const value = quotedAround(text, from, to) ?? plainAround(text, from, to, bits);
  if (value === null || value.to - value.from < ASKED.any.length) return null;
  const whole = text.slice(value.from, Math.min(value.to, value.from + JUDGED));
  if (
    ENCODED.test(whole) ||
    !TOKEN.test(whole) ||
    !/\d.*\d/.test(whole) ||
    HEX.test(whole) ||
    WORDS_BEFORE.test(whole) ||
    CONSTANT.test(whole) ||
    ID.test(whole) ||
    SYMBOL.test(whole) ||
    isFileOrHost(whole) ||
    isStructured(whole) ||
    isOrdinary(whole) ||
    isPlaceholder(whole)
  )
    return null;
  const context = contextOf(text, value.from);
  if (
    !(context.assigned || BLANK_BEFORE.test(context.line)) ||
    !NAME.test(spaced(context.name)) ||
    ENCRYPTED.test(context.line) ||
    RESULT.test(context.line) ||
    OPEN_NAME.test(spaced(context.line))
  )
    return null;
  return { from: value.from, to: value.to, rule: 'assigned-random' };
}

/** `acme k3v9…`: a line of one name and one value. */
const TWO_WORDS = /(?:^|\n)[ \t]*[a-z][\w-]{2,30}[ \t]$/i;
/** Not the user or the host of an address. */
const PLAIN_NAME = /(?:^|[^/\w.-])[\w.-]+[ \t]{0,2}[=:][ \t]?$/;

/** Without quotes: the rest of a line. */
function plainAround(text: string, from: number, to: number, bits: number): Value | null {
  const value = valueAround(text, from, to);
  if (bits < ASKED.plain.bits || value.to - from < ASKED.plain.length || !/^\s/.test(text[value.to] ?? '\n'))
    return null;
  const before = text.slice(Math.max(0, from - MOST_NAME), from);
  return (PLAIN_NAME.test(before) || TWO_WORDS.test(before)) && !SUM.test(before) ? value : null;
}

const SUM_VALUE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const JSON_NAME = /"([\w.-]{1,60})"\s?:\s?"$/;

/** A sum as git and sha256 write it, in JSON, is what its own name says, whatever else stands on the line. */
function isNamedSum(text: string, from: number, value: string): boolean {
  if (!SUM_VALUE.test(value)) return false;
  const name = JSON_NAME.exec(text.slice(Math.max(0, from - 70), from))?.[1];
  return name !== undefined && !TELLING.test(name);
}

/** What else stands in a list of credentials. */
const PLAIN_JSON = /"(?:host|hostname|name|username)\\?"\s?:\s?\\?"$/;
/** Behind the type of a member: its name, its arguments. */
const DECLARED = /^(?:[(<]|(?:\[\])? [A-Za-z_]\w{0,40} ?[;=(,)])/;

/** The text of a link, as change logs have them to commits; the type of a member. */
function isShown(text: string, from: number, to: number): boolean {
  const next = text.slice(to, to + 50);
  return (
    next.startsWith('](') || next.startsWith('`](') || (text.startsWith('private ', from - 8) && DECLARED.test(next))
  );
}

/** `9cbaf023786cd7...`: the beginning of one. */
const MOST_SHOWN = 20;

function isCutOff(text: string, from: number, to: number): boolean {
  return to - from <= MOST_SHOWN && (text.startsWith('...', to) || text.startsWith('…', to));
}

/** `aws_instance.foo["b15c…"]`, `"azure:282a…": {`: where something is found. */
function isIndex(text: string, from: number, to: number): boolean {
  return /\w\[["'`]$/.test(text.slice(Math.max(0, from - 3), from)) || /^["'`]\s?:\s?[[{]/.test(text.slice(to, to + 5));
}

/** No name right before it, but a telling word on the same line. */
function near(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  bits: number,
  inAddress: boolean,
): Finding | null {
  const length = to - from;
  if (bits < ASKED.vendor.bits || length < ASKED.vendor.length) return null;
  const value = text.slice(from, Math.min(to, from + JUDGED));
  if (
    isStructured(value) ||
    isFileOrHost(value) ||
    isUnlikely(value) ||
    text[from - 1] === '@' ||
    text[from - 1] === '%'
  )
    return null;
  if (isShown(text, from, to) || isCutOff(text, from, to)) return null;
  const written = contextOf(text, from).line.replace(COMMENT, ' ');
  if (isNamedSum(text, from, value) || MARKUP_ID.test(written) || PLAIN_JSON.test(written)) return null;
  // Names of modules and of files are no names of values, nor is what stands for a secret that was taken out.
  const plain = (inAddress ? written : written.replaceAll(PATHS, ' ')).replaceAll(PLACES, ' ');
  const line = spaced(plain.replaceAll(MARK, ' '));
  // Of a vendor, but the number of something, or what code gives.
  const isNoKey =
    WORDS_BEFORE.test(value) ||
    ID.test(value) ||
    ADDRESS_ID.test(written) ||
    RESULT.test(written) ||
    NUMBER_NAME.test(spaced(written)) ||
    isIndex(text, from, to);
  const byName = bits >= ASKED.near.bits && length >= ASKED.near.length && namesSecret(line);
  const rule = byName ? 'near-secret-name' : !isNoKey && ofVendor(line, plain) ? 'near-vendor-name' : null;
  if (rule === null || OPEN_NAME.test(line) || isPlaceholder(value)) return null;
  if (IDENTIFIER.test(value) && bits < LETTERS_ONLY * length) return null;
  return { from, to, rule };
}

const namesSecret = (line: string): boolean => TELLING.test(line) && (SECRET_NAME.test(line) || KEY_WORD.test(line));

/** `written`: the line as it is, before its words were set apart. */
function ofVendor(line: string, written: string): boolean {
  const close = line.slice(-VENDOR_REACH);
  // The host of an address names a vendor, however far before the value.
  if (close.includes('//') || line.slice(line.lastIndexOf(' ') + 1).includes('//')) return false;
  return namesVendor(close, written.slice(-VENDOR_REACH));
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

/** `token = read(...)`, `token = keys[0]`, `check(token, other)`: code, no value. */
function isExpression(text: string, { from, to }: Value): boolean {
  const next = text[to];
  if (next === '(' || next === '[' || next === '{' || next === '<') return !/^<\//.test(text.slice(to, to + 2));
  // `KeyParser::readPkcs8`: the name of a function.
  if (/\w::$/.test(text.slice(Math.max(0, from - 3), from))) return surprise(text, from, to) < to - from;
  return /[,(][ \t]*$/.test(text.slice(Math.max(0, from - 4), from));
}

const isAddress = (value: string) => value.includes('://') || value.startsWith('//');
