/** Values that look random and that everybody may see: told by their form, whatever they are called. */
import { UUID_INSIDE } from './forms.ts';
import { SECRET_NAME } from './names.ts';
import { surprise } from './ordinary.ts';

/** `2016-11-06T15:32:17.000000`. */
const INSTANT = /^\d{4}-[01]\d-[0-3]\d(?:[T ][\d:.,+Z-]*)?$/;
/** Of the machine a program runs on; base64 may begin with a stroke too, but not so. */
const PLACE =
  /^\.{1,2}\/\w|^~?\/(?:etc|var|usr|opt|tmp|home|root|srv|mnt|run|dev|proc|sys|s?bin|lib\d*|app|data|Users|private|secrets?|vault|volumes?|workspaces?)\//;
/** `TEST/part-1.csv`. */
const FILE = /^(?:[\w.-]+\/)+[\w-]+\.[a-z][a-z0-9]{1,5}$/;
/** So begins the public half of a key: RSA, elliptic curves and Ed25519 (X.509), and what SSH writes. Private ones do not. */
const PUBLIC_KEY =
  /^(?:MI[A-Za-z0-9+/]{0,6}(?:ANBgkqhkiG9w0BAQEFAAOC|MA0GCSqGSIb3DQEBAQUAA)|M(?:FkwEw|HYwEA)YHKoZIzj0C|MIGbMBAGByqGSM49AgEG|MCowBQYDK2VwAyEA|AAAA[BC]3NzaC1|AAAAE2VjZHNh)/;
/** Of an elliptic curve, with its frame; or the name of an algorithm as certificates have it. */
const SIGNATURE =
  /^(?:30[4-6][0-9a-f]02(?:20|21|1f)[0-9a-f]{100,}|30[0-9a-f]{2}0607[0-9a-f]+|ME[QUY]CI[A-Za-z0-9+/]{80,}={0,2})$/i;

/** Even behind the name of a password. */
export const isOpenForm = (value: string): boolean =>
  INSTANT.test(value) || PLACE.test(value) || FILE.test(value) || PUBLIC_KEY.test(value) || SIGNATURE.test(value);

/** Also behind a name that asks for something random. */
export const isHarmless = (value: string): boolean =>
  isOpenForm(value) || isTechnical(value) || isMember(value) || BUNDLED.test(value);

export const isPlace = (value: string): boolean => PLACE.test(value);

/** What carries its number with it. One letter does only where a word begins, and with more than one digit. */
const TERM =
  /(?:aws|pbkdf|b?scrypt|argon|hmac|sha|md|aes|des|rsa|dsa|ecdsa|eddsa|ecdhe?|ed|curve|secp|prime|pkcs|oaep|base|utf|ipv|tls|ssl|http|oauth|s2av?|alpha)[_-]?\d{1,4}(?:[rktv]\d{1,3}){0,2}|(?<![a-z])[px]\d{2,4}|i18n|l10n|k8s|slf4j|log4j/gi;
const MOST_NAME = 120;

/** `PBKDF2WithHmacSHA512`, `PKIX_ECDSA_P256_SHA_256`, `AES/CBC/PKCS5Padding`: words, and numbers only where they belong. */
function isTechnical(value: string): boolean {
  if (value.length > MOST_NAME || !/^(?=[^\d]*\d)[A-Za-z_$][\w./$:-]*$/.test(value)) return false;
  const rest = value.replaceAll(TERM, '_');
  return rest !== value && !/\d/.test(rest) && areWords(rest, 0);
}

/** `ed448lib.SignatureSize`: a member of a module. */
const MEMBER = /^[a-z]\w{0,24}\.([A-Z][a-z]\w*)$/;

function isMember(value: string): boolean {
  const member = MEMBER.exec(value)?.[1];
  return member !== undefined && value.length <= MOST_NAME && areWords(member, 0.6);
}

/** `CancelToken$1`: a name that was taken, as bundlers write it. */
export const BUNDLED = /^[A-Za-z]+\$\d{1,2}$/;

