/** Passwords, recognised by the name before them. A person chose most of them, so they need not look random. */

import { isCodeName, isHarmless, isPlaceholder } from './harmless.ts';
import { isHumanPassword, isWordAsPassword } from './human-password.ts';
import { insertedPassword, LOGIN_NAME, pairedPassword } from './logins.ts';
import { isOpen, spaced } from './names.ts';
import { isAmongSettings } from './near-settings.ts';
import { passphraseAfter } from './passphrases.ts';
import { PIN_NAME, pinAfter } from './password-places.ts';
import type { SecretSpan } from './secret-span.ts';
import { type AssignedValue, givenTo } from './syntaxes.ts';
import { surprise } from './word-entropy.ts';

const PASSWORD =
  /(?:passw(?:or[dt]|d)|passphrase|passcode|passord|mot_?de_?passe|contrase[nñ]a|senha|wachtwoord|kennwort|parola|heslo|lozinka|salasana|senord|has[lł]o|adgangskode|secret_key_base|(?:unlock|access|door|alarm|entry|gate|safe|security|lock|pin)[_-]?code|pwd|(?:^|[^a-z]|db|user|root|admin|smtp|mail|sql|key|store|require)pass|(?:^|[^a-z])(?:psk|pw)|(?:bind|root)pw|masterauth|identified)$/i;
/** Most words with such an end are none: a quick test before the exact one. */
const LIKE_PASSWORD =
  /pass|pwd|p(?:w|in|sk)$|auth$|login$|credentials?$|identified$|code$|_base$|contrase|senha$|(?:oord|wort|nord|kode)$|parola$|heslo$|lozinka$|salasana$|has[lł]o$/i;
const OTHER = /(?:secret|token|(?:api|access|auth|private|client|secret)[_-]?key|[^a-z]key|^key)$/i;
/** A person may have chosen these too. */
const SECRET = /secret(?:[_-]?key(?:_base)?)?$/i;
/** Words about a password rather than the password itself: a flag, a label, a message. */
const ABOUT =
  /(?:^|[^a-z])(?:forgot|reset|change|show|hide|has|is|no|verify|check|validate|invalid|wrong|missing|update|confirm)[_-]?pass/i;
/** `PASS: loadingFinished`, as tests print it. */
const RESULT = /^P(?:ASS|ass)$/;
const CLASSES = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.-]/];
/** Code: a path, members, a reference, a format, a word without a digit, a character class. */
const CODE =
  /^[~.]?\/|^\w+(?:\.\w+)+$|^[&*$%@<]|::|->|%[sdv]|\$\{|^[\w-]+$(?<![0-9]\w*)|:\/\/|:!|[aA0]-[zZ9]\S*[aA0]-[zZ9]/;
/** A sentence of a language without blanks, or a word of one that is not English. */
const SENTENCE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}|^[\p{L}\d-]*[\u0080-\uffff][\p{L}\d-]*$/u;
const LEAST_BITS = 12;
const LEAST_RANDOM = 8;
const MOST_NAME = 64;
const LONGEST_END = 16;
/** `BASE64_URL_SAFE`: without quotes around it. */
const CONSTANT = /^[A-Z][A-Z0-9]{0,11}(?:_[A-Z0-9]{1,12})+$/;
/** A plain `key` usually names something else. */
const KEY = /(?:^|[^a-z_-])key$/i;
const KEY_BITS = 34;

/** By the last three letters of those names, and by what may follow one directly. */
const ENDS = new Uint8Array(1 << 15);
const BEHIND = new Uint8Array(1 << 16);
for (const end of [
  'ord',
  'swd',
  'pwd',
  'ase',
  'ode',
  'ass',
  'ret',
  'ken',
  'key',
  'psk',
  'uth',
  'ied',
  'gin',
  'ial',
  'als',
  // Other languages, numbers, and words with a password at a fixed place after them.
  ...['ort', 'sse', 'ena', 'eña', 'nha', 'ola', 'slo', 'sło', 'nka', 'ana', 'ode', 'pin', 'ser', 'ity'],
])
  ENDS[endOf(end, 3)] = 1;
