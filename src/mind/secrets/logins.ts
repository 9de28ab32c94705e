/** Passwords beside a user's name: `auth=('user', '…')`, `BasicAuth("user", "…")`, rows of an `INSERT`. */

import { isHumanPassword } from './human-password.ts';
import type { SecretSpan } from './secret-span.ts';

/** Names that a pair of user and password follows. */
export const LOGIN_NAME = /(?:auth|login|credentials?)$/i;

const PAIR =
  /["']?\]?[ \t]{0,4}(?:=>|=|:)?[ \t]{0,4}(?:[\w.]{0,30}Auth)?[ \t]{0,4}[([]?\s{0,20}(["'])(?:(?!\1)[^\n\\]){1,80}\1,\s{0,20}(["'])((?:(?!\2)[^\s\\]){6,100})\2(?=\s{0,20}[,)\];\n])/y;
/** `login('me', 'form2')` may be anything; `auth=(` and a credential are a login. */
const CERTAIN = /(?:auth|credentials?)$/i;

const CONSTANT = /^[A-Z\d]+_[A-Z\d_]+$/;

/** `at`: after the name. */
export function pairedPassword(text: string, from: number, at: number): SecretSpan | null {
  PAIR.lastIndex = at;
  const value = PAIR.exec(text)?.[3];
  if (value === undefined || CONSTANT.test(value) || !isHumanPassword(value)) return null;
  if (!CERTAIN.test(text.slice(from, at)) && !/\d/.test(value)) return null;
  const to = text.indexOf(value, PAIR.lastIndex - value.length - 1) + value.length;
  return { from: to - value.length, to, rule: 'password' };
}

const COLUMNS_BEFORE = /insert\s+into\s+[\w."`[\]]{1,80}\s*\(([^()]{0,200})$/i;
const COLUMNS_BEHIND = /["`\]]?[^()]{0,200}\)\s{0,20}values\s{0,20}\(/iy;
const REACH = 300;
/** One value of a row: a quoted text, or anything without a comma. */
const VALUE = /\s{0,20}(?:N?'((?:[^'\\\n]|''){0,200})'|[^,'()]{1,100}(?:\([^()]{0,100}\))?)\s{0,20}(,|\))/y;

/** `INSERT INTO users (name, password) VALUES ('alice', '…')`: the value of the same column, in the first row. */
export function insertedPassword(text: string, from: number, at: number): SecretSpan | null {
  COLUMNS_BEHIND.lastIndex = at;
  if (!COLUMNS_BEHIND.test(text)) return null;
  const columns = COLUMNS_BEFORE.exec(text.slice(Math.max(0, from - REACH), from))?.[1];
  if (columns === undefined) return null;
  VALUE.lastIndex = COLUMNS_BEHIND.lastIndex;
  for (let before = columns.split(',').length - 1; before > 0; before -= 1) {
    if (VALUE.exec(text)?.[2] !== ',') return null;
  }
  const start = VALUE.lastIndex;
  const value = VALUE.exec(text)?.[1];
  if (value === undefined || !isHumanPassword(value)) return null;
  const begin = text.indexOf(value, start);
  return { from: begin, to: begin + value.length, rule: 'password' };
}
