/** Values whose form shows that they are no secret: names, files, dates, public keys, and placeholders for a secret. */
import { surprise } from './word-entropy.ts';

export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** `2016-11-06T15:32:17.000000`. */
const INSTANT = /^\d{4}-[01]\d-[0-3]\d(?:[T ][\d:.,+Z-]*)?$/;
/** The start of a public key: RSA, elliptic curves and Ed25519 (X.509), and SSH. Private keys start differently. */
const PUBLIC_KEY =
  /^(?:MI[A-Za-z0-9+/]{0,6}(?:ANBgkqhkiG9w0BAQEFAAOC|MA0GCSqGSIb3DQEBAQUAA)|M(?:FkwEw|HYwEA)YHKoZIzj0C|MIGbMBAGByqGSM49AgEG|MCowBQYDK2VwAyEA|AAAA[BC]3NzaC1|AAAAE2VjZHNh)/;
const FILE =
  /\.(?:[cm]?[jt]sx?|css|json|map|html?|xml|ya?ml|toml|txt|md|png|jpe?g|gif|svg|ico|webp|woff2?|ttf|pdf|zip|tar|gz|tgz|jar|whl|so|wasm)$/;
/** `/tmp/a1B2c3/x`, `/run2/acme/3df878d8ed31`; base64 may start with a slash too, but has no words between slashes. */
const FULL_PATH =
  /^~?\/(?:(?:etc|var|usr|opt|tmp|home|root|srv|mnt|run|dev|proc|sys|Users)\/|(?:[a-z][a-z0-9_.-]*\/){2,}[\w.-]*$)/;

/** Harmless even after a name that asks for a secret. */
export const isHarmless = (value: string): boolean =>
  INSTANT.test(value) || PUBLIC_KEY.test(value) || isAlgorithm(value);

/** Also files with a checksum in their names: `app-6d58c9e6e3b5.css`. */
export const isFile = (value: string): boolean => FILE.test(value) || FULL_PATH.test(value);

const WORD_BITS = 9;
/** Most pieces this short are names of something. */
const SHORT = 4;

/** A piece of ordinary text, by its letters. */
const isWord = (piece: string): boolean => surprise(piece) < Math.max(WORD_BITS, piece.length / 2);

const LONG_HEX = /^(?=.*[a-f])(?=.*\d)[0-9a-f]{32,}$/i;
const DIGIT_INSIDE = /^[a-z]+\d+[a-z]{2,}$/;

/** Names joined by signs: of a module, a host, a constant. */
export function isNames(value: string): boolean {
  if (UUID.test(value) || !/[/._-]/.test(value)) return false;
  return value
    .split(/[^A-Za-z0-9]+/)
    .every((piece) => piece.length <= SHORT || (!LONG_HEX.test(piece) && !DIGIT_INSIDE.test(piece) && isWord(piece)));
}

/** Names, drawings, lists of numbers: many signs between short pieces. */
export function isStructured(whole: string): boolean {
  const value = whole.slice(0, 200);
  const signs = value.replaceAll(/[A-Za-z0-9]/g, '').length;
  return !UUID.test(value) && (signs * 5 > value.length || isNames(value));
}

const TWO_WORDS_BITS = 18;
const LONGEST_NAME = 120;
/** Words that usually carry a number. */
const NUMBERED_WORDS: ReadonlySet<string> = new Set(
  (
    'pbkdf bcrypt scrypt argon hmac sha md aes des rsa dsa ecdsa eddsa ecdh ecdhe ed x curve secp prime pkcs base utf ipv ' +
    'tls ssl http oauth aws alpha'
  ).split(' '),
);

/**
 * `PBKDF2WithHmacSHA512`, `PKIX_ECDSA_P256_SHA_256`, `AES/CBC/PKCS5Padding`: words, and numbers only where they belong.
 */
function isAlgorithm(value: string): boolean {
  if (value.length > LONGEST_NAME || !/\d/.test(value) || !/^[A-Za-z_$][\w./$:-]*$/.test(value)) return false;
  const pieces = value.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  const words = pieces.filter((piece) => !/\d/.test(piece) && !NUMBERED_WORDS.has(piece.toLowerCase()));
  if (!words.every((word) => word.length <= SHORT || isWord(word))) return false;
  if (!pieces.every((piece, at) => !/\d/.test(piece) || belongs(pieces, at))) return false;
  // Short pieces alone may be random, so the text without the known words must not look random.
  const others = words.join('_');
  return surprise(others) < Math.max(TWO_WORDS_BITS, others.length * 0.7);
}

