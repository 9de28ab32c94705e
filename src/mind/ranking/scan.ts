/** Counts the terms in files, once through their bytes and without decoding them. */
import type { Term, Terms } from './terms.ts';
import { hashOf, LONGEST, SPREAD, Walk } from './walk.ts';
import type { WordList } from './word-list.ts';
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
  /** The same, when all words of the file are known. */
  addList(path: string, list: WordList): void;
  result(): WordCounts;
};

export function wordScanner(terms: Terms): WordScanner {
  const counter = new Counter(terms.list);
  const files = new Map<string, FileCounts>();
  return {
    add: (path, bytes) => void files.set(path, counter.count(bytes)),
    addList: (path, list) => void files.set(path, counter.countList(list)),
    result: () => ({ terms, files }),
  };
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

/** Counts the terms of one file after the other. */
export class Counter extends Walk {
  readonly #words: Table;
  readonly #wholes: Table;
  readonly #tally: Uint32Array;
  readonly #touched: Uint32Array;
  #distinct = 0;

  constructor(list: readonly Term[]) {
    super();
    this.#words = tableOf(list, false);
    this.#wholes = tableOf(list, true);
    this.#tally = new Uint32Array(list.length);
    this.#touched = new Uint32Array(list.length);
  }

  count(bytes: Uint8Array, size = bytes.length): FileCounts {
    const words = this.walk(bytes, size);
    return { words, hits: this.#hits() };
  }

  /** The same from a list of all its words. */
  countList({ words, hashes, counts, from, wholesAt, to }: WordList): FileCounts {
    this.#lookAll(this.#words, hashes, counts, from, wholesAt);
    this.#lookAll(this.#wholes, hashes, counts, wholesAt, to);
    return { words, hits: this.#hits() };
  }

  /** Nearly all of them meet a free slot: told here, without a call. */
  #lookAll(table: Table, hashes: Int32Array, counts: Uint16Array, from: number, to: number): void {
    const { term, shift } = table;
    for (let i = from; i < to; i++) {
      const hash = hashes[i] as number;
      if (term[Math.imul(hash, SPREAD) >>> shift] !== 0) this.#look(table, hash, counts, i);
    }
  }

  protected word(hash: number): void {
    this.#look(this.#words, hash, ONCE, 0);
  }

  protected whole(hash: number): void {
    this.#look(this.#wholes, hash, ONCE, 0);
  }

  /** How often it was met stands in `counts`, and is looked at only where somebody asks for the term. */
  #look(table: Table, hash: number, counts: Uint16Array, at: number): void {
    let slot = Math.imul(hash, SPREAD) >>> table.shift;
    for (let term = table.term[slot] as number; term !== 0; term = table.term[slot] as number) {
      if (table.hash[slot] === hash) {
        const count = this.#tally[term - 1] as number;
        if (count === 0) this.#touched[this.#distinct++] = term - 1;
        this.#tally[term - 1] = count + (counts[at] as number);
        return;
      }
      slot = (slot + 1) & table.mask;
    }
  }

  /** In the order of the terms, so that sums over them come out the same however they were counted. */
  #hits(): Uint32Array {
    if (this.#distinct === 0) return NO_HITS;
    const touched = this.#touched;
    sortFirst(touched, this.#distinct);
    const hits = new Uint32Array(this.#distinct * 2);
    for (let k = 0; k < this.#distinct; k++) {
      const at = touched[k] as number;
      hits[2 * k] = at;
      hits[2 * k + 1] = this.#tally[at] as number;
      this.#tally[at] = 0;
    }
    this.#distinct = 0;
    return hits;
  }
}

/** By insertion: there are few. Many are left to the library. */
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

const ONCE = Uint16Array.of(1);
const NO_HITS = new Uint32Array(0);
