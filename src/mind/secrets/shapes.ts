/** Secrets recognised by the shape of the text around them: web tokens, and addresses and headers with a secret. */

import { isPlaceholder } from './harmless.ts';
import type { SecretSpan } from './secret-span.ts';
import { surprise } from './word-entropy.ts';

const WEB_TOKEN =
  /eyJ[A-Za-z0-9_-]{8,4000}\.(?:ey[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,4000})?|[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,4000})/y;
const FIRST_PART = /[A-Za-z0-9_-]{0,4000}/y;
/** The same, encoded once more: `eyJ` starts with one of these. */
const WEB_TOKEN_TWICE = /Z[XW](?:lK|V5S)[A-Za-z0-9+/]{60,8000}={0,2}|ZX(?:lK|lB|lA)[A-Za-z0-9+/_-]{60,8000}={0,2}/y;

/** Called at every start of a word: `ey`, `ZX`, `ZW`. */
export function mayBeWebToken(first: number, second: number): boolean {
  return first === 101 ? second === 121 : first === 90 && (second === 88 || second === 87);
}

/** No other one starts before `triedTo`: the text up to there was examined. */
export function webToken(text: string, at: number): { readonly finding: SecretSpan | null; readonly triedTo: number } {
  for (const pattern of [WEB_TOKEN, WEB_TOKEN_TWICE]) {
    pattern.lastIndex = at;
    if (pattern.test(text))
      return { finding: { from: at, to: pattern.lastIndex, rule: 'web-token' }, triedTo: pattern.lastIndex };
  }
  if (!text.startsWith('eyJ', at)) return { finding: null, triedTo: at };
  FIRST_PART.lastIndex = at;
  FIRST_PART.test(text);
  return { finding: null, triedTo: FIRST_PART.lastIndex };
}

