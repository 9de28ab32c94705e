/**
 * The words of many files as one page of bytes, in the order of the words: which files have a word is told by two looks,
 * however many files there are. Numbers stand as the machine has them in memory: pages of a machine that writes them the
 * other way round are not understood, like any other damage.
 */

import type { Tallied, WordList } from './word-list.ts';

/** The first 64 bits of a blob's id: enough to tell all blobs of a repository apart. */
export type BlobKey = { readonly high: number; readonly low: number };
export const keyOf = (id: string): BlobKey => ({
  high: Number.parseInt(id.slice(0, 8), 16),
  low: Number.parseInt(id.slice(8, 16), 16),
});

/** The keys of many blobs. */
export type BlobKeys = { readonly highs: Uint32Array; readonly lows: Uint32Array };
/** `ids`: so many, one after the other. */
export function keysOfBlobs(ids: Uint8Array, count: number): BlobKeys {
  const keys = { highs: new Uint32Array(count), lows: new Uint32Array(count) };
  const size = ids.length / Math.max(1, count);
  const view = new DataView(ids.buffer, ids.byteOffset, ids.length);
  for (let n = 0; n < count; n++) {
    keys.highs[n] = view.getUint32(n * size);
    keys.lows[n] = view.getUint32(n * size + 4);
  }
  return keys;
}

/** Each hash once, in order; `starts` says from where on stand the files that have it, and how often they do. */
export type Postings = {
  readonly hashes: Uint32Array;
  readonly starts: Uint32Array;
  readonly files: Uint16Array;
  readonly counts: Uint16Array;
};

export type WordPage = {
  readonly highs: Uint32Array;
  readonly lows: Uint32Array;
  /** How many words each file has. */
  readonly totals: Uint32Array;
  readonly words: Postings;
  readonly wholes: Postings;
};

const MAGIC = 0x776f7264;
/** Another one for every change of how words are cut, hashed or written. */
const VERSION = 2;
/** Magic, version, files; then hashes and postings of words, and of whole identifiers. */
const HEAD = 7;
export const PAGE_HEAD = HEAD * 4;
/** Their numbers are 16 bits. */
const MOST_FILES = 1 << 16;
const MOST_COUNT = 0xffff;
/** A page is written when it has so many entries of a kind: about 6 MB. */
const FULL = 1 << 20;
/** Of one file; so the number of an entry never has more than 21 bits, which `Gathered.postings` needs. */
const MOST_ENTRIES = 1 << 20;

/** Gathers lists until they fill a page. */
export class PageWriter {
  #keys: BlobKey[] = [];
  #totals: number[] = [];
  readonly #words = new Gathered();
  readonly #wholes = new Gathered();

  /** Copies it, if its numbers can be written. A page comes back when this one filled it. */
  add(key: BlobKey, { total, words, wholes }: WordList): Uint8Array | null {
    if (!isPlain(words) || !isPlain(wholes)) return null;
    const file = this.#keys.length;
    this.#words.add(words, file);
    this.#wholes.add(wholes, file);
    this.#keys.push(key);
    this.#totals.push(total);
    const isFull = this.#words.size >= FULL || this.#wholes.size >= FULL || this.#keys.length >= MOST_FILES;
    return isFull ? this.end() : null;
  }

