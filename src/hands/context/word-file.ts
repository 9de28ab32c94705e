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
import type { Placed } from '../../mind/ranking/counts.ts';
import type { WordList } from '../../mind/ranking/word-list.ts';
import {
  type BlobKeys,
  bodySize,
  keyOf,
  PAGE_HEAD,
  PageWriter,
  pageIn,
  type WordPage,
} from '../../mind/ranking/word-pages.ts';

/** Kubernetes (31,000 files) takes 50 MB; more of it is for blobs of the past. */
const MOST_BYTES = 256 << 20;
/** Every packet may add a small page, and each is looked through: with more of them all words are listed anew. */
const MOST_PAGES = 100;
const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

export class WordFile {
  readonly #file: string;
  readonly #most: number;
  /** By the last look. */
  #seen: Seen = nothing();

  constructor(file: string, most = MOST_BYTES) {
    this.#file = file;
    this.#most = most;
  }

  /** Shows what is known, each page good until `see` returns; the places of those that nothing is known of come back. */
  read(blobs: BlobKeys, see: (page: WordPage, placed: Placed) => void): readonly number[] {
    const wanted = new Wanted(blobs);
    const seen = nothing();
    this.#seen = seen;
    let fd: number;
    try {
      fd = openSync(this.#file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch {
      return wanted.rest();
    }
    try {
      // A directory or a pipe of that name is as good as none.
      if (!fstatSync(fd).isFile()) return wanted.rest();
      eachPage(fd, seen, (page) => {
        const firsts = wanted.take(page);
        seen.blobs += firsts.length;
        seen.used = wanted.taken;
        see(page, { firsts, nexts: wanted.nexts });
      });
    } finally {
      closeSync(fd);
    }
    return wanted.rest();
  }

  /** Adds to what is kept, after a `read` for all files of a tree. Not being able to is no reason to fail: the next one reads a little more. */
  adder(): { add(file: TreeFile, list: WordList): void; end(): void } {
    const pages = new PageWriter();
    // Somebody may look for something else while this one still adds.
    const seen = this.#seen;
    let fd: number | null = null;
    const write = (page: Uint8Array | null) => {
      if (page === null) return;
      try {
        fd ??= this.#open(seen);
        if (fstatSync(fd).size + page.length > this.#most) forget(fd, seen);
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

  #open({ good, isDamaged, pages }: Seen): number {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const fd = openSync(this.#file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    if (pages > MOST_PAGES) ftruncateSync(fd, 0);
    else if (isDamaged) ftruncateSync(fd, good);
    return fd;
  }
}

/** Full: begun anew when most of it is of the past, else nothing more is added. */
function forget(fd: number, { used, blobs }: Seen): void {
  if (used * 2 < blobs) ftruncateSync(fd, 0);
}

/** What a look at the file told. */
type Seen = {
  /** So far the file is understood. */
  good: number;
  isDamaged: boolean;
  pages: number;
  blobs: number;
  /** Those of them that were asked for. */
  used: number;
};
const nothing = (): Seen => ({ good: 0, isDamaged: false, pages: 0, blobs: 0, used: 0 });

function eachPage(fd: number, seen: Seen, see: (page: WordPage) => void): void {
  const { size } = fstatSync(fd);
  const head = new Uint32Array(PAGE_HEAD / 4);
  let room = new Uint8Array(0);
  while (seen.good < size) {
    const body = readSync(fd, head, 0, PAGE_HEAD, seen.good) === PAGE_HEAD ? bodySize(head) : null;
    const next = seen.good + PAGE_HEAD + (body ?? 0);
    seen.isDamaged = body === null || next > size;
    if (body === null || next > size) return;
    if (room.length < body) room = new Uint8Array(body);
    seen.isDamaged = readSync(fd, room, 0, body, seen.good + PAGE_HEAD) !== body;
    if (seen.isDamaged) return;
    see(pageIn(head, room, 0));
    seen.pages += 1;
    seen.good = next;
  }
}

/** Finds blobs by the first bits of their ids; those that are wanted more than once form a chain. */
class Wanted {
  readonly nexts: Int32Array;
  /** Different ones that were found. */
  taken = 0;
  readonly #blobs: ReturnType<typeof signed>;
  readonly #mask: number;
  /** The first of each chain; -1: free. */
  readonly #slots: Int32Array;
  readonly #isDone: Uint8Array;

  constructor(blobs: BlobKeys) {
    this.#blobs = signed(blobs);
    const { highs, lows } = this.#blobs;
    const count = highs.length;
    const size = 2 ** Math.ceil(Math.log2(count * 2 + 2));
    const [slots, nexts, mask] = [new Int32Array(size).fill(-1), new Int32Array(count).fill(-1), size - 1];
    for (let n = 0; n < count; n++) {
      const high = highs[n] as number;
      const low = lows[n] as number;
      let slot = low & mask;
      let other = slots[slot] as number;
      while (other >= 0 && (lows[other] !== low || highs[other] !== high)) {
        slot = (slot + 1) & mask;
        other = slots[slot] as number;
      }
      nexts[n] = other;
      slots[slot] = n;
    }
    [this.#mask, this.#slots, this.nexts] = [mask, slots, nexts];
    this.#isDone = new Uint8Array(count);
  }

  /** Of each place of a page the first that wants it, once; -1: nobody does, or not any more. */
  take(page: BlobKeys): Int32Array {
    const [{ highs, lows }, slots, isDone, mask] = [this.#blobs, this.#slots, this.#isDone, this.#mask];
    const theirs = signed(page);
    const firsts = new Int32Array(page.highs.length).fill(-1);
    for (let place = 0; place < firsts.length; place++) {
      const high = theirs.highs[place] as number;
      const low = theirs.lows[place] as number;
      let slot = low & mask;
      let first = slots[slot] as number;
      while (first >= 0 && (lows[first] !== low || highs[first] !== high)) {
        slot = (slot + 1) & mask;
        first = slots[slot] as number;
      }
      if (first < 0 || isDone[first] === 1) continue;
      firsts[place] = first;
      this.taken += 1;
      for (let n = first; n >= 0; n = this.nexts[n] as number) isDone[n] = 1;
    }
    return firsts;
  }

  rest(): number[] {
    const rest: number[] = [];
    const isDone = this.#isDone;
    for (let n = isDone.indexOf(0); n >= 0; n = isDone.indexOf(0, n + 1)) rest.push(n);
    return rest;
  }
}

/** The same bits: a number that needs 32 of them without a sign is made an object wherever it is read. */
const signed = ({ highs, lows }: BlobKeys) => ({
  highs: new Int32Array(highs.buffer, highs.byteOffset, highs.length),
  lows: new Int32Array(lows.buffer, lows.byteOffset, lows.length),
});
