/** Passwords, which need not look random: known by the name before them, and by being no word and no piece of code. */
import type { Finding } from './finding.ts';
import { surprise } from './ordinary.ts';
import { isPlaceholder } from './placeholder.ts';

const NAME =
  /(?:passw(?:or)?d|passphrase|passcode|[^a-z]pass|^pass|pwd|secret|token|(?:api|access|auth|private|client|secret)[_-]?key|[^a-z]key|^key)$/i;
/** The quote that closes the name, the operator, and the value: in quotes, or as far as it goes. */
const VALUE =
  /["'`\]]{0,2}[ \t]{0,8}(?:=>|:=|\?=|=|:|-(?= ["'])|value[ \t]{0,2}=)[ \t]{0,8}(?:(["'`])([^\s"'`\\]{8,100})\1|([^\s"'`\\,;&<>()[\]{}]{8,100})(?=[\s&]|[;,]?(?:\n|$)))/y;
const PASS = /pass|pwd/i;
const CLASSES = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.-]/];
/** Code: a call, a path of names, a reference, a format. */
const CODE = /^\w+(?:\.\w+)+$|^[&*$%@<]|::|->|%[sdv]|\$\{|^[\w-]+$(?<![0-9]\w*)|:\/\//;
const LEAST_BITS = 16;
/** A mere `key` names most often something else. */
const KEY = /(?:^|[^a-z_-])key$/i;
const KEY_BITS = 34;

/** Asked at the end of every word: whether it may be the name of a password. */
export function mayName(text: string, from: number, to: number): boolean {
  const last = text.charCodeAt(to - 1) | 32;
  // d, e, s, t, n, y: password, passphrase, pass, secret, token, key.
  if (last !== 100 && last !== 101 && last !== 115 && last !== 116 && last !== 110 && last !== 121) return false;
  return NAME.test(text.slice(Math.max(from, to - 12), to));
}

/** A part of an address or a connection string: nothing but the password stands there, however it looks. */
const PART = /=([^\s;&"'`<>{}()[\]$%\\]{5,100})(?=[;&"'`\s]|$)/y;

function partAfter(text: string, at: number): Finding | null {
  PART.lastIndex = at;
  const value = PART.exec(text)?.[1];
  if (value === undefined || isPlaceholder(value)) return null;
  return { from: PART.lastIndex - value.length, to: PART.lastIndex, rule: 'connection-password' };
}

/** The name stands from `from` to `at`. */
export function passwordAfter(text: string, from: number, at: number): Finding | null {
  if (/[;&?]/.test(text[from - 1] ?? '') && PASS.test(text.slice(from, at))) return partAfter(text, at);
  VALUE.lastIndex = at;
  const found = VALUE.exec(text);
  if (found === null) return null;
  const [, , quoted, plain] = found;
  const value = quoted ?? plain ?? '';
  if (CODE.test(value) || (quoted === undefined && /[([{]/.test(value)) || isPlaceholder(value)) return null;
  const classes = CLASSES.filter((one) => one.test(value)).length;
  const ascii = value.replaceAll(/[^\x21-\x7e]/g, '.');
  const { bits } = surprise(ascii, 0, ascii.length);
  if (KEY.test(text.slice(Math.max(0, at - 8), at)) && bits < KEY_BITS) return null;
  if (classes < 2 || (classes < 4 && bits < LEAST_BITS)) return null;
  const to = VALUE.lastIndex - (quoted === undefined ? 0 : 1);
  return {
    from: to - value.length,
    to,
    rule: PASS.test(text.slice(Math.max(0, at - 12), at)) ? 'password' : 'named-secret',
  };
}
