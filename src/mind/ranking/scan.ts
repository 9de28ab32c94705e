/** Counts the terms in files, once through their bytes and without decoding them. */
import { raise } from './columns.ts';
import type { Term, Terms } from './terms.ts';
import { hashOf, LONGEST, Walk } from './walk.ts';
import { type Found, foundIn, type WordPage } from './word-pages.ts';
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
  /** The same of files whose words are known. */
  countsOf(page: WordPage): (file: number) => FileCounts;
  set(path: string, counts: FileCounts): void;
  result(): WordCounts;
};

export function wordScanner(terms: Terms): WordScanner {
  const counter = new Counter(terms.list);
  const files = new Map<string, FileCounts>();
  return {
    add: (path, bytes) => void files.set(path, counter.count(bytes)),
    countsOf: (page) => counter.countPage(page),
    set: (path, counts) => void files.set(path, counts),
    result: () => ({ terms, files }),
  };
}

/** What stands for a term in a text: hashes of its forms, each for the first term that has it. In the order of the terms. */
type Key = { readonly hash: number; readonly term: number; readonly whole: boolean };

function keysOf(list: readonly Term[]): Key[] {
  const keys: Key[] = [];
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

/** Open addressing, at most a quarter full; `term` is the place in the list plus one, 0 where the slot is free. */
type Table = { readonly shift: number; readonly mask: number; readonly hash: Int32Array; readonly term: Uint32Array };

function tableOf(keys: readonly Key[]): Table {
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
export class Counter {
  readonly #walk = new Walk();
  readonly #keys: readonly Key[];
  readonly #words: Table;
  readonly #wholes: Table;
  readonly #tally: Uint32Array;
  readonly #touched: Uint32Array;
  #distinct = 0;
  #room = new Uint32Array(0);

  constructor(list: readonly Term[]) {
    this.#keys = keysOf(list);
    this.#words = tableOf(this.#keys.filter(({ whole }) => !whole));
    this.#wholes = tableOf(this.#keys.filter(({ whole }) => whole));
    for (const { hash } of this.#keys) this.#walk.want(hash);
    this.#tally = new Uint32Array(list.length);
    this.#touched = new Uint32Array(list.length);
  }

  count(bytes: Uint8Array, size = bytes.length): FileCounts {
    const walk = this.#walk;
    const total = walk.walk(bytes, size);
    this.#look(this.#words, walk.words, walk.wordCount);
    this.#look(this.#wholes, walk.wholes, walk.wholeCount);
    return { words: total, hits: this.#hits() };
  }

  /** The same for all files of a page at once: one look to make room, one to write. */
  countPage(page: WordPage): (file: number) => FileCounts {
    const { totals } = page;
    const found = this.#keys
      .map(({ hash, term, whole }) => ({ term, ...foundIn(whole ? page.wholes : page.words, hash) }))
      .filter(({ files }) => files.length > 0);
    const starts = new Uint32Array(totals.length + 1);
    for (const { files } of found) makeRoom(starts, files);
    for (let file = 1; file < starts.length; file++) raise(starts, file, starts[file - 1] as number);
    const rows = { starts, ends: starts.slice(), hits: new Uint32Array(starts[totals.length] as number) };
    for (const one of found) write(rows, one);
    return (file) => ({
      words: totals[file] as number,
      hits: starts[file] === rows.ends[file] ? NO_HITS : rows.hits.subarray(starts[file], rows.ends[file]),
    });
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

  /** In the order of the terms, so that sums over them come out the same however they were counted. */
  #hits(): Uint32Array {
    if (this.#distinct === 0) return NO_HITS;
    const touched = this.#touched;
    sortFirst(touched, this.#distinct);
    // A list of its own for each of 30,000 files takes longer to make than to fill.
    if (this.#room.length < this.#distinct * 2) this.#room = new Uint32Array(Math.max(ROOM, this.#distinct * 2));
    const hits = this.#room.subarray(0, this.#distinct * 2);
    this.#room = this.#room.subarray(this.#distinct * 2);
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

function makeRoom(starts: Uint32Array, files: Uint16Array): void {
  for (let i = 0; i < files.length; i++) raise(starts, (files[i] as number) + 1, 2);
}

type Rows = { readonly starts: Uint32Array; readonly ends: Uint32Array; readonly hits: Uint32Array };

function write({ starts, ends, hits }: Rows, { term, files, counts }: Found & { readonly term: number }): void {
  for (let i = 0; i < files.length; i++) {
    const file = files[i] as number;
    let to = ends[file] as number;
    // Another form of the same term.
    if (to > (starts[file] as number) && hits[to - 2] === term) to -= 2;
    else ends[file] = to + 2;
    hits[to] = term;
    hits[to + 1] = (hits[to + 1] as number) + (counts[i] as number);
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

/** Spreads the bits of a hash. */
const SPREAD = 0x9e3779b1 | 0;
const ROOM = 1 << 16;
const NO_HITS = new Uint32Array(0);
