/**
 * All words of a file as numbers, to be kept: with them the terms of any later task are counted without reading the file
 * again. Only hashes of 32 bits are in it, so no text can be read out of it.
 */
import { SPREAD, Walk } from './walk.ts';

export type WordList = {
  /** Words in the file: how much it says at all. */
  readonly words: number;
  /** Of many files; those of this one stand from `from` to `to`, each once: words, then whole identifiers. */
  readonly hashes: Int32Array;
  /** How often each occurs. */
  readonly counts: Uint16Array;
  readonly from: number;
  readonly wholesAt: number;
  readonly to: number;
};

const MOST = 0xffff;

export class WordLister extends Walk {
  readonly #words = new Tally();
  readonly #wholes = new Tally();
  /** Used again for every file: two lists for each of 30,000 files take 100 MB until somebody cleans up. */
  #hashes = new Int32Array(1 << 12);
  #counts = new Uint16Array(1 << 12);

  /** Good until the next one. Null: something occurs too often to be kept. */
  list(bytes: Uint8Array): WordList | null {
    this.#words.clear();
    this.#wholes.clear();
    const words = this.walk(bytes, bytes.length);
    const wholesAt = this.#words.size;
    const to = wholesAt + this.#wholes.size;
    if (to > this.#hashes.length) [this.#hashes, this.#counts] = [new Int32Array(to * 2), new Uint16Array(to * 2)];
    const list = { words, hashes: this.#hashes, counts: this.#counts, from: 0, wholesAt, to };
    return this.#words.copy(list, 0) && this.#wholes.copy(list, wholesAt) ? list : null;
  }

  protected word(hash: number): void {
    this.#words.add(hash);
  }

  protected whole(hash: number): void {
    this.#wholes.add(hash);
  }
}

/** Counts different numbers; open addressing, at most half full. */
class Tally {
  size = 0;
  #bits = 12;
  /** Place in the lists plus one, 0 where the slot is free. */
  #slots = new Uint32Array(1 << 12);
  #hashes = new Int32Array(1 << 11);
  #counts = new Uint32Array(1 << 11);

  add(hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = Math.imul(hash, SPREAD) >>> (32 - this.#bits);
    for (let place = this.#slots[slot] as number; place !== 0; place = this.#slots[slot] as number) {
      if (this.#hashes[place - 1] === hash) {
        this.#counts[place - 1] = (this.#counts[place - 1] as number) + 1;
        return;
      }
      slot = (slot + 1) & mask;
    }
    if (this.size === this.#hashes.length) {
      this.#grow();
      this.add(hash);
      return;
    }
    this.#hashes[this.size] = hash;
    this.#counts[this.size] = 1;
    this.#slots[slot] = ++this.size;
  }

  clear(): void {
    if (this.size > 0) this.#slots.fill(0);
    this.size = 0;
  }

  /** False: a count is too large. */
  copy({ hashes, counts }: WordList, at: number): boolean {
    hashes.set(this.#hashes.subarray(0, this.size), at);
    for (let i = 0; i < this.size; i++) {
      const count = this.#counts[i] as number;
      if (count > MOST) return false;
      counts[at + i] = count;
    }
    return true;
  }

  #grow(): void {
    this.#bits += 1;
    this.#slots = new Uint32Array(1 << this.#bits);
    const [hashes, counts] = [this.#hashes, this.#counts];
    this.#hashes = new Int32Array(hashes.length * 2);
    this.#counts = new Uint32Array(counts.length * 2);
    this.#hashes.set(hashes);
    this.#counts.set(counts);
    const mask = this.#slots.length - 1;
    for (let place = 1; place <= this.size; place++) {
      let slot = Math.imul(hashes[place - 1] as number, SPREAD) >>> (32 - this.#bits);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = place;
    }
  }
}
