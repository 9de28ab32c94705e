/**
 * Finds the final text in a worker's stdout while it arrives: the second half of an adapter. Stderr is never read.
 * Memory is bounded whatever is printed, and every character is read once.
 */
import { JsonLines } from './adapters/lines.ts';
import { DOCUMENT_CHARS, SAID_CHARS } from './limits.ts';

export type FinalText =
  | {
      readonly type: 'text';
      readonly text: string;
      /** Characters of it before the stored part. */
      readonly omitted: number;
      /** Lines of jsonl that were not JSON, or too long. */
      readonly malformed: number;
    }
  | { readonly type: 'none'; readonly reason: string };

/** Smaller pieces are joined: a million of one character each must not take a hundred bytes each. */
const SMALL = 4096;

type AnswerFormat = 'text' | 'json' | 'jsonl';

export class FinalTextReader {
  readonly #format: AnswerFormat;
  readonly #pointer: string;
  readonly #keys: readonly string[];
  #parts: string[] = [];
  #length = 0;
  #omitted = 0;
  #tooLong = false;
  #last: string | null = null;
  readonly #lines = new JsonLines({
    value: (value) => {
      this.#last = textIn(value, this.#keys) ?? this.#last;
    },
  });

  constructor(format: AnswerFormat, pointer: string | undefined) {
    this.#format = format;
    this.#pointer = pointer ?? '';
    this.#keys = keysOf(this.#pointer);
  }

  add(text: string): void {
    if (this.#format === 'jsonl') this.#lines.add(text);
    else this.#keep(text);
  }

  end(): FinalText {
    if (this.#format === 'text') return finalText(this.#parts.join(''), 0, this.#omitted);
    if (this.#format === 'json') {
      if (this.#tooLong) return noText(`stdout is one JSON document of more than ${DOCUMENT_CHARS} characters`);
      const value = parsed(this.#parts.join(''));
      if (value === undefined) return noText('stdout is not one JSON document');
      this.#last = textIn(value, this.#keys);
    } else {
      this.#lines.end();
    }
    if (this.#last === null) return noText(`nothing on stdout has a text at ${this.#pointer || 'its top'}`);
    return finalText(this.#last, this.#lines.malformed);
  }

  #keep(text: string): void {
    if (text === '' || this.#tooLong) return;
    const last = this.#parts.length - 1;
    const before = this.#parts[last];
    if (before !== undefined && before.length < SMALL) this.#parts[last] = before + text;
    else this.#parts.push(text);
    this.#length += text.length;
    if (this.#format !== 'text') {
      if (this.#length <= DOCUMENT_CHARS) return;
      this.#tooLong = true;
      this.#parts = [];
      return;
    }
    for (let first = this.#parts[0]; first && this.#length - first.length >= SAID_CHARS; first = this.#parts[0]) {
      this.#parts.shift();
      this.#length -= first.length;
      this.#omitted += first.length;
    }
  }
}

/** Its end, from the start of a line: half a line could look like a fence. */
export function finalText(text: string, malformed: number, omitted = 0): FinalText {
  const over = text.length - SAID_CHARS;
  const cut = over > 0 || omitted > 0;
  const from = cut ? text.indexOf('\n', Math.max(over, 0)) + 1 || Math.max(over, 0) : 0;
  return { type: 'text', text: text.slice(from), omitted: omitted + from, malformed };
}

export const noText = (reason: string): FinalText => ({ type: 'none', reason });

const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

function textIn(value: unknown, keys: readonly string[]): string | null {
  let at = value;
  for (const key of keys) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return null;
    if (Array.isArray(at) && !/^(0|[1-9]\d*)$/.test(key)) return null;
    at = (at as Record<string, unknown>)[key];
  }
  return typeof at === 'string' ? at : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
