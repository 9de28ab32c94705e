/**
 * Word lists of many files as bytes, in pages of some megabytes that are read one at a time. Numbers are as this machine
 * has them in memory: pages of a machine that writes them the other way round are not understood, like any other damage.
 */
import type { WordList } from './word-list.ts';

/** The first 64 bits of a blob's id: enough to tell all blobs of a repository apart. */
export type BlobKey = { readonly high: number; readonly low: number };
export const keyOf = (id: string): BlobKey => ({
  high: Number.parseInt(id.slice(0, 8), 16),
  low: Number.parseInt(id.slice(8, 16), 16),
});

const MAGIC = 0x776f7264;
/** Another one for every change of how words are cut, hashed or written. */
const VERSION = 1;
const HEAD = 4;
/** Bytes of the head of a page. */
export const PAGE_HEAD = HEAD * 4;
const MOST_FILES = 1 << 20;
const MOST_ENTRIES = 1 << 24;
/** A page is written when it has so many entries: 6 MB. */
const FULL = 1 << 20;

export type Kept = { readonly key: BlobKey; readonly list: WordList };

/** Gathers lists until they fill a page. */
export class PageWriter {
  #files: { readonly key: BlobKey; readonly words: number; readonly wholesAt: number; readonly to: number }[] = [];
  #hashes = new Int32Array(1 << 12);
  #counts = new Uint16Array(1 << 12);
  #entries = 0;

  /** Copies it. A page comes back when this one filled it. */
  add({ key, list }: Kept): Uint8Array | null {
    const at = this.#entries;
    const to = at + list.to - list.from;
    if (to > this.#hashes.length) this.#grow(to);
    this.#hashes.set(list.hashes.subarray(list.from, list.to), at);
    this.#counts.set(list.counts.subarray(list.from, list.to), at);
    this.#files.push({ key, words: list.words, wholesAt: at + list.wholesAt - list.from, to });
    this.#entries = to;
    return to >= FULL || this.#files.length >= MOST_FILES ? this.end() : null;
  }

  /** What is left; null: nothing is. */
  end(): Uint8Array | null {
    if (this.#files.length === 0) return null;
    const page = this.#page();
    [this.#files, this.#entries] = [[], 0];
    return page;
  }

  #grow(least: number): void {
    const [hashes, counts] = [this.#hashes, this.#counts];
    this.#hashes = new Int32Array(Math.max(least, hashes.length * 2));
    this.#counts = new Uint16Array(this.#hashes.length);
    this.#hashes.set(hashes);
    this.#counts.set(counts);
  }

  #page(): Uint8Array {
    const [files, entries] = [this.#files, this.#entries];
    const bytes = new Uint8Array(PAGE_HEAD + bodyBytes(files.length, entries));
    new Uint32Array(bytes.buffer, 0, HEAD).set([MAGIC, VERSION, files.length, entries]);
    const { highs, lows, words, wholesAt, starts, hashes, counts } = columns(bytes, PAGE_HEAD, files.length, entries);
    for (const [n, file] of files.entries()) {
      highs[n] = file.key.high;
      lows[n] = file.key.low;
      words[n] = file.words;
      wholesAt[n] = file.wholesAt;
      starts[n + 1] = file.to;
    }
    hashes.set(this.#hashes.subarray(0, entries));
    counts.set(this.#counts.subarray(0, entries));
    return bytes;
  }
}

/** Of the body that follows this head; null: it is no head of a page. */
export function bodySize(head: Uint8Array): number | null {
  if (head.length < PAGE_HEAD) return null;
  const [magic, version, files = 0, entries = 0] = new Uint32Array(head.slice(0, PAGE_HEAD).buffer);
  if (magic !== MAGIC || version !== VERSION || files > MOST_FILES || entries > MOST_ENTRIES) return null;
  return bodyBytes(files, entries);
}

const bodyBytes = (files: number, entries: number): number => (files * 5 + 1) * 4 + entries * 4 + evenly(entries) * 2;
/** So that the next page begins at a multiple of four. */
const evenly = (entries: number): number => entries + (entries % 2);

/**
 * Shows each list of a page, good until `each` returns; `at` says where the body begins in `bytes`. False: it is damaged.
 * No length in it is trusted.
 */
export function eachList(
  head: Uint8Array,
  bytes: Uint8Array,
  at: number,
  each: (high: number, low: number, list: WordList) => void,
): boolean {
  const [, , files = 0, entries = 0] = new Uint32Array(head.slice(0, PAGE_HEAD).buffer);
  const { highs, lows, words, wholesAt, starts, hashes, counts } = columns(bytes, at, files, entries);
  for (let n = 0; n < files; n++) {
    const [from, split, to] = [starts[n] as number, wholesAt[n] as number, starts[n + 1] as number];
    if (from > split || split > to || to > entries) return false;
    const list = { words: words[n] as number, hashes, counts, from, wholesAt: split, to };
    each(highs[n] as number, lows[n] as number, list);
  }
  return true;
}

function columns(bytes: Uint8Array, at: number, files: number, entries: number) {
  let next = bytes.byteOffset + at;
  const numbers = (count: number) => {
    const column = new Uint32Array(bytes.buffer, next, count);
    next += count * 4;
    return column;
  };
  const [highs, lows, words, wholesAt] = [numbers(files), numbers(files), numbers(files), numbers(files)];
  const starts = numbers(files + 1);
  const hashes = new Int32Array(bytes.buffer, next, entries);
  return {
    highs,
    lows,
    words,
    wholesAt,
    starts,
    hashes,
    counts: new Uint16Array(bytes.buffer, next + entries * 4, entries),
  };
}
