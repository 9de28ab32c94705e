/**
 * All words of a file as numbers, to be kept: with them the terms of any later task are counted without reading the file
 * again. Only hashes of 32 bits are in it, so no text can be read out of it.
 */
import { Walk } from './walk.ts';

/** Different hashes, and how often each occurs. */
export type Tallied = { readonly hashes: Int32Array; readonly counts: Uint32Array; readonly size: number };

export type WordList = {
  /** Words in the file: how much it says at all. */
  readonly total: number;
  /** Inside of identifiers. */
  readonly words: Tallied;
  /** Whole identifiers. */
  readonly wholes: Tallied;
};

/** The lists are used again for every file: two new ones for each of 30,000 take 100 MB until somebody cleans up. */
export class WordLister {
  readonly #walk = new Walk();
  readonly #words = new Tally();
  readonly #wholes = new Tally();

  constructor() {
    this.#walk.wantAll();
  }

  /** Good until the next one. */
  list(bytes: Uint8Array): WordList {
    const walk = this.#walk;
    const total = walk.walk(bytes, bytes.length);
    this.#words.take(walk.words, walk.wordCount);
    this.#wholes.take(walk.wholes, walk.wholeCount);
    return { total, words: this.#words, wholes: this.#wholes };
  }
}

/** Spreads the bits of a hash. */
const SPREAD = 0x9e3779b1 | 0;

/** Open addressing, at most half full. */
class Tally implements Tallied {
  size = 0;
  hashes = new Int32Array(1 << 11);
  counts = new Uint32Array(1 << 11);
  #bits = 12;
  /** Place in the lists plus one, 0 where the slot is free. */
  #slots = new Uint32Array(1 << 12);

  take(all: Int32Array, count: number): void {
    // Room for the case that all differ: then nothing moves on the way.
    if (count > this.hashes.length) {
      this.#bits = Math.ceil(Math.log2(count)) + 1;
      this.#slots = new Uint32Array(1 << this.#bits);
      [this.hashes, this.counts] = [new Int32Array(1 << (this.#bits - 1)), new Uint32Array(1 << (this.#bits - 1))];
    } else if (this.size > 0) this.#slots.fill(0);
    const { hashes, counts } = this;
    const slots = this.#slots;
    const [shift, mask] = [32 - this.#bits, slots.length - 1];
    let size = 0;
    for (let i = 0; i < count; i++) {
      const hash = all[i] as number;
      let slot = Math.imul(hash, SPREAD) >>> shift;
      let place = slots[slot] as number;
      while (place !== 0 && hashes[place - 1] !== hash) {
        slot = (slot + 1) & mask;
        place = slots[slot] as number;
      }
      if (place === 0) {
        hashes[size] = hash;
        counts[size] = 0;
        place = ++size;
        slots[slot] = place;
      }
      counts[place - 1] = (counts[place - 1] as number) + 1;
    }
    this.size = size;
  }
}