/**
 * A number after its word (`SHA256`), after a single letter (`P256`), or after a letter that joins two numbers
 * (`PKCS1V15`).
 */
function belongs(pieces: readonly string[], at: number): boolean {
  const number = pieces[at] ?? '';
  const word = pieces[at - 1]?.toLowerCase() ?? '';
  if (number.length > 5) return false;
  if (NUMBERED_WORDS.has(word)) return true;
  return word === 'p' ? number.length === 3 : /^[rvk]$/.test(word) && /^\d+$/.test(pieces[at - 2] ?? '');
}

/** `npm_urls_allow_default_registry`: the name of a function that starts like a token. */
export const isIdentifier = (value: string): boolean =>
  /^[A-Za-z]+\d*(?:_[A-Za-z0-9]+){2,}$/.test(value) && isCodeName(value);

/** `Material2dKey`: a name in code, made of words. */
export function isCodeName(value: string): boolean {
  if (value.length > LONGEST_NAME || !/^[A-Za-z_$]\w*$/.test(value)) return false;
  const words = value.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).filter((word) => word !== '');
  if (!words.every((word) => word.length <= SHORT || isWord(word))) return false;
  const lettersIn = (some: readonly string[]): number => some.join('').length;
  const inLongWords = lettersIn(words.filter((word) => word.length >= SHORT));
  return inLongWords >= 0.6 * lettersIn(words) && surprise(value) < Math.max(TWO_WORDS_BITS, value.length * 0.7);
}

const PLACEHOLDER_WORDS =
  /^(?:(?:my|your|the|a|an|some|test|fake|dummy|sample|example|demo|default|new|old|real|bad|wrong|invalid|valid|secret|super|top|very|strong|long|random|generated|user|admin|root|api|app|access|auth|bearer|client|db|database|private|public|password|passwd|passphrase|pass|pwd|passw0rd|key|token|credentials?|value|string|here|goes|this|is|not|none|null|nil|undefined|true|false|empty|blank|redacted|masked|hidden|changeme|change|me|it|replace|with|insert|enter|todo|tbd|fixme|foo|bar|baz|qux|abc|xyz|placeholder|secure|unsafe|insecure|hello|world|name|id|text|data|encoded|hash|hashed)[\W\d_]*)+$/i;
const REFERENCE =
  /\$\{|#\{[^}]*\}|\$\(|\{\{|%\(|<[a-z][\w -]*>|^\$\w|^%\w+%$|^%[sdv@]|^[<[{(].*[>\]})]$|process\.env|os\.environ|getenv|secrets\.|vars?\.|env\.|config\.|settings\.|self\.|this\.|\.\.\.|^\*+$|example|placeholder|change[_-]?(?:me|it|this)|your[_-]|^(?:urn|classpath|file):|^x{4,}|x{6,}|0{8,}|\*{3,}/i;
/** `HTTP_X_TOKEN`: the name of something, as a string. */
const CONSTANT = /^[A-Z]+(?:_[A-Z]+)+\W*$/;

/** A placeholder for a secret: an example, words for it, a reference to where it is stored. */
export const isPlaceholder = (value: string): boolean => isReference(value) || PLACEHOLDER_WORDS.test(value);

/** The same without words for a secret. */
export const isReference = (value: string): boolean =>
  CONSTANT.test(value) || REFERENCE.test(value) || isMonotonous(value);

/** `aaaa`, `abcdefgh`, `12345678`, `0a0a0a`: most of it is predictable, or it consists of few characters. */
export function isMonotonous(value: string): boolean {
  let steps = 0;
  for (let at = 1; at < value.length; at++) {
    const by = value.charCodeAt(at) - value.charCodeAt(at - 1);
    if (by >= -1 && by <= 1) steps++;
  }
  return steps * 3 >= value.length * 2 || new Set(value).size * 4 <= Math.min(value.length, 20);
}
