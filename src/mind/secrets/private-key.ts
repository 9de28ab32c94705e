/** Blocks of private keys (PEM, OpenSSH, PGP), with any sign before their lines: of a diff, a quote, a comment. */

import { isPlaceholder } from './harmless.ts';
import { firstMark, type SecretSpan } from './secret-span.ts';

const RULE = 'private-key';
const KEY_BEGIN = /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_END = /-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/y;
const DASHES = '-----';
const DASH = 45;
/** A key of 16,384 bits has about 13,000 characters; escaped line ends and indentation are added. */
const MOST_OF_KEY = 32_768;
const LEAST_OF_KEY = 48;
const MOST_OF_PREFIX = 16;
const IN_BODY = '\\sA-Za-z0-9+/=:,.\\\\"\'_-';
const KEY_BODY = new RegExp(`[${IN_BODY}]*`, 'y');
const ODD = new RegExp(`[^${IN_BODY}]`);

/** The whole block; without an end, as far as it looks like one. `at`: of its first dash. */
export function privateKey(text: string, at: number): SecretSpan | null {
  KEY_BEGIN.lastIndex = at;
  if (!KEY_BEGIN.test(text)) return null;
  const body = KEY_BEGIN.lastIndex;
  const most = Math.min(text.length, body + MOST_OF_KEY);
  const dashes = dashesAfter(text, body, most);
  // After a mark other text starts: its end is not the end of this key.
  const end = firstMark(text, body, Math.min(dashes ?? most, most));
  KEY_END.lastIndex = end;
  const ends = end === dashes && KEY_END.test(text);
  const piece = text.slice(body, end);
  const length = ends ? piece.length : bodyLength(piece, prefixOf(text, at));
  return isBody(piece.slice(0, length)) ? { from: at, to: ends ? KEY_END.lastIndex : body + length, rule: RULE } : null;
}

/** The last five of them: if the sign before each line is a dash, there are six. */
function dashesAfter(text: string, from: number, most: number): number | null {
  let at = text.indexOf(DASHES, from);
  if (at < 0 || at > most) return null;
  while (at < most && text.charCodeAt(at + DASHES.length) === DASH) at++;
  return at;
}

function isBody(body: string): boolean {
  const letters = body.replaceAll(/\\[nrt]|[^A-Za-z0-9+/]/g, '');
  return letters.length >= LEAST_OF_KEY && !isPlaceholder(letters.slice(0, 200));
}

/** What precedes the block on its first line, if it is short. */
function prefixOf(text: string, at: number): string {
  const head = text.slice(Math.max(0, at - MOST_OF_PREFIX), at);
  const newline = head.lastIndexOf('\n');
  return newline >= 0 || at <= MOST_OF_PREFIX ? head.slice(newline + 1).trimEnd() : '';
}

function bodyLength(piece: string, prefix: string): number {
  const pattern = ODD.test(prefix) ? new RegExp(`(?:\\n${RegExp.escape(prefix)}|[${IN_BODY}])*`, 'y') : KEY_BODY;
  pattern.lastIndex = 0;
  pattern.test(piece);
  return pattern.lastIndex;
}

/** A line of a key: a few signs or a number, then base64 to its end. */
const KEY_LINE = /^(?:[^\n]{0,24}[^\nA-Za-z0-9+/=]|[+/=]{0,2})?[A-Za-z0-9+/=]{32,128}[ \t\r]*$/;
const LAST_LINE = /^(?:[^\n]{0,24}[^\nA-Za-z0-9+/=]|[+/=]{0,2})?[A-Za-z0-9+/=]{1,128}[ \t\r]*$/;
const MOST_OF_LINE = 160;

/** A block whose start was cut off, as in a diff or a log: the lines before its end. `at`: of its first dash. */
export function keyBefore(text: string, at: number, done: number): SecretSpan | null {
  KEY_END.lastIndex = at;
  if (!KEY_END.test(text)) return null;
  const to = KEY_END.lastIndex;
  const head = text.slice(Math.max(0, at - MOST_OF_PREFIX), at);
  const last = at - head.length + head.lastIndexOf('\n') + 1;
  if (!head.includes('\n')) return null;
  const least = Math.max(done, at - MOST_OF_KEY, 0);
  let from = last;
  for (let pattern = LAST_LINE; from > least; pattern = KEY_LINE) {
    const line = text.lastIndexOf('\n', from - 2) + 1;
    if (line < least || from - line > MOST_OF_LINE || !pattern.test(text.slice(line, from - 1))) break;
    from = line;
  }
  return isBody(text.slice(from, last)) ? { from, to, rule: RULE } : null;
}
