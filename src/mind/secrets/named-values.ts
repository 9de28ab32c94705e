/** Values after a name of their own: the better the name, the less is required of the value. */
import { contextOf, quotedAround, type ValueSpan } from './context.ts';
import { isFile, isHarmless, isMonotonous, isNames, isPlaceholder, UUID } from './harmless.ts';
import { CAPITAL_PW, isOpen, isSignature, KEY_NAME, SECRET_NAME, spaced, TELLING } from './names.ts';
import type { SecretSpan } from './secret-span.ts';
import { surprise } from './word-entropy.ts';

/** The least number of characters and of bits of surprise for each kind of context. */
export const ASKED = {
  named: { bits: 14, length: 8 },
  near: { bits: 25, length: 12 },
  key: { bits: 22, length: 12 },
  vendor: { bits: 24, length: 12 },
} as const;
/** Bits per letter of a word without digits, which is usually a name. */
export const LETTERS_ONLY = 1.5;
/** This much of a value shows what it is: a hostile one contains the next name, and the next. */
export const JUDGED = 256;
export const LETTERS = /^[A-Za-z_$][A-Za-z_$.]*$/;
export const NUMBER_LENGTH = 15;
const WITH_DIGITS_BITS = 10;
const ONLY_DIGITS = /^[\d-]+$/;
/** The start of zlib and gzip data in base64. */
const COMPRESSED = /^(?:eJ[w-z]|H4sI)[\w+/]{60}/;

/** What its own name says: a secret, something public, or nothing. */
export function named(text: string, plain: ValueSpan): SecretSpan | 'open' | null {
  const { name: written, given, assigned, line } = contextOf(text, plain.from);
  if (!TELLING.test(written)) return null;
  const name = spaced(written);
  const secret = SECRET_NAME.test(name) || CAPITAL_PW.test(written);
  if (!secret && !(assigned && KEY_NAME.test(name))) return null;
  if (isOpen(name) || (!secret && isSignature(line))) return 'open';
  const quoted = quotedAround(text, plain.from, plain.to);
  const range = quoted?.from === plain.from ? quoted : plain;
  const whole = text.slice(range.from, Math.min(range.to, range.from + JUDGED));
  if (!range.quoted && isExpression(text, range)) return null;
  if (isFile(whole) || isHarmless(whole) || (!secret && COMPRESSED.test(whole))) return 'open';
  if (!given && !(secret && isBehindBlank(text, range.from, whole))) return null;
  return isSecret(whole, secret ? ASKED.named : ASKED.key)
    ? { from: range.from, to: range.to, rule: secret ? 'named-secret' : 'named-key' }
    : null;
}

/** `TOKEN abc123…`: only a blank between the two. */
const isBehindBlank = (text: string, from: number, value: string): boolean =>
  /[ \t]/.test(text[from - 1] ?? '') && isTokenLike(value) && !/[/.]\w{1,5}$|^[\w.-]+\//.test(value);

function isSecret(value: string, asked: { readonly bits: number; readonly length: number }): boolean {
  if (value.length < asked.length || value.includes('://') || value.startsWith('//')) return false;
  if (isNames(value) && !LICENCE.test(value)) return false;
  if (UUID.test(value)) return new Set(value).size > 4;
  if (ONLY_DIGITS.test(value)) return value.length >= NUMBER_LENGTH && asked === ASKED.named && !isMonotonous(value);
  return (surprise(value) >= leastBits(value, asked) && !isPlaceholder(value)) || isTokenLike(value);
}

function leastBits(value: string, asked: { readonly bits: number }): number {
  if (LETTERS.test(value)) return Math.max(asked.bits, LETTERS_ONLY * value.length);
  const digits = asked === ASKED.named && /\d.*[a-z]|[a-z].*\d/i.test(value) && !/[a-z]{5}/i.test(value);
  return digits ? WITH_DIGITS_BITS : asked.bits;
}

const MADE_UP = /example|x{6}|0{8}|\.\.\.|^v?\d+\.\d+\./i;
/** Groups of the same kind, as in a licence key: `F1A-NEI-HY4-PZK`; `AES-256-CBC` is an algorithm. */
const LICENCE = /^(?=[^0-9]*[0-9])(?!(?:AES|DES|ECDHE?|ECDSA|HMAC|RSA|SHA)\d*-)[A-Z0-9]{3,8}(?:-[A-Z0-9]{3,8}){2,}$/;

/** Perhaps counted up by hand, but with a token's length and name: it is redacted rather than weighed. */
export function isTokenLike(value: string): boolean {
  if (LICENCE.test(value)) return true;
  if (value.length < 20 || !/^(?=[^a-z]*[a-z])[\w+/=.:-]+$/i.test(value) || MADE_UP.test(value)) return false;
  const digits = value.replaceAll(/[^0-9]/g, '').length;
  return digits * 8 >= value.length && new Set(value).size >= 8;
}

/** `token = read(...)`, `token = keys[0]`, `check(token, other)`: code, no value. */
function isExpression(text: string, { from, to }: ValueSpan): boolean {
  const next = text[to];
  if (next === '(' || next === '[' || next === '{' || next === '<') return !/^<\//.test(text.slice(to, to + 2));
  return /[,(][ \t]*&?$/.test(text.slice(Math.max(0, from - 4), from));
}
