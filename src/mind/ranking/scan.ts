/** Counts the terms in files, once through their bytes and without decoding them. */
import type { Term, Terms } from './terms.ts';
import { formsOf } from './words.ts';

export type FileCounts = {
  /** Words in the file: how much it says at all. */
  readonly words: number;
  /** Pairs: which term of the list, and how often. Only terms that occur. */
  readonly hits: Uint32Array;
};

export type WordCounts = { readonly terms: Terms; readonly files: ReadonlyMap<string, FileCounts> };

export type WordScanner = {
  /** The bytes may be reused when it returns. */
  add(path: string, bytes: Uint8Array): void;
  result(): WordCounts;
};

export function wordScanner(terms: Terms): WordScanner {
  const counter = new Counter(terms.list);
  const files = new Map<string, FileCounts>();
  return {
    add: (path, bytes) => void files.set(path, counter.count(bytes)),
    result: () => ({ terms, files }),
  };
}

/** A polynomial modulo 2^32: the hash of a part of an identifier follows from the hashes at its two ends. */
const BASE = 0x01000193;
const LONGEST = 64;
const POWERS = new Int32Array(LONGEST + 1).fill(1);
for (let i = 1; i <= LONGEST; i++) POWERS[i] = Math.imul(POWERS[i - 1] as number, BASE);

/** In this order, for the loops compare: what ends a word, what may begin one, what goes on in one. */
const OTHER = 0;
const JOIN = 1;
const UPPER = 2;
const LOWER = 3;
const DIGIT = 4;
const CLASSES = new Uint8Array(256);
for (let c = 0; c < 256; c++) {
  if ((c >= 97 && c <= 122) || c >= 128) CLASSES[c] = LOWER;
  else if (c >= 65 && c <= 90) CLASSES[c] = UPPER;
  else if (c >= 48 && c <= 57) CLASSES[c] = DIGIT;
  else if (c === 95 || c === 45) CLASSES[c] = JOIN;
}

/** Open addressing, at most a quarter full; `term` is the place in the list plus one, 0 where the slot is free. */
type Table = { readonly shift: number; readonly mask: number; readonly hash: Int32Array; readonly term: Uint32Array };

function tableOf(list: readonly Term[], whole: boolean): Table {
  const keys: [number, number][] = [];
  const taken = new Set<number>();
  for (const [at, term] of list.entries()) {
    if (term.whole !== whole) continue;
    for (const form of whole ? [term.key] : formsOf(term.key)) {
      const bytes = new TextEncoder().encode(form);
      if (bytes.length === 0 || bytes.length > LONGEST) continue;
      const hash = hashOf(bytes);
      if (!taken.has(hash)) keys.push([hash, at + 1]);
      taken.add(hash);
    }
  }
  let bits = 6;
  while (1 << bits < keys.length * 4) bits++;
  const size = 1 << bits;
  const table = { shift: 32 - bits, mask: size - 1, hash: new Int32Array(size), term: new Uint32Array(size) };
  for (const [hash, term] of keys) {
    let slot = Math.imul(hash, SPREAD) >>> table.shift;
    while (table.term[slot] !== 0) slot = (slot + 1) & table.mask;
    table.hash[slot] = hash;
    table.term[slot] = term;
  }
  return table;
}

const SPREAD = 0x9e3779b1 | 0;

function hashOf(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) hash = (Math.imul(hash, BASE) + byte) | 0;
  return hash;
}

/** State of the file that is counted: plain fields, for captured variables cost a third of the speed. */
class Counter {
  readonly #words: Table;
  readonly #wholes: Table;
  readonly #tally: Uint32Array;
  readonly #touched: Uint32Array;
  #distinct = 0;

  constructor(list: readonly Term[]) {
    this.#words = tableOf(list, false);
    this.#wholes = tableOf(list, true);
    this.#tally = new Uint32Array(list.length);
    this.#touched = new Uint32Array(list.length);
  }

  count(b: Uint8Array): FileCounts {
    const words = this.#words;
    const n = b.length;
    let total = 0;
    let i = 0;
    while (i < n) {
      let kind = CLASSES[b[i] as number] as number;
      if (kind <= JOIN) {
        i++;
        continue;
      }
      // The hash runs through the whole identifier; that of a word in it follows from `from`, where the word began.
      let hash = 0;
      let joins = 0;
      const first = i;
      for (;;) {
        let start = i;
        let from = hash;
        if (kind === UPPER) {
          let last = hash;
          do {
            last = hash;
            hash = (Math.imul(hash, BASE) + ((b[i] as number) | 32)) | 0;
            kind = ++i < n ? (CLASSES[b[i] as number] as number) : OTHER;
          } while (kind === UPPER);
          // In `HTTPServer` the last capital belongs to the next word.
          if (kind === LOWER && i - start > 1) {
            const length = i - 1 - start;
            if (length > 1) {
              total++;
              if (length <= LONGEST) this.#look(words, (last - Math.imul(from, POWERS[length] as number)) | 0);
            }
            from = last;
            start = i - 1;
          }
        }
        while (kind >= LOWER) {
          hash = (Math.imul(hash, BASE) + (b[i] as number)) | 0;
          kind = ++i < n ? (CLASSES[b[i] as number] as number) : OTHER;
        }
        const length = i - start;
        if (length > 1) {
          total++;
          if (length <= LONGEST) this.#look(words, (hash - Math.imul(from, POWERS[length] as number)) | 0);
        }
        if (kind === UPPER) continue;
        if (kind === OTHER) break;
        kind = i + 1 < n ? (CLASSES[b[i + 1] as number] as number) : OTHER;
        if (kind <= JOIN) break;
        joins++;
        i++;
      }
      if (i - first - joins <= LONGEST) this.#look(this.#wholes, hash);
    }
    return { words: total, hits: this.#hits() };
  }

  #look(table: Table, hash: number): void {
    let slot = Math.imul(hash, SPREAD) >>> table.shift;
    for (let term = table.term[slot] as number; term !== 0; term = table.term[slot] as number) {
      if (table.hash[slot] === hash) {
        const at = term - 1;
        const count = this.#tally[at] as number;
        if (count === 0) this.#touched[this.#distinct++] = at;
        this.#tally[at] = count + 1;
        return;
      }
      slot = (slot + 1) & table.mask;
    }
  }

  #hits(): Uint32Array {
    const hits = new Uint32Array(this.#distinct * 2);
    for (let k = 0; k < this.#distinct; k++) {
      const at = this.#touched[k] as number;
      hits[2 * k] = at;
      hits[2 * k + 1] = this.#tally[at] as number;
      this.#tally[at] = 0;
    }
    this.#distinct = 0;
    return hits;
  }
}
