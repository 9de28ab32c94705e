/**
 * Parses JSON from a worker strictly. `JSON.parse` keeps the last of two equal keys, makes an own `__proto__`, turns
 * 1e999 into Infinity and nests without limit; each of these has been used to smuggle something past a check.
 */
import type { Json } from '../../kernel/json.ts';

type JsonProblem = { readonly type: 'problem'; readonly offset: number; readonly message: string };

const MAX_BYTES = 1 << 20;
const MAX_DEPTH = 64;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

export function readStrictJson(text: string): { readonly type: 'json'; readonly value: Json } | JsonProblem {
  if (text.length > MAX_BYTES)
    return { type: 'problem', offset: MAX_BYTES, message: `is longer than ${MAX_BYTES} characters` };
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    reader.end();
    return { type: 'json', value };
  } catch (error) {
    if (error instanceof Refused) return { type: 'problem', offset: error.offset, message: error.message };
    throw error;
  }
}

class Refused extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): Json {
    this.#take(SPACE);
    if (depth > MAX_DEPTH) throw this.#refuse(`is nested deeper than ${MAX_DEPTH}`);
    const next = this.#text[this.#at];
    if (next === '{') return this.#object(depth);
    if (next === '[') return this.#array(depth);
    if (next === '"') return this.#string();
    const word = this.#take(WORD);
    if (word !== null) return word === 'null' ? null : word === 'true';
    return this.#number();
  }

  end(): void {
    this.#take(SPACE);
    if (this.#at < this.#text.length) throw this.#refuse('has something after its end');
  }

  #object(depth: number): Json {
    const entries = new Map<string, Json>();
    this.#at += 1;
    this.#take(SPACE);
    if (this.#skip('}')) return {};
    for (;;) {
      this.#take(SPACE);
      const before = this.#at;
      const key = this.#string();
      if (FORBIDDEN.has(key)) throw new Refused(before, `has the key ${JSON.stringify(key)}, which is never allowed`);
      if (entries.has(key)) throw new Refused(before, `has the key ${JSON.stringify(key)} twice`);
      this.#take(SPACE);
      if (!this.#skip(':')) throw this.#refuse('lacks a colon');
      entries.set(key, this.value(depth + 1));
      this.#take(SPACE);
      if (this.#skip('}')) return Object.fromEntries(entries);
      if (!this.#skip(',')) throw this.#refuse('lacks a comma or a closing brace');
    }
  }

  #array(depth: number): Json {
    const items: Json[] = [];
    this.#at += 1;
    this.#take(SPACE);
    if (this.#skip(']')) return items;
    for (;;) {
      items.push(this.value(depth + 1));
      this.#take(SPACE);
      if (this.#skip(']')) return items;
      if (!this.#skip(',')) throw this.#refuse('lacks a comma or a closing bracket');
    }
  }

  /** Ends at the next unescaped quote; JSON.parse, which is strict, reads the string itself. */
  #string(): string {
    const before = this.#at;
    if (!this.#skip('"')) throw this.#refuse('has no string where one belongs');
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"')
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    if (!this.#skip('"')) throw new Refused(before, 'has a string without an end');
    const value = parsedString(this.#text.slice(before, this.#at));
    if (value === null) throw new Refused(before, 'has a string with a bad escape or a raw control character');
    if (!value.isWellFormed()) throw new Refused(before, 'has half a character (a lone surrogate)');
    return value;
  }

  #number(): number {
    const before = this.#at;
    const text = this.#take(NUMBER);
    if (text === null || text === '') throw this.#refuse('has no value where one belongs');
    const value = Number(text);
    if (!Number.isFinite(value)) throw new Refused(before, `has the number ${text.slice(0, 40)}, which is not finite`);
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      throw new Refused(before, `has the number ${text.slice(0, 40)}, which is too large to be exact`);
    return value === 0 ? 0 : value;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  #skip(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #refuse(message: string): Refused {
    return new Refused(this.#at, message);
  }
}

function parsedString(text: string): string | null {
  try {
    return JSON.parse(text) as string;
  } catch {
    return null;
  }
}
