/** Values given to a name that says nothing: only what cannot be anything else. */
import { contextOf } from './context.ts';
import type { Finding } from './finding.ts';
import { isFileOrHost, isStructured } from './forms.ts';
import { isOrdinary } from './harmless.ts';
import { ASKED, BEFORE_SUM, ID, JUDGED, MOST_NAME, RESULT, WORDS_BEFORE } from './judged.ts';
import { OPEN_NAME, spaced } from './names.ts';
import { isPlaceholder } from './placeholder.ts';
import { quotedAround, type Value, valueAround } from './value.ts';

const TOKEN = /^[\w+/=.-]+$/;
/** With `_`: `_33A037C7-4BB3-…` bounds the parts of a mail. */
const HEX = /^[0-9a-f._-]+$/i;
/** Not those of one letter, nor what names things in documents, mails and tests, nor words of a sentence. */
const NAME =
  /^(?!(?:(?:.*[_#-])?(?:pako|ids?|index|messages?)|pk|si|src|href|targets?|parents?|config|cursor|secure|content|value|data|mask|class|list|path|body|boundary|result|expect(?:ed)?|assert\w*|encoded|encrypted\w*|actual|examples?|return|\w*value|want\w*|magic\w*|bytes|\w*_name|\w*uid|and|like|or|when|where)$).{2,}/i;
/** With the start of a cipher beside it: what is encrypted may be seen. */
const ENCRYPTED = /[^a-z]iv\\?["']\s?[:=]/i;
/**
 * So begin a certificate without its frame, a framed one that was encoded, an object of Kubernetes, a path; and files:
 * PNG, GIF, SVG and XML, PDF, ZIP, gzip, fonts, WebAssembly.
 */
const ENCODED =
  /^(?:MII|LS0tLS1|azhz|\/|[\w-]+\.[\w.-]+\/|iVBORw0KGgo|R0lGOD|PHN2Zy|PD94bWwg|JVBERi0|UEsDBB|H4sIA|AGFzbQ|d09G[MR])/;
/** `keenio 'abc'`: a name, a blank, a quote. */
const BLANK_BEFORE = /[\w-][ \t]+["'`]? ?$/;
/** `L2R_L2LOSS_SVC_DUAL`: the name of a constant. */
const CONSTANT = /^[A-Z][A-Z0-9]{0,11}(?:_[A-Z0-9]{1,12}){2,}$/;
/** Of C++, as the compiler writes it. */
const SYMBOL = /^[A-Z_]\w*[A-Z]EE$/;

export function assigned(text: string, from: number, to: number, bits: number): Finding | null {
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
  return (PLAIN_NAME.test(before) || TWO_WORDS.test(before)) && !BEFORE_SUM.test(before) ? value : null;
}
