/** Counts the terms in files, in one pass over their bytes and without decoding. */
import { WordCounts } from './counts.ts';
import type { Term, Terms } from './terms.ts';
import { hashOf, LONGEST, Walk } from './walk.ts';
import { formsOf } from './words.ts';

type WordScanner = {
  readonly counts: WordCounts;
  /** The bytes may be reused after it returns. */
  add(file: number, bytes: Uint8Array): void;
};

/** `counts`: earlier counts, which are added to. */
export function wordScanner(terms: Terms, files: number, counts = new WordCounts(terms, files)): WordScanner {
  const counter = new Counter(terms.list);
  return {
    counts,
    add: (file, bytes) => {
      const hits: number[] = [];
      counts.totals[file] = counter.count(bytes, hits);
      counts.hits[file] = hits;
    },
  };
}

/** Hashes of a term's forms, each for the first term that has it. In the order of the terms. */
type TermKey = { readonly hash: number; readonly term: number; readonly whole: boolean };

export function keysOf(list: readonly Term[]): TermKey[] {
  const keys: TermKey[] = [];
  const taken = [new Set<number>(), new Set<number>()] as const;
  for (const [term, { key, whole }] of list.entries()) {
    for (const form of whole ? [key] : formsOf(key)) {
      const bytes = encoder.encode(form);
      if (bytes.length === 0 || bytes.length > LONGEST) continue;
      const hash = hashOf(bytes);
      const known = taken[whole ? 1 : 0];
      if (!known.has(hash)) keys.push({ hash, term, whole });
      known.add(hash);
    }
  }
  return keys;
}

const encoder = new TextEncoder();

/** Open addressing, at most a quarter full; `term` is the index in the list plus one, 0 for a free slot. */
type Table = { readonly shift: number; readonly mask: number; readonly hash: Int32Array; readonly term: Uint32Array };

function tableOf(keys: readonly TermKey[]): Table {
  let bits = 6;
  while (1 << bits < keys.length * 4) bits++;
  const size = 1 << bits;
  const table = { shift: 32 - bits, mask: size - 1, hash: new Int32Array(size), term: new Uint32Array(size) };
  for (const { hash, term } of keys) {
    let slot = Math.imul(hash, SPREAD) >>> table.shift;
    while (table.term[slot] !== 0) slot = (slot + 1) & table.mask;
    table.hash[slot] = hash;
    table.term[slot] = term + 1;
  }
  return table;
}

/** Counts the terms of one file after the other. */
class Counter {
  readonly #walk = new Walk();
  readonly #words: Table;
  readonly #wholes: Table;
  readonly #tally: Uint32Array;
  readonly #touched: Uint32Array;
  #distinct = 0;

  constructor(list: readonly Term[]) {
    const keys = keysOf(list);
    for (const { hash } of keys) this.#walk.want(hash);
    this.#words = tableOf(keys.filter(({ whole }) => !whole));
    this.#wholes = tableOf(keys.filter(({ whole }) => whole));
    this.#tally = new Uint32Array(list.length);
    this.#touched = new Uint32Array(list.length);
  }

  /** Returns the number of words. Adds each occurring term with its count, in the order of the terms. */
  count(bytes: Uint8Array, hits: number[]): number {
    const walk = this.#walk;
    const total = walk.walk(bytes, bytes.length);
    this.#look(this.#words, walk.words, walk.wordCount);
    this.#look(this.#wholes, walk.wholes, walk.wholeCount);
    this.#take(hits);
    return total;
  }

  #look({ shift, mask, hash, term }: Table, found: Int32Array, count: number): void {
    const [tally, touched] = [this.#tally, this.#touched];
    let distinct = this.#distinct;
    for (let i = 0; i < count; i++) {
      const one = found[i] as number;
      let slot = Math.imul(one, SPREAD) >>> shift;
      while (term[slot] !== 0 && hash[slot] !== one) slot = (slot + 1) & mask;
      const at = (term[slot] as number) - 1;
      if (at < 0) continue;
      if (tally[at] === 0) touched[distinct++] = at;
      tally[at] = (tally[at] as number) + 1;
    }
    this.#distinct = distinct;
  }

  #take(hits: number[]): void {
    const touched = this.#touched;
    sortFirst(touched, this.#distinct);
    for (let k = 0; k < this.#distinct; k++) {
      const at = touched[k] as number;
      hits.push(at, this.#tally[at] as number);
      this.#tally[at] = 0;
    }
    this.#distinct = 0;
  }
}

/** Insertion sort for few numbers; the library sorts many. */
function sortFirst(numbers: Uint32Array, count: number): void {
  if (count > 64) {
    numbers.subarray(0, count).sort();
    return;
  }
  for (let i = 1; i < count; i++) {
    const one = numbers[i] as number;
    let at = i;
    for (; at > 0 && (numbers[at - 1] as number) > one; at--) numbers[at] = numbers[at - 1] as number;
    numbers[at] = one;
  }
}

/** Spreads the bits of a hash. */
const SPREAD = 0x9e3779b1 | 0;