/** `at`: after the `://`. Only the password is removed; the user and host stay readable. */
const LOGIN = /([^\s:/@"'`<>?#,;()[\]\\]{0,100}):([^\s/@"'`<>\\]{3,200}(?:@[^\s/@"'`<>.\\:]{0,60})?)@(?=[\w[{$-])/y;
/** Words that people use as a password only in examples. */
const NO_PASSWORD =
  /^[\W_]|^(?:\d{2,5}|[A-Z_]+|(?:[a-zA-Z]*(?:[pP]ass|[pP]w|[sS]ecret|[tT]oken|[kK]ey|[uU]ser|[nN]ame)[a-zA-Z]*|x+|\.+))$/;
/** A plain word is a password if the host is a real one. */
const WORD = /^[a-zA-Z_]+$/;
const HOME = /(?![\w.-]*(?:example|localhost|\bhost|\btest\b|\bfoo\b|\bserver\b))[\w.-]*[a-z][\w.-]*[.-]\w/iy;
/** The login itself is a token: `https://TOKEN@host`. */
const ONLY_USER = /([\w.~-]{16,200})(?::[\w-]{0,20})?@(?=[\w[-])/y;
const USER_BITS = 28;

export function loginInAddress(text: string, at: number): SecretSpan | null {
  LOGIN.lastIndex = at;
  const found = LOGIN.exec(text);
  if (found !== null) {
    const [whole, user = '', password = ''] = found;
    const to = at + whole.length - 1;
    if (isPassword(user, password, text, to + 1)) return { from: to - password.length, to, rule: 'url-password' };
  }
  ONLY_USER.lastIndex = at;
  const user = ONLY_USER.exec(text)?.[1];
  if (user === undefined || isPlaceholder(user) || surprise(user) < USER_BITS) return null;
  return { from: at, to: at + user.length, rule: 'url-password' };
}

function isPassword(user: string, password: string, text: string, host: number): boolean {
  if (password === user || NO_PASSWORD.test(password) || isPlaceholder(password)) return false;
  HOME.lastIndex = host;
  return !WORD.test(password) || (password.length >= 5 && HOME.test(text));
}

/** Whether the password in this address is a word for one: `http://user:pass@example.com`. */
export function isExampleLogin(address: string): boolean {
  const [, user = '', password] = /:\/\/([^:@/]*):(.*)@/.exec(address) ?? [];
  return password !== undefined && !isPassword(user, password, address, address.lastIndexOf('@') + 1);
}

/** Addresses that grant access by themselves; `at`: after the `://`. The part after the host is the secret. */
const HOOKS = [
  /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[\w/+-]{20,200}/y,
  /(?:[a-z]+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d{10,25}\/[\w-]{40,120}/y,
  /[\w-]{1,80}\.webhook\.office\.com\/webhookb2\/[\w@-]{20,200}\/\w{3,40}\/[\w-]{10,80}\/[\w-]{10,80}(?:\/[\w-]{1,80})?/y,
  /outlook\.office(?:365)?\.com\/webhook\/[\w@-]{20,200}\/\w{3,40}\/[\w-]{10,80}\/[\w-]{10,80}/y,
  /hooks\.zapier\.com\/hooks\/catch\/[\w/-]{8,80}/y,
  /hook\.(?:[a-z0-9]+\.)?(?:make|integromat)\.com\/[a-z0-9]{20,60}/y,
  /chat\.googleapis\.com\/v1\/spaces\/[\w-]{5,40}\/messages\?key=[\w-]{20,80}&token=[\w%=-]{20,120}/y,
  /[\w.-]{5,100}\.logic\.azure\.com(?::\d+)?\/workflows\/[\w/-]{20,200}\?[^\s"'`<>]{0,200}sig=[\w%-]{20,80}/y,
  /api\.telegram\.org\/(?:file\/)?bot\d{5,20}:[\w-]{30,60}/y,
  /[\w-]{1,60}@?[\w.-]{0,60}sentry\.io\/\d{3,20}/y,
];
const HOST_OF_HOOK =
  /^(?:hooks?\.|discord|[\w-]+\.discord|[\w-]+\.webhook|outlook|chat\.goog|api\.tel|[\w.-]+\.logic\.azure)/;

export function hookAddress(text: string, at: number): SecretSpan | null {
  if (!HOST_OF_HOOK.test(text.slice(at, at + 80))) return null;
  for (const pattern of HOOKS) {
    pattern.lastIndex = at;
    if (!pattern.test(text)) continue;
    const from = text.indexOf('/', at) + 1;
    if (isPlaceholder(text.slice(from, pattern.lastIndex)) && !/[0-9][A-Za-z]{2,}[0-9]/.test(text.slice(from)))
      return null;
    return { from, to: pattern.lastIndex, rule: 'webhook-address' };
  }
  return null;
}

/** `at`: after the word `Basic` or `Bearer`. */
const CREDENTIALS = /[ \t]{1,4}([A-Za-z0-9._~+/=|:-]{8,4000})/y;
const LEAST_BITS = 12;

export function credentials(text: string, at: number): SecretSpan | null {
  CREDENTIALS.lastIndex = at;
  const found = CREDENTIALS.exec(text)?.[1];
  if (found === undefined || isPlaceholder(found)) return null;
  if (surprise(found, 0, Math.min(found.length, 200)) < LEAST_BITS) return null;
  const to = CREDENTIALS.lastIndex;
  return { from: to - found.length, to, rule: 'authorization' };
}

/** `at`: after `-u` or `--user` of a command. */
const USER = /[ =\t]{0,5}(?:\\?["'])?([^\s:"'$<[{();?\\]{0,80}):(?:\\?["'])?([^\s"'\\]{3,120})/y;

export function commandLogin(text: string, at: number): SecretSpan | null {
  USER.lastIndex = at;
  const found = USER.exec(text);
  const password = found?.[2];
  if (found === null || password === undefined || /^\$|^[<[{(]/.test(password)) return null;
  if (NO_PASSWORD.test(password) || WORD.test(password) || isPlaceholder(password) || password === found[1])
    return null;
  const to = USER.lastIndex;
  return { from: to - password.length, to, rule: 'command-login' };
}

/** `at`: at the sign after a number; the two are one token (Facebook, Telegram). */
const APP_TOKEN = /\|[\w-]{20,44}(?![\w-])/y;
const BOT_TOKEN = /:AA[\w-]{32,35}(?![\w-])/y;

export function numberedToken(text: string, from: number, at: number): SecretSpan | null {
  if (!/^\d{8,18}$/.test(text.slice(from, at))) return null;
  const [pattern, rule] = text[at] === ':' ? [BOT_TOKEN, 'telegram'] : [APP_TOKEN, 'facebook'];
  pattern.lastIndex = at;
  return pattern.test(text) ? { from, to: pattern.lastIndex, rule } : null;
}
