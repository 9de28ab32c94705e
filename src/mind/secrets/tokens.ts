/** Tokens recognised by their start, wherever they are. */

import { valueAround } from './context.ts';
import { isIdentifier, isMonotonous } from './harmless.ts';
import type { SecretSpan } from './secret-span.ts';
import { TOKEN_TABLE } from './token-table.ts';
import { surprise } from './word-entropy.ts';

type TokenRow = {
  readonly rule: string;
  readonly begins: string;
  readonly format: TokenFormat;
};
/** Compiled when a token first starts so: most never do. */
type TokenFormat = { readonly written: string; compiled?: Compiled };
type Compiled = {
  readonly rest: RegExp;
  /** What may still follow, if its length is open. */
  readonly more: RegExp | null;
};

const ALPHABETS: Readonly<Record<string, string>> = {
  d: '[0-9]',
  h: '[0-9a-fA-F]',
  a: '[0-9a-z]',
  A: '[0-9A-Z]',
  l: '[a-z]',
  w: '[0-9A-Za-z]',
  _: '[0-9A-Za-z_]',
  u: '[0-9A-Za-z_-]',
  b: '[0-9A-Za-z_/+=-]',
  x: '[0-9A-Za-z_/+=.~-]',
};
const PART = /([dhaAlw_ubx])(\d+)(\+|\.\.\d+)?/g;
/**
 * A part of open length is matched up to here, then the rest is taken: a hostile text is not walked again and again.
 */
const MOST = 400;

/** By their first two characters: `(first << 7) | second`. */
const ROWS = new Map<number, TokenRow[]>();
/** By their first three, mixed into a number; looked up at every start of a word. */
const STARTS = new Uint8Array(1 << 15);
const startOf = (first: number, second: number, third: number): number =>
  ((first & 31) << 10) ^ ((second & 127) << 5) ^ (third & 127);
for (const line of TOKEN_TABLE.trim().split('\n')) {
  const [rule = '', ...words] = line.split(/\s+/);
  const format: TokenFormat = { written: words.pop() ?? '' };
  for (const begins of words) {
    const at = (begins.charCodeAt(0) << 7) | begins.charCodeAt(1);
    const thirds = begins.length > 2 ? [begins.charCodeAt(2)] : Array.from({ length: 128 }, (_, code) => code);
    for (const third of thirds) STARTS[startOf(begins.charCodeAt(0), begins.charCodeAt(1), third)] = 1;
    const rows = ROWS.get(at);
    if (rows === undefined) ROWS.set(at, [{ rule, begins, format }]);
    else rows.push({ rule, begins, format });
  }
}

function compiled(format: string): Compiled {
  let source = '';
  let end = 0;
  let last: string | null = null;
  for (const part of format.matchAll(PART)) {
    const [whole, name = '', least = '', more = ''] = part;
    const alphabet = ALPHABETS[name] ?? '';
    const most = more === '+' ? `,${Math.max(MOST, Number(least))}` : more === '' ? '' : `,${more.slice(2)}`;
    source += `${RegExp.escape(format.slice(end, part.index))}${alphabet}{${least}${most}}`;
    last = more === '+' ? alphabet : null;
    end = part.index + whole.length;
  }
  return last === null
    ? { rest: new RegExp(`${source}(?![0-9A-Za-z_])`, 'y'), more: null }
    : { rest: new RegExp(source, 'y'), more: new RegExp(`${last}*`, 'y') };
}

/** Whether a token may start here. */
export function mayBegin(text: string, at: number): boolean {
  return STARTS[startOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2))] === 1;
}

export function tokenAt(text: string, at: number): SecretSpan | null {
  for (const { rule, begins, format } of ROWS.get((text.charCodeAt(at) << 7) | text.charCodeAt(at + 1)) ?? []) {
    if (!text.startsWith(begins, at)) continue;
    format.compiled ??= compiled(format.written);
    const { rest, more } = format.compiled;
    rest.lastIndex = at + begins.length;
    if (!rest.test(text)) continue;
    let to = rest.lastIndex;
    if (!isRandom(text.slice(at + begins.length, to), begins, more === null)) continue;
    if (more !== null) {
      if (/^[A-Z]{2,5}$/i.test(begins) && inBase64(text, at)) continue;
      more.lastIndex = to;
      to += more.exec(text)?.[0].length ?? 0;
    }
    while (text[to - 1] === '.') to--;
    return { from: at, to, rule };
  }
  return null;
}

