/**
 * What words each blob of a repository has, kept on disk by the id of the blob: a process that packs for the first time
 * reads this file and the blobs that are new, not all files again. It holds hashes of words and never a text, and it only
 * decides an order, so nothing is lost when it is damaged or gone: what is not understood is cut off and made anew.
 *
 * Several processes may add at once: a page is appended by one write. Two that add the same blob add it twice, which does
 * no harm; the first one counts.
 */
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TreeFile } from '../../engine/ports/project-tree.ts';
import type { WordList } from '../../mind/ranking/word-list.ts';
import { bodySize, keyOf, PAGE_HEAD, PageWriter, pageIn, type WordPage } from '../../mind/ranking/word-pages.ts';

/** Kubernetes (31,000 files) takes 50 MB; more of it is for blobs of the past. */
const MOST_BYTES = 256 << 20;
/** Every packet may add a small page, and each is looked through: with more of them all words are listed anew. */
const MOST_PAGES = 100;
const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;

/** Shows the files of a page that are wanted, and where in the page each stands. */
export type EachFile = (each: (file: TreeFile, place: number) => void) => void;

export class WordFile {
  readonly #file: string;
  readonly #most: number;
  /** So far the file is understood. */
  #good = 0;
  #isDamaged = false;
  #pageCount = 0;
  #blobs = 0;
  #used = 0;

  constructor(file: string, most = MOST_BYTES) {
    this.#file = file;
    this.#most = most;
  }

  /** Shows what is known, each page good until `see` returns; the files that nothing is known of come back. */
  read(files: readonly TreeFile[], see: (page: WordPage, each: EachFile) => void): readonly TreeFile[] {
    const wanted = new Wanted(files);
    [this.#good, this.#isDamaged, this.#pageCount, this.#blobs, this.#used] = [0, false, 0, 0, 0];
    let fd: number;
    try {
      fd = openSync(this.#file, O_RDONLY | O_NOFOLLOW);
    } catch {
      return files;
    }
    try {
      this.#pages(fd, (page) => {
        const { highs, lows } = page;
        this.#blobs += highs.length;
        see(page, (each) => {
          for (let place = 0; place < highs.length; place++) {
            const first = wanted.take(highs[place] as number, lows[place] as number);
            if (first >= 0) this.#used += 1;
            for (let n = first; n >= 0; n = wanted.next(n)) each(files[n] as TreeFile, place);
          }
        });
      });
    } finally {
      closeSync(fd);
    }
    return files.filter((_, n) => !wanted.isDone(n));
  }

  #pages(fd: number, see: (page: WordPage) => void): void {
    const { size } = fstatSync(fd);
    const head = new Uint32Array(PAGE_HEAD / 4);
    let room = new Uint8Array(0);
    while (this.#good < size) {
      const body = readSync(fd, head, 0, PAGE_HEAD, this.#good) === PAGE_HEAD ? bodySize(head) : null;
      const next = this.#good + PAGE_HEAD + (body ?? 0);
      this.#isDamaged = body === null || next > size;
      if (body === null || next > size) return;
      if (room.length < body) room = new Uint8Array(body);
      this.#isDamaged = readSync(fd, room, 0, body, this.#good + PAGE_HEAD) !== body;
      if (this.#isDamaged) return;
      see(pageIn(head, room, 0));
      this.#pageCount += 1;
      this.#good = next;
    }
  }

  /** Adds to what is kept, after a `read`. Not being able to is no reason to fail: the next one reads a little more. */
  adder(): { add(file: TreeFile, list: WordList): void; end(): void } {
    const pages = new PageWriter();
    let fd: number | null = null;
    const write = (page: Uint8Array | null) => {
      if (page === null) return;
      try {
        fd ??= this.#open();
        if (fstatSync(fd).size + page.length > this.#most) this.#forget(fd);
        else writeSync(fd, page);
      } catch {
        // A full disk, for example.
      }
    };
    return {
      add: ({ id }, list) => write(pages.add(keyOf(id), list)),
      end: () => {
        write(pages.end());
        if (fd !== null) closeSync(fd);
      },
    };
  }

  #open(): number {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const fd = openSync(this.#file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    if (this.#pageCount > MOST_PAGES) ftruncateSync(fd, 0);
    else if (this.#isDamaged) ftruncateSync(fd, this.#good);
    return fd;
  }

  /** Full: begun anew when most of it is of the past, else nothing more is added. */
  #forget(fd: number): void {
    if (this.#used * 2 < this.#blobs) ftruncateSync(fd, 0);
  }
}

/** Finds files by the first bits of their ids; files with the same content form a chain. */
class Wanted {
  readonly #mask: number;
  readonly #slots: Int32Array;
  readonly #highs: Uint32Array;
  readonly #lows: Uint32Array;
  readonly #nexts: Int32Array;
  readonly #done: Uint8Array;

  constructor(files: readonly TreeFile[]) {
    const size = 2 ** Math.ceil(Math.log2(files.length * 2 + 2));
    this.#mask = size - 1;
    this.#slots = new Int32Array(size).fill(-1);
    this.#highs = new Uint32Array(files.length);
    this.#lows = new Uint32Array(files.length);
    this.#nexts = new Int32Array(files.length).fill(-1);
    this.#done = new Uint8Array(files.length);
    for (const [n, { id }] of files.entries()) {
      const { high, low } = keyOf(id);
      [this.#highs[n], this.#lows[n]] = [high, low];
      const slot = this.#slot(high, low);
      this.#nexts[n] = this.#slots[slot] as number;
      this.#slots[slot] = n;
    }
  }

  /** The first of the files with this key, once; -1: nobody wants it, or not any more. */
  take(high: number, low: number): number {
    const first = this.#slots[this.#slot(high, low)] as number;
    if (first < 0 || this.#done[first] === 1) return -1;
    for (let n = first; n >= 0; n = this.next(n)) this.#done[n] = 1;
    return first;
  }

  next(n: number): number {
    return this.#nexts[n] as number;
  }

  isDone(n: number): boolean {
    return this.#done[n] === 1;
  }

  /** Where the key is, or where it would be. */
  #slot(high: number, low: number): number {
    let slot = low & this.#mask;
    for (let n = this.#slots[slot] as number; n >= 0; n = this.#slots[slot] as number) {
      if (this.#highs[n] === high && this.#lows[n] === low) break;
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }
}
