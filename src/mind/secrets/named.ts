/** Values behind a name of their own: what it says of them. */
import { contextOf } from './context.ts';
import type { Finding } from './finding.ts';
import { isFileOrHost, isFullPath, isNames, isPath, UUID } from './forms.ts';
import { isCodeName, isCounted, isHarmless } from './harmless.ts';
import { ASKED, IDENTIFIER, JUDGED, LETTERS_ONLY } from './judged.ts';
import { isOpen, isOwnOpen, isSignature, KEY_NAME, SECRET_NAME, spaced, TELLING } from './names.ts';
import { surprise } from './ordinary.ts';
import { isMonotonous, isPlaceholder } from './placeholder.ts';
import { quotedAround, type Value } from './value.ts';

const WITH_DIGITS = 10;
export const NUMBER_LENGTH = 15;
/** Of CACHEDIR.TAG, in every directory for what may be deleted. */
const TAG = '8a477f597d28d172789f06886806bc55';
const ONLY_DIGITS = /^[\d-]+$/;

/** What its own name says: a secret, something that anybody may see, or nothing. */
export function named(text: string, plain: Value): Finding | 'open' | null {
  const { name: written, given, assigned, line } = contextOf(text, plain.from);
  if (!TELLING.test(written)) return null;
  const name = spaced(written);
  const secret = SECRET_NAME.test(name);
  if (!secret && !(assigned && KEY_NAME.test(name))) return null;
  if (isOpen(name) || ARN.test(line) || (!secret && isSignature(line))) return 'open';
  const value = quotedAround(text, plain.from, plain.to) ?? plain;
  const range = value.from === plain.from ? value : plain;
  const whole = text.slice(range.from, Math.min(range.to, range.from + JUDGED));
  if (!range.quoted && isExpression(text, range)) return null;
  if (isOwnOpen(written, whole) || isFullPath(whole) || isFileOrHost(whole) || isHarmless(whole)) return 'open';
  if (
    !secret &&
    ((USER_NAME.test(whole) && LOGIN.test(name)) || isSeed(line, whole) || isCounted(whole) || isId(name, whole))
  )
    return 'open';
  if (!given && !(secret && isBehindBlank(text, range.from, line, whole))) return null;
  return isSecret(whole, secret ? ASKED.named : ASKED.key)
    ? { from: range.from, to: range.to, rule: secret ? 'named-secret' : 'named-key' }
    : null;
}

/** `arn:aws:secretsmanager:eu-1:123:secret:`: what follows is the name of a secret. */
const ARN = /arn:[\w-]+:[\w:*-]*:secret:$/;
/** `app_id=` and a UUID; what a session or a login is known by lets one in. */
const isId = (name: string, value: string): boolean =>
  UUID.test(value) && /[_.-]ids?[^\w]*$/i.test(name) && !/session|cookie|auth|login/i.test(name);

/** A module in a list of them, and the commit that is used: `github.com/acme/jwt 4bbdd8ac624f…`. */
const MODULE = /(?:^|\s)(?:[\w-]+\.)+[a-z]{2,}\/[\w./-]+[ \t]+$/;
const COMMIT = /^[0-9a-f]{40}$/;

/** `TOKEN abc123…`: only a blank between the two. */
function isBehindBlank(text: string, from: number, line: string, value: string): boolean {
  if (!/[ \t]/.test(text[from - 1] ?? '') || (COMMIT.test(value) && MODULE.test(line))) return false;
  return isForm(value) && !isPath(value) && !isCodeName(value);
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

/** `root_seed = 0x2e09b909…`: of random numbers, in code. */
const isSeed = (line: string, value: string): boolean =>
  /(?:^|[^\w])[a-z_]*seed = $/.test(line) && /^0x[0-9a-f]+$/i.test(value);

/** Some services take a token there, which is longer than the name of a user. */
const LOGIN = /(?:^|[^a-z])login[^a-z]*$/i;
const USER_NAME = /^[\w.@-]{1,30}$/;

const MADE_UP = /example|x{6}|0{8}|\.\.\.|^v?\d+\.\d+\./i;
/** Groups of the same kind, as in the key of a licence: `F1A-NEI-HY4-PZK`; `AES-256-CBC` is an algorithm. */
const LICENCE = /^(?=[^0-9]*[0-9])(?!(?:AES|DES|ECDHE?|ECDSA|HMAC|RSA|SHA)\d*-)[A-Z0-9]{3,8}(?:-[A-Z0-9]{3,8}){2,}$/;
/** `SHA256=…`: says itself what it is. */
const OWN_SUM = /^\w{0,8}(?:sha|md)-?\d+[=:-]/i;

/** Counted up by hand perhaps, but a token by its length and its name: it is taken out rather than weighed. */
export function isForm(value: string): boolean {
  if (LICENCE.test(value)) return true;
  if (value.length < 20 || !/^(?=[^a-z]*[a-z])[\w+/=.:-]+$/i.test(value) || MADE_UP.test(value)) return false;
  const digits = value.replaceAll(/[^0-9]/g, '').length;
  return digits * 8 >= value.length && new Set(value).size >= 8;
}

/** `token = read(...)`, `token = keys[0]`, `check(token, other)`: code, no value. */
function isExpression(text: string, { from, to }: Value): boolean {
  const next = text[to];
  if (next === '(' || next === '[' || next === '{' || next === '<') return !/^<\//.test(text.slice(to, to + 2));
  // `KeyParser::readPkcs8`: the name of a function.
  if (/\w::$/.test(text.slice(Math.max(0, from - 3), from))) return surprise(text, from, to) < to - from;
  return /[,(][ \t]*&?$/.test(text.slice(Math.max(0, from - 4), from));
}

const isAddress = (value: string) => value.includes('://') || value.startsWith('//');
