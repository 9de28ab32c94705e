/** Counts the terms in files, once through their bytes and without decoding them. */
import { raise } from './columns.ts';
import { type Placed, WordCounts } from './counts.ts';
import type { Term, Terms } from './terms.ts';
import { hashOf, LONGEST, Walk } from './walk.ts';
import { type Found, foundIn, type WordPage } from './word-pages.ts';
import { formsOf } from './words.ts';

export type WordScanner = {
  readonly counts: WordCounts;
  /** The bytes may be reused when it returns. */
  add(file: number, bytes: Uint8Array): void;
  /** The same of files whose words are known. */
  addPage(page: WordPage, placed: Placed): void;
};

/** `counts`: what is known already, which is added to. */
export function wordScanner(terms: Terms, files: number, counts = new WordCounts(terms, files)): WordScanner {
  const counter = new Counter(terms.list);
  return {
    counts,
    add: (file, bytes) => {
      counts.totals[file] = counter.count(bytes, (term, count) => counts.add(term, file, count));
    },
    addPage: (page, placed) => counts.addPage(placed, page.totals, (add) => counter.countPage(page, add)),
  };
}

/** What stands for a term in a text: hashes of its forms, each for the first term that has it. In the order of the terms. */
export type Key = { readonly hash: number; readonly term: number; readonly whole: boolean };

export function keysOf(list: readonly Term[]): Key[] {
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

/** Told in the order of the terms, so that sums over them come out the same however they were counted. */
type Tell = (term: number, count: number) => void;

/** Counts the terms of one file after the other. */
export class Counter {
  readonly #keys: readonly Key[];
  readonly #tally: Uint32Array;
  readonly #touched: Uint32Array;
  #distinct = 0;
  #tools: { readonly walk: Walk; readonly words: Table; readonly wholes: Table } | null = null;

  constructor(list: readonly Term[]) {
    this.#keys = keysOf(list);
    this.#tally = new Uint32Array(list.length);
    this.#touched = new Uint32Array(list.length);
  }

  /** How many words there are. */
  count(bytes: Uint8Array, tell: Tell): number {
    const { walk, words, wholes } = this.#walking();
    const total = walk.walk(bytes, bytes.length);
    this.#look(words, walk.words, walk.wordCount);
    this.#look(wholes, walk.wholes, walk.wholeCount);
    this.#tell(tell);
    return total;
  }

  /** Nobody needs them where the words of all files are known. */
  #walking() {
    if (this.#tools !== null) return this.#tools;
    const walk = new Walk();
    for (const { hash } of this.#keys) walk.want(hash);
    const words = tableOf(this.#keys.filter(({ whole }) => !whole));
    const wholes = tableOf(this.#keys.filter(({ whole }) => whole));
    this.#tools = { walk, words, wholes };
    return this.#tools;
  }

  /** The same for all files of a page at once. */
  countPage(page: WordPage, tell: (term: number, files: Uint16Array, counts: ArrayLike<number>) => void): void {
    const times = new Uint32Array(page.totals.length);
    for (let at = 0; at < this.#keys.length; ) {
      const { term } = this.#keys[at] as Key;
      const forms: Found[] = [];
      for (; this.#keys[at]?.term === term; at++) {
        const { hash, whole } = this.#keys[at] as Key;
        const found = foundIn(whole ? page.wholes : page.words, hash);
        if (found.files.length > 0) forms.push(found);
      }
      if (forms.length === 0) continue;
      const { files, counts } = forms.length === 1 ? (forms[0] as Found) : joined(forms, times);
      tell(term, files, counts);
    }
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

  #tell(tell: Tell): void {
    const touched = this.#touched;
    sortFirst(touched, this.#distinct);
    for (let k = 0; k < this.#distinct; k++) {
      const at = touched[k] as number;
      tell(at, this.#tally[at] as number);
      this.#tally[at] = 0;
    }
    this.#distinct = 0;
  }
}

/** The forms of one term, as if they were one word. `times` has a place for each file of the page, all 0. */
function joined(forms: readonly Found[], times: Uint32Array) {
  const all = new Uint16Array(forms.reduce((sum, { files }) => sum + files.length, 0));
  let size = 0;
  for (const { files, counts } of forms) {
    for (let n = 0; n < files.length; n++) {
      const file = files[n] as number;
      if (times[file] === 0) all[size++] = file;
      raise(times, file, counts[n] as number);
    }
  }
  const files = all.subarray(0, size);
  const counts = Uint32Array.from(files, (file) => times[file] ?? 0);
  for (const file of files) times[file] = 0;
  return { files, counts };
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
