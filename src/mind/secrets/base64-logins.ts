/** Logins in base64, whatever they are assigned to. */

import { isHumanPassword } from './human-password.ts';
import { isOpen, SECRET_NAME, spaced } from './names.ts';
import type { SecretSpan } from './secret-span.ts';
import { isExampleLogin } from './shapes.ts';

const LEAST_LENGTH = 14;
const MOST_LENGTH = 2_000;

export function encodedLogin(text: string, from: number, to: number): SecretSpan | null {
  if (to - from < LEAST_LENGTH || to - from > MOST_LENGTH) return null;
  let end = to;
  while (end - to < 2 && text[end] === '=') end++;
  return (end - from) % 4 === 0 && isEncodedLogin(text.slice(from, end))
    ? { from, to: end, rule: 'encoded-login' }
    : null;
}

const BASE64 = /^[A-Za-z0-9+/]{12,}={0,2}$/;
const CONTROL = /(?![\t\n\r])\p{Cc}/u;
/** `me:Summer2024`, `postgres://me:…@db`, `{"password": "…"}`. */
const PAIR = /^[A-Za-z][\w.@-]{0,63}:([^\s:]{6,100})$/;
const ADDRESS = /:\/\/[^\s/:@]{0,64}:[^\s/@]{3,100}@/;
const MEMBER = /"([\w.-]{1,40})"\s?:\s?"([^"\s]{6,200})"/g;

const NOT_ASCII = /[^ -~]/;
/** Few random values start with this many printable characters. */
const HEAD = 8;

function isEncodedLogin(value: string): boolean {
  if (!BASE64.test(value) || NOT_ASCII.test(atob(value.slice(0, HEAD)))) return false;
  const text = decoded(value);
  if (text === null || CONTROL.test(text)) return false;
  if (text.includes('://')) return ADDRESS.test(text) && !isExampleLogin(text);
  if (text.startsWith('{'))
    return [...text.matchAll(MEMBER)].some(([, name = '', one = '']) => isSecretMember(name, one));
  return isHumanPassword(PAIR.exec(text)?.[1] ?? '');
}

const isSecretMember = (name: string, value: string): boolean =>
  SECRET_NAME.test(spaced(name)) && !isOpen(spaced(name)) && isHumanPassword(value);

function decoded(value: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(value), (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
