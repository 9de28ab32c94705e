/** How often the terms of a task occur in files. A file is its place in a list, the same one that is ranked. */
import type { Terms } from './terms.ts';

/** Which file a place of a page is about, -1 where it is none; and the next file with the same content. */
export type Placed = { readonly firsts: Int32Array; readonly nexts: Int32Array };

/** Where in the page a term occurs, and how often. */
type AddAll = (term: number, places: Uint16Array, counts: ArrayLike<number>) => void;

export class WordCounts {
  readonly terms: Terms;
  /** Words in each file: how much it says at all. */
  readonly totals: Uint32Array;
  /** Entries: a term of the list, a file, how often. The terms of one file in order. */
  #terms = new Uint16Array(ROOM);
  #files = new Uint32Array(ROOM);
  #counts = new Uint32Array(ROOM);
  #size = 0;
  /** Where entries of another term begin. */
  readonly #runs: number[] = [];
  /** Where the entries of a section begin, and in which section those of each file are: they are looked for only there. */
  readonly #sections: number[] = [0];
  readonly #sectionOf: Uint16Array;

  constructor(terms: Terms, files: number) {
    this.terms = terms;
    this.totals = new Uint32Array(files);
    this.#sectionOf = new Uint16Array(files);
  }

  get size(): number {
    return this.#size;
  }

  add(term: number, file: number, count: number): void {
    if (this.#size === this.#files.length) this.#grow(this.#size * 2);
    const at = this.#size++;
    if (at === 0 || this.#terms[at - 1] !== term) this.#runs.push(at);
    this.#terms[at] = term;
    this.#files[at] = file;
    this.#counts[at] = count;
  }

  /** The files of a page, which have their entries in a section of their own; what is added after it, in the next one. */
  addPage({ firsts, nexts }: Placed, totals: Uint32Array, add: (all: AddAll) => void): void {
    const section = Math.min(this.#sections.push(this.#size) - 1, LAST_SECTION);
    const [own, sectionOf] = [this.totals, this.#sectionOf];
    for (let place = 0; place < firsts.length; place++) {
      for (let file = firsts[place] as number; file >= 0; file = nexts[file] as number) {
        own[file] = totals[place] as number;
        sectionOf[file] = section;
      }
    }
    add((term, places, counts) => this.#addAll(term, places, counts, firsts, nexts));
    this.#sections.push(this.#size);
  }

  /** Here and not by `add`: there are many. */
  #addAll(term: number, places: Uint16Array, often: ArrayLike<number>, firsts: Int32Array, nexts: Int32Array): void {
    let at = this.#size;
    for (let n = 0; n < places.length; n++) {
      for (let file = firsts[places[n] as number] ?? -1; file >= 0; file = nexts[file] as number) {
        if (at === this.#files.length) this.#grow(at * 2);
        this.#files[at] = file;
        this.#counts[at++] = often[n] as number;
      }
    }
    if (at === this.#size) return;
    this.#runs.push(this.#size);
    this.#terms.fill(term, this.#size, at);
    this.#size = at;
  }

  get entries(): { readonly terms: Uint16Array; readonly files: Uint32Array; readonly counts: Uint32Array } {
    const size = this.#size;
    return {
      terms: this.#terms.subarray(0, size),
      files: this.#files.subarray(0, size),
      counts: this.#counts.subarray(0, size),
    };
  }

  /** Where entries of the same term begin, and the end. */
  get runs(): readonly number[] {
    return [...this.#runs, this.#size];
  }

  /** Which terms a file has, in order, and how often. */
  hitsOf(file: number): { readonly term: number; readonly count: number }[] {
    const { terms, files, counts } = this.entries;
    const section = this.#sectionOf[file] as number;
    const isPage = section > 0 && section < LAST_SECTION;
    const [from, to] = isPage ? [this.#sections[section] as number, this.#sections[section + 1]] : [0];
    const some = files.subarray(from, to);
    const hits: { term: number; count: number }[] = [];
    for (let at = some.indexOf(file); at >= 0; at = some.indexOf(file, at + 1))
      hits.push({ term: terms[from + at] as number, count: counts[from + at] as number });
    return hits;
  }

  /** The same for another list: `places` says where each file stands in it, -1 where it does not. */
  moved(places: Int32Array, files: number): WordCounts {
    const moved = new WordCounts(this.terms, files);
    for (const [file, place] of places.entries()) if (place >= 0) moved.totals[place] = this.totals[file] as number;
    const entries = this.entries;
    for (let at = 0; at < this.#size; at++) {
      const place = places[entries.files[at] as number] as number;
      if (place >= 0) moved.add(entries.terms[at] as number, place, entries.counts[at] as number);
    }
    return moved;
  }

  #grow(size: number): void {
    const [terms, files, counts] = [this.#terms, this.#files, this.#counts];
    this.#terms = new Uint16Array(size);
    this.#files = new Uint32Array(size);
    this.#counts = new Uint32Array(size);
    this.#terms.set(terms);
    this.#files.set(files);
    this.#counts.set(counts);
  }
}

const ROOM = 1 << 14;
/** Files of later ones are looked for everywhere, as those of none are. */
const LAST_SECTION = 0xffff;