const LINE_BEFORE = /\n([A-Za-z0-9+/]{60,76}\r?\n[A-Za-z0-9+/]*)$/;
const SAME_LINE = /(?:^|[^A-Za-z0-9+/])([A-Za-z0-9+/]*)$/;
const REACH = 160;

/**
 * Inside an image or a file in base64: `+` and `/` end no word there, and lines of 60 to 76 characters continue. Not in
 * an address, where `/` does end one.
 */
function inBase64(text: string, at: number): boolean {
  const head = text.slice(Math.max(0, at - REACH), at);
  if (head.includes('://')) return false;
  const before = (LINE_BEFORE.exec(head) ?? SAME_LINE.exec(head))?.[1] ?? '';
  return /[+/]/.test(before) && /[a-z]/.test(before) && /[A-Z]/.test(before) && surprise(before) >= 24;
}

/** The shorter the start, the more the rest has to look like a token: words start with two letters too. */
function isRandom(rest: string, begins: string, exact: boolean): boolean {
  const plain = rest.slice(0, 200);
  if (isIdentifier(plain)) return false;
  // A start of one repeated letter ends some time; in an image or a file it continues.
  if (/^(.)\1{5}/.test(begins) && plain.startsWith(begins.slice(-4))) return false;
  // Only such a token has this start and exactly this length, even if it was made up.
  if (exact && begins.length >= 6 && plain.length >= 20 && /[^a-z]$/i.test(begins)) return !/x{6}|\*{3}/i.test(plain);
  if (new Set(plain).size < 6 || /x{6}|\.\.\./i.test(plain)) return false;
  // Nothing else starts so, and long numbers are part of them.
  if (begins.startsWith('xox')) return true;
  const bits = surprise(plain);
  const share = bits / Math.min(plain.length, 40);
  if (begins.length >= 5 && /[^a-z]$/i.test(begins)) return share >= 0.4 || (begins.length >= 6 && /\d/.test(plain));
  if (begins.length >= 4) return bits >= 0.7 * Math.min(plain.length, 40);
  // A long rest of a fixed form is sufficient evidence.
  return bits >= (plain.length >= 60 ? 0.5 : 1) * Math.min(plain.length, 40) && !isMonotonous(plain);
}

/** Tokens recognised by something in their middle or at their end. */
const MARKED: readonly { readonly rule: string; readonly mark: string; readonly whole: RegExp }[] = [
  { rule: 'azure', mark: 'Q~', whole: /^[\w.~-]{3}\dQ~[\w.~-]{31,40}$/ },
  { rule: 'azure', mark: 'JQQJ99', whole: /^\w{40,60}JQQJ99\w{20,30}$/ },
  { rule: 'azure', mark: '+AStA', whole: /^[\w+/]{60,90}$/ },
  { rule: 'openai', mark: 'T3BlbkFJ', whole: /^[\w-]{40,200}$/ },
  { rule: 'terraform', mark: '.atlasv1.', whole: /^\w{10,20}\.atlasv1\.[\w-]{10,}$/ },
  { rule: 'discord', mark: '.', whole: /^[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,45}$/ },
  { rule: 'maxmind', mark: '_mmk', whole: /^\w{6}_\w{29}_mmk$/ },
  { rule: 'mailchimp', mark: '-us', whole: /^[0-9a-f]{32}-us\d{1,2}$/ },
];

/** The word from `from` to `to`, if it is one of these. */
export function markedToken(text: string, from: number, to: number): SecretSpan | null {
  if (to - from < 30 || to - from > 250) return null;
  const word = text.slice(from, to);
  const found = MARKED.find(({ mark, whole }) => word.includes(mark) && whole.test(word));
  return found === undefined ? null : { from, to: valueAround(text, from, to).to, rule: found.rule };
}