  /** What is left; null: nothing is. */
  end(): Uint8Array | null {
    if (this.#keys.length === 0) return null;
    const [words, wholes] = [this.#words.postings(), this.#wholes.postings()];
    const sizes = [words, wholes].flatMap(({ hashes, files }) => [hashes.length, files.length]);
    const head = [MAGIC, VERSION, this.#keys.length, ...sizes];
    const bytes = new Uint8Array(PAGE_HEAD + (bodySize(Uint32Array.from(head)) ?? 0));
    new Uint32Array(bytes.buffer, 0, HEAD).set(head);
    const page = pageIn(Uint32Array.from(head), bytes, PAGE_HEAD);
    for (const [n, { high, low }] of this.#keys.entries()) [page.highs[n], page.lows[n]] = [high, low];
    page.totals.set(this.#totals);
    for (const [to, from] of [[page.words, words] as const, [page.wholes, wholes] as const])
      for (const name of ['hashes', 'starts', 'files', 'counts'] as const) to[name].set(from[name]);
    [this.#keys, this.#totals] = [[], []];
    return bytes;
  }
}

const isPlain = ({ size, counts }: Tallied): boolean =>
  size <= MOST_ENTRIES && counts.subarray(0, size).every((count) => count <= MOST_COUNT);

/** Entries in the order of the files. */
class Gathered {
  size = 0;
  #hashes = new Int32Array(1 << 12);
  #files = new Uint16Array(1 << 12);
  #counts = new Uint16Array(1 << 12);

  add({ hashes, counts, size }: Tallied, file: number): void {
    const to = this.size + size;
    if (to > this.#hashes.length) this.#grow(to * 2);
    this.#hashes.set(hashes.subarray(0, size), this.size);
    this.#files.fill(file, this.size, to);
    this.#counts.set(counts.subarray(0, size), this.size);
    this.size = to;
  }

  /** Sorts by hash, then by file, and begins anew. Sorting plain numbers takes a fraction of sorting by a function. */
  postings(): Postings {
    const order = Float64Array.from({ length: this.size }, (_, n) => ((this.#hashes[n] as number) >>> 0) * 2 ** 21 + n);
    order.sort();
    const [files, counts] = [new Uint16Array(this.size), new Uint16Array(this.size)];
    const [hashes, starts] = [new Uint32Array(this.size), new Uint32Array(this.size + 1)];
    let distinct = 0;
    for (let i = 0; i < order.length; i++) {
      const n = (order[i] as number) % 2 ** 21;
      const hash = (this.#hashes[n] as number) >>> 0;
      if (i === 0 || hash !== hashes[distinct - 1]) {
        hashes[distinct] = hash;
        starts[distinct++] = i;
      }
      files[i] = this.#files[n] as number;
      counts[i] = this.#counts[n] as number;
    }
    starts[distinct] = this.size;
    this.size = 0;
    return { hashes: hashes.subarray(0, distinct), starts: starts.subarray(0, distinct + 1), files, counts };
  }

  #grow(size: number): void {
    const [hashes, files, counts] = [this.#hashes, this.#files, this.#counts];
    this.#hashes = new Int32Array(size);
    this.#files = new Uint16Array(size);
    this.#counts = new Uint16Array(size);
    this.#hashes.set(hashes);
    this.#files.set(files);
    this.#counts.set(counts);
  }
}

/** So that what follows begins at a multiple of four. */
const evenly = (postings: number): number => postings + (postings % 2);

/** Of the body that follows this head; null: it is no head of a page. */
export function bodySize(head: Uint32Array): number | null {
  const [magic, version, files = 0, ...sizes] = head;
  if (head.length < HEAD || magic !== MAGIC || version !== VERSION || files > MOST_FILES) return null;
  if (sizes.some((size) => size > FULL + MOST_ENTRIES)) return null;
  const [words = 0, inWords = 0, wholes = 0, inWholes = 0] = sizes;
  return 4 * (3 * files + 2 * (words + wholes) + 2 + evenly(inWords) + evenly(inWholes));
}

/** The page whose body begins at `at`. No number in it is trusted: whoever uses one as a place looks whether it is one. */
export function pageIn(head: Uint32Array, bytes: Uint8Array, at: number): WordPage {
  const [, , files = 0, words = 0, inWords = 0, wholes = 0, inWholes = 0] = head;
  let next = bytes.byteOffset + at;
  const numbers = (count: number) => {
    next += count * 4;
    return new Uint32Array(bytes.buffer, next - count * 4, count);
  };
  const small = (count: number) => {
    next += evenly(count) * 2;
    return new Uint16Array(bytes.buffer, next - evenly(count) * 2, count);
  };
  const postings = (hashes: number, count: number): Postings => ({
    ...{ hashes: numbers(hashes), starts: numbers(hashes + 1) },
    ...{ files: small(count), counts: small(count) },
  });
  return {
    ...{ highs: numbers(files), lows: numbers(files), totals: numbers(files) },
    ...{ words: postings(words, inWords), wholes: postings(wholes, inWholes) },
  };
}

/** The files that have a word, and how often. */
export type Found = { readonly files: Uint16Array; readonly counts: Uint16Array };
const NOWHERE: Found = { files: new Uint16Array(0), counts: new Uint16Array(0) };

export function foundIn({ hashes, starts, files, counts }: Postings, hash: number): Found {
  const at = placeOfHash(hashes, hash);
  if (at < 0) return NOWHERE;
  // `subarray` never leaves the list, whatever the two numbers are.
  const place = [starts[at], starts[at + 1]] as const;
  return { files: files.subarray(...place), counts: counts.subarray(...place) };
}

/** Where a hash stands in a list of them that is in order; -1: it is not there. */
function placeOfHash(hashes: Uint32Array, hash: number): number {
  const wanted = hash >>> 0;
  let from = 0;
  let to = hashes.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((hashes[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return hashes[from] === wanted ? from : -1;
}
