/** Values without a name of their own, on a line that names a secret or a service. */
import { contextOf } from './context.ts';
import type { Finding } from './finding.ts';
import { isFileOrHost, isStructured, UUID } from './forms.ts';
import { isEncodedText, isUnlikely } from './harmless.ts';
import { ASKED, ID, IDENTIFIER, JUDGED, LETTERS_ONLY, RESULT, WORDS_BEFORE } from './judged.ts';
import { OPEN_NAME, SECRET_NAME, spaced, TELLING } from './names.ts';
import { surprise } from './ordinary.ts';
import { isPlaceholder } from './placeholder.ts';
import { namesVendor } from './vendors.ts';

const KEY_WORD =
  /(?:^|[^a-z])(?:keys?|auth)(?:[^a-z]|$)|(?:session|private|access)["'`\\\s=:>{-]{1,12}(?:[A-Z0-9]{6,12} )?$/i;
const VENDOR_REACH = 60;
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
  /(?:^|[^a-z])(?:ids?|label|host_?name|vpc)["'`\]]{0,3}\s{0,40}(?:=>|[:=]{1,2})\s{0,40}(?:[\w.]{1,40}\()?\[?["'`]?$/i;
/** `…@group.calendar.example.com`. */
const MAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
/** `{key}`: where something else is put in; not the name of the value itself. */
const PLACES = /(?<!\$)\{\w{1,30}\}(?!["'`\s=:>#-]{0,12}$)/g;

/** No name right before it, but a telling word on the same line. */
export function near(
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
    text[from - 1] === '%' ||
    isDefault(text, from, value)
  )
    return null;
  if (isShown(text, from, to) || isOtherName(value) || isCutOff(text, from, to) || isArgument(text, from, to, value))
    return null;
  const written = contextOf(text, from).line.replace(COMMENT, ' ');
  if (isNamedSum(text, from, value) || MARKUP_ID.test(written) || PLAIN_JSON.test(written) || isJsonId(written, value))
    return null;
  // Names of modules and of files are no names of values, nor is what stands for a secret that was taken out.
  const plain = (inAddress ? written : written.replaceAll(PATHS, ' ')).replaceAll(PLACES, ' ');
  const line = spaced(plain.replaceAll(MARK, ' '));
  const byName = bits >= ASKED.near.bits && length >= ASKED.near.length && namesSecret(line);
  const isKey = () => ofVendor(line, plain) && !isNumberOf(text, from, to, value, written);
  const rule = byName ? 'near-secret-name' : isKey() ? 'near-vendor-name' : null;
  if (rule === null || OPEN_NAME.test(line) || isPlaceholder(value)) return null;
  if (IDENTIFIER.test(value) && bits < LETTERS_ONLY * length) return null;
  return { from, to, rule };
}

/** Of a vendor, but the number of something, where it is found, or what code gives. */
const isNumberOf = (text: string, from: number, to: number, value: string, line: string): boolean =>
  WORDS_BEFORE.test(value) ||
  ID.test(value) ||
  ADDRESS_ID.test(line) ||
  RESULT.test(line) ||
  NUMBER_NAME.test(spaced(line)) ||
  isIndex(text, from, to) ||
  isEncodedText(value) ||
  MAIL.test(value) ||
  (text[from - 1] === '(' && SUM_VALUE.test(value));

/** `the tests pass as well, see …`: what tests do. */
const PASSES =
  /(?<=\b(?:tests?|checks?|gates?|builds?|they|all|both) )pass(?=[,.;)]| (?:again|as|in|now|on|too|with|without)\b)/gi;

const namesSecret = (line: string): boolean =>
  TELLING.test(line) && (SECRET_NAME.test(line.replaceAll(PASSES, ' ')) || KEY_WORD.test(line));

/** `written`: the line as it is, before its words were set apart. */
function ofVendor(line: string, written: string): boolean {
  const close = line.slice(-VENDOR_REACH);
  // The host of an address names a vendor, however far before the value.
  if (close.includes('//') || line.slice(line.lastIndexOf(' ') + 1).includes('//')) return false;
  return namesVendor(close, written.slice(-VENDOR_REACH));
}

const SUM_VALUE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const JSON_NAME = /"([\w.-]{1,60})"\s?:\s?"$/;

/** A sum as git and SHA-256 write it, in JSON, is what its own name says, whatever else stands on the line. */
function isNamedSum(text: string, from: number, value: string): boolean {
  if (!SUM_VALUE.test(value)) return false;
  const name = JSON_NAME.exec(text.slice(Math.max(0, from - 70), from))?.[1];
  return name !== undefined && !TELLING.test(name);
}

/** What else stands in a list of credentials. */
const PLAIN_JSON = /"(?:host|hostname|name|username)\\?"\s?:\s?\\?"$/;
const isJsonId = (line: string, value: string): boolean => UUID.test(value) && /"id\\?"\s?:\s?\\?"$/.test(line);
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
const MOST_SHOWN = 14;

function isCutOff(text: string, from: number, to: number): boolean {
  return to - from <= MOST_SHOWN && (text.startsWith('...', to) || text.startsWith('…', to));
}

/** `KEY_FILE=a CERT_FILE=b.crt`: the next name, with a value of its own that is none. */
function isOtherName(value: string): boolean {
  const other = /^[A-Z][A-Z0-9_]{3,}=(.*)$/.exec(value)?.[1];
  return other !== undefined && surprise(other) < ASKED.vendor.bits;
}

/** `${DB_PASSWORD:-postgres}`: a variable, and what stands for it. */
const isDefault = (text: string, from: number, value: string): boolean =>
  text.startsWith('${', from - 2) && /^_?[A-Z][A-Z0-9_]*:?-/.test(value);

const MEMBERS = /^[A-Za-z_]\w{0,20}(?:\.[A-Za-z_]\w{0,20})+$/;

/** `[]KeyValue{Rev7TxnPutFooA.Kv}`: code, and nothing else between the brackets. */
const isArgument = (text: string, from: number, to: number, value: string): boolean =>
  /[({]/.test(text[from - 1] ?? '') && /[)}]/.test(text[to] ?? '') && MEMBERS.test(value);

/** `aws_instance.foo["b15c…"]`, `"azure:282a…": {`: where something is found. */
function isIndex(text: string, from: number, to: number): boolean {
  return /\w\[["'`]$/.test(text.slice(Math.max(0, from - 3), from)) || /^["'`]\s?:\s?[[{]/.test(text.slice(to, to + 5));
}