for (let before = 0; before < 32; before++) ENDS[(before << 10) | endOf(' pw', 3)] = 1;
for (const char of '"\'`] \t\n=:?-<>(),\\') BEHIND[char.charCodeAt(0)] = 1;

/** The same for lower and upper case. */
function endOf(text: string, to: number): number {
  return (
    ((text.charCodeAt(to - 3) & 31) << 10) | ((text.charCodeAt(to - 2) & 31) << 5) | (text.charCodeAt(to - 1) & 31)
  );
}

/** Called at the end of every word: whether the name of a password may end here. */
export function mayName(text: string, to: number): boolean {
  return (to === text.length || BEHIND[text.charCodeAt(to)] === 1) && ENDS[endOf(text, to)] === 1;
}

export function isName(text: string, from: number, to: number): boolean {
  const end = text.slice(Math.max(from, to - LONGEST_END), to);
  if (OTHER.test(end)) return true;
  return LIKE_PASSWORD.test(end) && (LOGIN_NAME.test(end) || PASSWORD.test(spaced(end)) || PIN_NAME.test(spaced(end)));
}

/** The name is from `from` to `at`. */
export function passwordAfter(text: string, from: number, at: number): SecretSpan | null {
  const name = text.slice(Math.max(from, at - MOST_NAME), at);
  const isPassword = PASSWORD.test(spaced(name));
  if (!isPassword && LOGIN_NAME.test(name)) return pairedPassword(text, from, at);
  if (isOpen(spaced(name))) return null;
  const pin = PIN_NAME.test(spaced(name)) ? pinAfter(text, at) : null;
  if (pin !== null) return pin;
  const given = givenTo(text, from, at, isPassword);
  const found = given === null ? null : judged(text, name, { from, at }, given);
  if (found !== null || !isPassword || ABOUT.test(spaced(name))) return found;
  return passphraseAfter(text, from, at) ?? (given === null ? insertedPassword(text, from, at) : null);
}

/** The place of a name. */
type NameSpan = { readonly from: number; readonly at: number };

function judged(text: string, name: string, { from, at }: NameSpan, given: AssignedValue): SecretSpan | null {
  const isPassword = PASSWORD.test(spaced(name));
  const rule = given.how === 'part' ? 'connection-password' : isPassword ? 'password' : 'named-secret';
  const found = { from: given.to - given.value.length, to: given.to, rule };
  if (given.how === 'part') return isPlaceholder(given.value) ? null : found;
  if (given.how === 'netrc') return found;
  const isOwn = isPassword ? !ABOUT.test(spaced(name)) : SECRET.test(name) && /\d/.test(given.value);
  if (
    isOwn &&
    !(RESULT.test(name) && /[: \t]/.test(text[at] ?? '') && !given.quoted) &&
    isChosenFor(text, { from, at }, given)
  )
    return found;
  return given.how === 'assigned' && isRandomEnough(name, given, isPassword) ? found : null;
}

/** If code may be there too, a password has a digit. */
function isChosenFor(text: string, { from, at }: NameSpan, { kind, value, how, to }: AssignedValue): boolean {
  if (kind === 'code') return false;
  if ((kind !== 'any' || /\d/.test(value)) && isHumanPassword(value)) return true;
  if (!isWordAsPassword(value)) return false;
  if (kind === 'certain') return true;
  const isSet = how === 'assigned' && (kind === 'text' || /^["']?:/.test(text.slice(at, at + 2)));
  return isSet && isAmongSettings(text, from, to);
}

function isRandomEnough(name: string, { quoted, value }: AssignedValue, isPassword: boolean): boolean {
  if (value.length < LEAST_RANDOM) return false;
  if (CODE.test(value) || isPlaceholder(value) || SENTENCE.test(value) || isHarmless(value)) return false;
  if (!quoted && (/[([{]/.test(value) || (!isPassword && (CONSTANT.test(value) || isCodeName(value))))) return false;
  const classes = CLASSES.filter((one) => one.test(value)).length;
  const bits = surprise(value);
  if (KEY.test(name.slice(-8)) && bits < KEY_BITS) return false;
  return classes >= 2 && (classes === 4 || bits >= LEAST_BITS);
}
