/** Values that look random and that everybody may see: told by their form, whatever they are called. */
import { ENDINGS, isWord, SHORT, UUID_INSIDE } from './forms.ts';
import { SECRET_NAME } from './names.ts';
import { surprise } from './ordinary.ts';

/** `2016-11-06T15:32:17.000000`. */
const INSTANT = /^\d{4}-[01]\d-[0-3]\d(?:[T ][\d:.,+Z-]*)?$/;
/** Of the machine a program runs on; base64 may begin with a stroke too, but not so. */
const PLACE =
  /^~?\/(?:etc|var|usr|opt|tmp|home|root|srv|mnt|run|dev|proc|sys|s?bin|lib\d*|app|data|Users|private|secrets?|vault|volumes?|workspaces?)\//;
/** `TEST/part-1.csv`, `./data/a.json`: in a folder, and of a known kind. */
const FILE = new RegExp(
  `^(?:[\\w.-]+/)+[\\w-]+\\.(?:${ENDINGS}|ini|conf|csv|tsv|log|sql|sh|py|rb|go|rs|java|php|pem|crt|cer|bin|bz2)$`,
);
/** So begins the public half of a key: RSA, elliptic curves and Ed25519 (X.509), and what SSH writes. Private ones do not. */
const PUBLIC_KEY =
  /^(?:MI[A-Za-z0-9+/]{0,6}(?:ANBgkqhkiG9w0BAQEFAAOC|MA0GCSqGSIb3DQEBAQUAA)|M(?:FkwEw|HYwEA)YHKoZIzj0C|MIGbMBAGByqGSM49AgEG|MCowBQYDK2VwAyEA|AAAA[BC]3NzaC1|AAAAE2VjZHNh)/;
/** Of an elliptic curve, with its frame; or the name of an algorithm as certificates have it. */
const SIGNED =
  /^(?:30[4-6][0-9a-f]02(?:20|21|1f)[0-9a-f]{100,}|30[0-9a-f]{2}0607[0-9a-f]+|ME[QUY]CI[A-Za-z0-9+/]{80,}={0,2})$/i;

/** Whatever stands before it. */
export const isOpenForm = (value: string): boolean =>
  INSTANT.test(value) || PLACE.test(value) || FILE.test(value) || PUBLIC_KEY.test(value) || SIGNED.test(value);

/** Behind a name that asks for something random, and where none does. */
export const isHarmless = (value: string): boolean => isOpenForm(value) || isTechnical(value) || isMember(value);

export const isPlace = (value: string): boolean => PLACE.test(value);

/** Words that carry a number with them. */
const TERMS: ReadonlySet<string> = new Set(
  (
    'pbkdf bcrypt scrypt argon hmac sha md aes des rsa dsa ecdsa eddsa ecdh ecdhe ed x curve secp prime pkcs base utf ipv ' +
    'tls ssl http oauth aws alpha'
  ).split(' '),
);
/** Of one word each, though they look like more. */
const TERM = /(?<![A-Za-z])(?:[iI]18n|[lL]10n|[kK]8s|slf4j|log4j|s2av2pb|S2A)(?![a-z])/g;
const PIECES = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
const LONGEST = 120;

/** `PBKDF2WithHmacSHA512`, `PKIX_ECDSA_P256_SHA_256`, `AES/CBC/PKCS5Padding`: words, and numbers only where they belong. */
function isTechnical(value: string): boolean {
  if (value.length > LONGEST || !/^[A-Za-z_$][\w./$:-]*$/.test(value)) return false;
  const rest = value.replaceAll(TERM, '_');
  if (rest === value && !/\d/.test(value)) return false;
  const pieces = rest.match(PIECES) ?? [];
  if (!pieces.every((piece, at) => (/\d/.test(piece) ? belongs(pieces, at) : isKnownWord(piece)))) return false;
  // Short pieces alone may be random: what is left without what is known must not be.
  const others = pieces.filter((piece) => !/\d/.test(piece) && !TERMS.has(piece.toLowerCase())).join('_');
  return surprise(others) < Math.max(TWO_WORDS_BITS, others.length * 0.7);
}

const isKnownWord = (piece: string): boolean =>
  piece.length <= SHORT || TERMS.has(piece.toLowerCase()) || isWord(piece);

/** A number behind its word (`SHA256`), behind a letter that stands alone (`P256`), or behind one that joins two (`PKCS1V15`). */
function belongs(pieces: readonly string[], at: number): boolean {
  const word = pieces[at - 1]?.toLowerCase() ?? '';
  if ((pieces[at] ?? '').length > 5) return false;
  if (TERMS.has(word)) return true;
  return word === 'p' ? (pieces[at] ?? '').length === 3 : /^[rvk]$/.test(word) && /^\d+$/.test(pieces[at - 2] ?? '');
}

/** `ed448lib.SignatureSize`: a member of a module. */
const MEMBER = /^([a-z]\w{0,24})\.([A-Z][a-z]\w*)$/;

