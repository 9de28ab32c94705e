/** Passwords, which need not look random: known by the name before them, and by being no word and no piece of code. */
import type { Finding } from './finding.ts';
import { isNames } from './forms.ts';
import { isOpenForm } from './harmless.ts';
import { isOpen, isOwnOpen, spaced } from './names.ts';
import { surprise } from './ordinary.ts';
import { isPlaceholder } from './placeholder.ts';

const NAME =
  /(?:passw(?:or)?d|passphrase|passcode|[^a-z]pass|^pass|pwd|secret|token|(?:api|access|auth|private|client|secret)[_-]?key|[^a-z]key|^key)$/i;
/** The quote that closes the name, the operator, and the value: in quotes, or as far as it goes. */
const VALUE =
  /["'`\]]{0,2}[ \t]{0,8}(?:=>|:=|\?=|=|:(?!:)|-(?= ["'])|value[ \t]{0,2}=)[ \t]{0,8}(?:(["'`])((?:(?!\1)[^\s\\]){8,400})\1|([^\s"'`\\,;&<>()[\]{}]{8,100})(?=[\s&]|[;,]?(?:\n|$)))/y;
const PASS = /pass|pwd/i;
const CLASSES = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.-]/];
/** Code: letters from … to …, a call, a path of names, a reference, a format. */
const CODE =
  /[aA0]-[zZ9][^\s]*[aA0]-[zZ9]|^[~.]?\/|^\w+(?:\.\w+)+$|^[&*$%@<]|::|->|%[sdv]|\$\{|^[\w-]+$(?<![0-9]\w*)|:\/\//;
/** A sentence of a language that has no blanks. */
const SENTENCE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}/u;
const LEAST_BITS = 12;
const MOST_NAME = 64;
/** A mere `key` names most often something else. */
const KEY = /(?:^|[^a-z_-])key$/i;
const KEY_BITS = 34;
/** `_app_ruby2_words`: a key of something else, in words. */
const WORDS = /^_?[a-z]+\d{0,3}[a-z]?(?:_[a-z]+\d?)+$/;

/** `axios.CancelToken = CancelToken$1`: the same name, which was taken, as bundlers write it. */
function isTakenName(name: string, value: string): boolean {
  const own = /^([A-Za-z]\w*)\$\d{1,2}$/.exec(value)?.[1];
  return own !== undefined && name.endsWith(own);
}

/** By the last three letters of those names, and by what may stand right behind one. */
const ENDS = new Uint8Array(1 << 15);
const BEHIND = new Uint8Array(1 << 16);
for (const end of ['ord', 'swd', 'pwd', 'ase', 'ode', 'ass', 'ret', 'ken', 'key']) ENDS[endOf(end, 3)] = 1;
for (const char of '"\'`] \t=:?-') BEHIND[char.charCodeAt(0)] = 1;

/** The same for small and capital letters. */
function endOf(text: string, to: number): number {
  return (
    ((text.charCodeAt(to - 3) & 31) << 10) | ((text.charCodeAt(to - 2) & 31) << 5) | (text.charCodeAt(to - 1) & 31)
  );
}

/** Asked at the end of every word: whether the name of a password may end here. */
export function mayName(text: string, to: number): boolean {
  return BEHIND[text.charCodeAt(to)] === 1 && ENDS[endOf(text, to)] === 1;
}

export function isName(text: string, from: number, to: number): boolean {
  return NAME.test(text.slice(Math.max(from, to - 12), to));
}

/** A part of an address or a connection string: nothing but the password stands there, however it looks. */
const PART = / ?= ?([^\s;&"'`<>{}()[\]$%\\]{5,100})(?=[;&"'`\s]|$)/y;

function partAfter(text: string, at: number): Finding | null {
  PART.lastIndex = at;
  const value = PART.exec(text)?.[1];
  if (value === undefined || isPlaceholder(value)) return null;
  return { from: PART.lastIndex - value.length, to: PART.lastIndex, rule: 'connection-password' };
}

/** `machine host login me password …`, as netrc has it, on one line or on three. */
const LOGIN_BEFORE = /(?:^|\s)machine[ \t]+\S{1,80}\s+login[ \t]+\S{1,80}\s+$/;
const NETRC = /[ \t]+["']?([^\s"'<>{}$]{5,100})/y;

function netrcPassword(text: string, from: number, at: number): Finding | null {
  NETRC.lastIndex = at;
  const value = NETRC.exec(text)?.[1];
  if (
    value === undefined ||
    /^[*.]+$|^your/i.test(value) ||
    !LOGIN_BEFORE.test(text.slice(Math.max(0, from - 200), from))
  )
    return null;
  return { from: NETRC.lastIndex - value.length, to: NETRC.lastIndex, rule: 'password' };
}

/** The name stands from `from` to `at`. */
export function passwordAfter(text: string, from: number, at: number): Finding | null {
  if (/^[ \t]/.test(text[at] ?? '') && PASS.test(text.slice(from, at))) {
    const found = netrcPassword(text, from, at);
    if (found !== null) return found;
  }
  if (/[;&?] ?$/.test(text.slice(Math.max(0, from - 2), from)) && PASS.test(text.slice(from, at)))
    return partAfter(text, at);
  VALUE.lastIndex = at;
  const found = VALUE.exec(text);
  if (found === null || isOpen(spaced(text.slice(Math.max(from, at - MOST_NAME), at)))) return null;
  const [, , quoted, plain] = found;
  const value = quoted ?? plain ?? '';
  if (
    CODE.test(value) ||
    (quoted === undefined && /[([{]/.test(value)) ||
    isPlaceholder(value) ||
    SENTENCE.test(value) ||
    isOpenForm(value)
  )
    return null;
  if (isOwnOpen(text.slice(Math.max(from, at - MOST_NAME), at), value)) return null;
  if (quoted === undefined && isTakenName(text.slice(from, at), value)) return null;
  const classes = CLASSES.filter((one) => one.test(value)).length;
  const bits = surprise(value);
  if (KEY.test(text.slice(Math.max(0, at - 8), at)) && bits < KEY_BITS) return null;
  if (/(?:key|token)$/i.test(text.slice(Math.max(from, at - 5), at)) && WORDS.test(value) && isNames(value))
    return null;
  if (classes < 2 || (classes < 4 && bits < LEAST_BITS)) return null;
  const to = VALUE.lastIndex - (quoted === undefined ? 0 : 1);
  return {
    from: to - value.length,
    to,
    rule: PASS.test(text.slice(Math.max(0, at - 12), at)) ? 'password' : 'named-secret',
  };
}
