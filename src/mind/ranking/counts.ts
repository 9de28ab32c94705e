/** How often the terms of a task occur in files. A file is its place in a list, the same one that is ranked. */
import type { Terms } from './terms.ts';

export class WordCounts {
  readonly terms: Terms;
  /** Words in each file: how much it says at all. 0: it was not opened. */
  readonly totals: Uint32Array;
  /** For each file: a term of the list, how often it occurs, the next term and so on, in the order of the list. */
  readonly hits: (readonly number[])[];

  constructor(terms: Terms, files: number) {
    this.terms = terms;
    this.totals = new Uint32Array(files);
    this.hits = new Array<readonly number[]>(files).fill(NOTHING);
  }

  /** How many numbers it holds. */
  get size(): number {
    return this.hits.reduce((sum, { length }) => sum + length, this.totals.length);
  }

  /** Copies what is known into another list: `places` says where each file stands in it, -1 where it does not. */
  moved(places: Int32Array, files: number): WordCounts {
    const moved = new WordCounts(this.terms, files);
    for (const [file, place] of places.entries()) {
      if (place < 0) continue;
      moved.totals[place] = this.totals[file] as number;
      moved.hits[place] = this.hits[file] as readonly number[];
    }
    return moved;
  }
}

const NOTHING: readonly number[] = [];
