/** How often a task's terms occur in files. A file is its index in the ranked list. */
import type { Terms } from './terms.ts';

export class WordCounts {
  readonly terms: Terms;
  /** The number of words in each file; 0 if it was not opened. */
  readonly totals: Uint32Array;
  /** For each file: a term's index, its count, the next term and so on, in the order of the list. */
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

  /** Copies known counts into another list: `places` gives each file's index there, -1 if it is missing. */
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