function isMember(value: string): boolean {
  const [, module, member] = value.length <= LONGEST ? (MEMBER.exec(value) ?? []) : [];
  return module !== undefined && member !== undefined && areWords(module, 0) && areWords(member, 0.6);
}

/** `secondAlpha256Credential`: the name of something in code. */
export const isCodeName = (value: string): boolean =>
  value.length <= LONGEST && /^[A-Za-z_$]\w*$/.test(value) && areWords(value, 0.8);

/** `nameEditor98010048849317`: a name and a number. */
export const isCounted = (value: string): boolean =>
  value.length <= LONGEST && /^[A-Za-z_]+\d+$/.test(value) && areWords(value, 0.8);

const TWO_WORDS_BITS = 18;

/** Split at signs, digits and capitals. `long`: what share of the letters must be in words that are not short. */
function areWords(value: string, long: number): boolean {
  const words = value.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).filter((word) => word !== '');
  let [letters, inLong] = [0, 0];
  for (const word of words) {
    if (word.length > SHORT && !isWord(word)) return false;
    letters += word.length;
    if (word.length >= SHORT) inLong += word.length;
  }
  return inLong >= long * letters && surprise(value) < Math.max(TWO_WORDS_BITS, value.length * 0.7);
}

const BASE64 = /^[A-Za-z0-9+/]{12,}={0,2}$/;
const CONTROL = /(?![\t\n\r])\p{Cc}/u;
/** A sentence or an object; not `postgres://me:…@db`, `me:Summer2024`, `Summer2024`: those may be what a secret holds. */
const isReadable = (text: string): boolean =>
  /^[A-Za-z]+$/.test(text) || ((text.startsWith('{"') || /\s/.test(text)) && !/:\/\/|@/.test(text));
/** As much as is asked beside the name of a service. */
const TEXT_BITS = 24;

/** `SGVsbG8gd29ybGQ=`: a readable text, in which nothing is called a secret. */
export function isEncodedText(value: string): boolean {
  const text = decoded(value);
  if (text === null || CONTROL.test(text)) return false;
  return INSTANT.test(text) || (isReadable(text) && !SECRET_NAME.test(text) && surprise(text) < TEXT_BITS);
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

/** A host in letters of all languages; the sum of a file as IPFS writes it; what counts visitors; the one number of all web sockets. */
const KNOWN_NUMBER =
  /^xn--|^baf[a-z2-7]{50,}$|^(?:G|UA|GTM|AW)-[A-Z\d-]{6,14}$|^258EAFA5-E914-47DA-95CA-C5AB0DC85B11$/i;
/** `1FAF1-1F3FB-200D-1FAF2`: a picture among letters. */
const EMOJI = /^(?=.*(?:1F[0-9A-F]{3}|200D|FE0F|20E3))[0-9A-F]{4,5}(?:[-_ ][0-9A-F]{4,5})+$/i;
/** Bytes, written in an alphabet of few letters. */
const FEW_LETTERS = /^[a-z]{20,}$/;
const MOST_LETTERS = 10;

/** Where no name of its own asks for a secret. */
export const isUnlikely = (value: string): boolean =>
  KNOWN_NUMBER.test(value) ||
  EMOJI.test(value) ||
  (FEW_LETTERS.test(value) && new Set(value).size <= MOST_LETTERS) ||
  isHarmless(value);

/** Zeros of something binary; not of a key of SSH, a ticket of Kerberos or NTLM, a token that begins with them. */
const ZEROS = /^(?!A{16}|TlRMTVNT|BQI|YII|.{0,3}b3BlbnNzaC1rZXk).*A{8}/;
/** `name.module--part--4o6O5CPJI6`: a class of a style sheet. */
const STYLE = /^[A-Za-z]+(?:[.-][A-Za-z]+)*--[A-Za-z]+--\w+$/;

/** Where nothing but its looks speaks for a secret. */
export const isOrdinary = (value: string): boolean =>
  isUnlikely(value) ||
  ZEROS.test(value) ||
  STYLE.test(value) ||
  hasUuid(value) ||
  isWordAndSum(value) ||
  isSumPath(value) ||
  isEncodedText(value);

/** `alpha_6a3e2c513c0f9a6ca058`: a word and a short sum. */
function isWordAndSum(value: string): boolean {
  const word = /^([a-z]{3,})[_-][0-9a-f]{16,31}$/.exec(value)?.[1];
  return word !== undefined && isWord(word);
}

/** `k8s_name_kube-system_6e91c467-e4c5-…_0`: a name, and a UUID in it. */
function hasUuid(value: string): boolean {
  const rest = value.replace(UUID_INSIDE, '');
  if (rest === value || !/[a-z]{3}/i.test(rest)) return false;
  return rest.split(/[^A-Za-z0-9]+/).every((piece) => piece.length <= SHORT + 1 || isWord(piece));
}

/** `blobs/sha256/0df1207206e5…`. */
function isSumPath(value: string): boolean {
  const pieces = value.split('/');
  return pieces.length > 1 && pieces.every((piece) => /^[0-9a-f]{32,}$/.test(piece) || isWord(piece));
}