/** `secondAlpha256Credential`: the name of something in code. */
export const isIdentifier = (value: string): boolean =>
  value.length <= MOST_NAME && /^[A-Za-z_$]\w*$/.test(value) && areWords(value, 0.8);

/** `nameEditor98010048849317`: a name and a number. */
export const isNumbered = (value: string): boolean =>
  value.length <= MOST_NAME && /^[A-Za-z_]+\d+$/.test(value) && areWords(value, 0.8);

const WORD_BITS = 9;
/** Of few letters most are names of something. */
const SHORT = 4;

/** Split at signs, digits and capitals. `long`: what share of the letters must be in words of four and more. */
function areWords(value: string, long: number): boolean {
  const words = value.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).filter((word) => word !== '');
  let [letters, inLong] = [0, 0];
  for (const word of words) {
    if (word.length > SHORT && !isWord(word)) return false;
    letters += word.length;
    if (word.length >= 4) inLong += word.length;
  }
  return inLong >= long * letters && surprise(value) < Math.max(WORD_BITS * 2, value.length * 0.7);
}

const BASE64 = /^[A-Za-z0-9+/]{12,}={0,2}$/;
const CONTROL = /(?![\t\n\r])\p{Cc}/u;
/** The least that an unknown value must have. */
const TEXT_BITS = 24;

/** `SGVsbG8gd29ybGQ=`: a readable text, in which nothing is called a secret. */
export function isEncodedText(value: string): boolean {
  const text = decoded(value);
  return text !== null && !CONTROL.test(text) && !SECRET_NAME.test(text) && surprise(text) < TEXT_BITS;
}

function decoded(value: string): string | null {
  if (!BASE64.test(value)) return null;
  try {
    const bytes = Uint8Array.from(atob(value), (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A host in letters of all languages; the sum of a file as IPFS writes it; what counts visitors; a class of CSS. */
const NUMBERED_NAME = /^xn--|^baf[a-z2-7]{50,}$|^(?:G|UA|GTM|AW)-[A-Z\d-]{6,14}$|\w--\w+--\w/;
/** Sixteen letters and no others: bytes, written in an alphabet of their own. */
const LETTERS = /^[a-z]{20,}$/;
const MOST_LETTERS = 10;
/** Zeros of something binary. */
const ZEROS = /A{8}/;
const SUM = /^[0-9a-f]{32,}$/;

const MAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
/** So begins a private key of SSH without its frame, which has many zeros. */
const SSH_KEY = 'b3BlbnNzaC1rZXk';

/** Where no name of its own asks for a secret. */
export const isUnlikely = (value: string): boolean =>
  NUMBERED_NAME.test(value) ||
  MAIL.test(value) ||
  (ZEROS.test(value) && !value.startsWith(SSH_KEY)) ||
  (LETTERS.test(value) && new Set(value).size <= MOST_LETTERS) ||
  isHarmless(value);

/** Where nothing but its looks speaks for a secret. */
export const isOrdinary = (value: string): boolean =>
  isUnlikely(value) || hasNumber(value) || isSumPath(value) || isEncodedText(value);

/** `alpha_6a3e2c513c0f9a6ca058`: a word and a short sum. */
const WORD_AND_SUM = /^([a-z]{3,})[_-][0-9a-f]{16,31}$/;

/** `k8s_name_kube-system_6e91c467-e4c5-…_0`: a name, and a UUID in it. */
function hasNumber(value: string): boolean {
  const word = WORD_AND_SUM.exec(value)?.[1];
  if (word !== undefined) return isWord(word);
  const rest = value.replace(UUID_INSIDE, '');
  return (
    rest !== value &&
    /[a-z]{3}/i.test(rest) &&
    rest.split(/[^A-Za-z0-9]+/).every((piece) => piece.length <= SHORT + 1 || isWord(piece))
  );
}

/** `blobs/sha256/0df1207206e5…`. */
function isSumPath(value: string): boolean {
  const pieces = value.split('/');
  return pieces.length > 1 && pieces.every((piece) => SUM.test(piece) || isWord(piece));
}

const isWord = (piece: string): boolean => surprise(piece) < Math.max(WORD_BITS, piece.length / 2);
