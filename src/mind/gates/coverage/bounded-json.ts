/**
 * Parses a JSON report piece by piece, one entry of an object at a time. `JSON.parse` of a whole hostile report of 50
 * MB would end the process: it turns each `[],` into 60 bytes of memory.
 */
import { UnusableReport } from './collect.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 32;
/**
 * Brackets and commas of one parsed piece. A source file of 100 000 statements has about 700 000 in Istanbul's report.
 */
const MAX_MARKS = 1_000_000;
const MAX_KEYS = 200_000;

const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [code('"'), code('\\'), code(',')];
const OPENING = new Set([code('{'), code('[')]);
const CLOSING = new Set([code('}'), code(']')]);
// Every repetition is bounded: see xml.ts.
const SPACE = /[ \t\r\n]{0,1000}/y;
const WORD = /[\w.+-]{1,40}/y;

/** A piece of the text: where a value starts and ends, and its brackets and commas. */
type JsonPiece = { readonly from: number; readonly to: number; readonly marks: number };

/** The entries of the object that is the whole text. */
export function* reportEntries(text: string): Generator<readonly [string, JsonPiece]> {
  const from = afterSpace(text, text.startsWith('\ufeff') ? 1 : 0);
  const whole = pieceAt(text, from);
  if (afterSpace(text, whole.to) < text.length) throw notJson();
  yield* entriesOf(text, whole);
}

/** The entries of an object within the text. Values are not parsed: `parsed` does that. */
export function* entriesOf(text: string, { from, to }: JsonPiece): Generator<readonly [string, JsonPiece]> {
  if (text[from] !== '{') throw new UnusableReport('it is not the JSON object that was expected');
  const keys = new Set<string>();
  let at = afterSpace(text, from + 1);
  if (text[at] === '}') return;
  for (;;) {
    const key = pieceAt(text, at);
    const name = parsed(text, key);
    if (typeof name !== 'string') throw notJson();
    if (keys.has(name)) throw new UnusableReport('it has the same key twice');
    if (keys.size >= MAX_KEYS) throw new UnusableReport(`it has an object with more than ${MAX_KEYS} keys`);
    keys.add(name);
    at = afterSpace(text, key.to);
    if (text[at] !== ':') throw notJson();
    const value = pieceAt(text, afterSpace(text, at + 1));
    yield [name, value];
    at = afterSpace(text, value.to);
    if (text[at] === '}' && at + 1 === to) return;
    if (text[at] !== ',') throw notJson();
    at = afterSpace(text, at + 1);
  }
}

export function parsed(text: string, { from, to, marks }: JsonPiece): unknown {
  if (marks > MAX_MARKS) throw new UnusableReport(`one of its files has more than ${MAX_MARKS} values`);
  try {
    return JSON.parse(text.slice(from, to)) as unknown;
  } catch {
    throw notJson();
  }
}

export function recordOf(value: unknown, what: string): JsonRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnusableReport(`${what} is missing or not an object`);
  return value as JsonRecord;
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new UnusableReport(`${what} is missing or not a list`);
  return value;
}

/** An own field: `__proto__` and other inherited names are none. */
export const fieldOf = (record: JsonRecord, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

const notJson = (): UnusableReport => new UnusableReport('it is not well-formed JSON: it is truncated, or not JSON');

function afterSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(text)?.[0].length ?? 0);
}

/** Finds the end of a value by its brackets; parsing shows whether it is valid JSON. */
function pieceAt(text: string, from: number): JsonPiece {
  let depth = 0;
  let marks = 0;
  let at = from;
  do {
    const next = text.charCodeAt(at);
    if (next === QUOTE) at = endOfString(text, at);
    else if (OPENING.has(next)) {
      depth += 1;
      marks += 1;
    } else if (CLOSING.has(next)) depth -= 1;
    else if (next === COMMA) marks += 1;
    else if (depth === 0) at = endOfWord(text, at);
    if (depth > MAX_DEPTH) throw new UnusableReport(`it is nested deeper than ${MAX_DEPTH}`);
    if (depth < 0 || at >= text.length) throw notJson();
    at += 1;
  } while (depth > 0);
  return { from, to: at, marks };
}

/** The place of its last character. */
function endOfWord(text: string, from: number): number {
  WORD.lastIndex = from;
  const word = WORD.exec(text)?.[0];
  if (word === undefined) throw notJson();
  return from + word.length - 1;
}

/** The place of the closing quote; the end of the text if there is none. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
