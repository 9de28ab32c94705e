/** What the paths of files say by themselves: the same for every task, so it is made once for a tree and may be kept. */
import { identifiersOf } from './name-finder.ts';
import { depthOf, folderOf, stemOfPath } from './place-stems.ts';
import { placeOfHash } from './sorted-hashes.ts';
import { Walk } from './walk.ts';

/** A file is its place in the list. */
export type Places = {
  readonly paths: readonly string[];
  /** Each once. */
  readonly folders: readonly string[];
  /** How many names each has. */
  readonly depths: Uint16Array;
  readonly folderOf: Uint32Array;
  /** Hashes of what files are called after: where they differ, the names do. */
  readonly stems: Int32Array;
  readonly names: PathWords;
  readonly inFolders: PathWords;
};

/** Which texts have a word. */
export type PathWords = {
  /** How many words each has. */
  readonly totals: Uint16Array;
  readonly words: readonly Holders[];
  /** Identifiers as a whole. */
  readonly wholes: readonly Holders[];
};

/** Each hash once, in order; `starts` says from where on the numbers of those that have it stand, once for each time. */
export type Holders = { readonly hashes: Uint32Array; readonly starts: Uint32Array; readonly numbers: Uint32Array };

export function placesOf(paths: readonly string[]): Places {
  const known = new Map<string, number>();
  const folderNumbers = new Uint32Array(paths.length);
  const stems = new Int32Array(paths.length);
  const names = new WordGatherer(paths.length);
  for (let at = 0; at < paths.length; at++) {
    const path = paths[at] as string;
    const folder = folderOf(path);
    const number = known.get(folder) ?? known.size;
    if (number === known.size) known.set(folder, number);
    folderNumbers[at] = number;
    stems[at] = stemHash(stemOfPath(path));
    names.add(at, path.slice(path.lastIndexOf('/') + 1));
  }
  const folders = [...known.keys()];
  const inFolders = new WordGatherer(folders.length);
  for (const [number, folder] of folders.entries()) inFolders.add(number, folder);
  const depths = Uint16Array.from(folders, depthOf);
  return { paths, folders, depths, folderOf: folderNumbers, stems, names: names.end(), inFolders: inFolders.end() };
}

export function stemHash(stem: string): number {
  let hash = stem.length;
  for (let at = 0; at < stem.length; at++) hash = (Math.imul(hash, 0x01000193) + stem.charCodeAt(at)) | 0;
  return hash;
}

/** Files that are called after the same thing. */
export function filesOfStem({ stems, paths }: Pick<Places, 'stems' | 'paths'>, stem: string): number[] {
  const hash = stemHash(stem);
  const found: number[] = [];
  for (let at = stems.indexOf(hash); at >= 0; at = stems.indexOf(hash, at + 1))
    if (stemOfPath(paths[at] as string) === stem) found.push(at);
  return found;
}

class WordGatherer {
  readonly #walk = new Walk();
  readonly #totals: Uint16Array;
  readonly #words = new HolderLists();
  readonly #wholes = new HolderLists();
  readonly #encoder = new TextEncoder();
  readonly #room = new Uint8Array(4096);

  constructor(texts: number) {
    this.#totals = new Uint16Array(texts);
    this.#walk.wantAll();
  }

  add(number: number, text: string): void {
    const walk = this.#walk;
    const size = text.length > this.#room.length ? -1 : ascii(text, this.#room);
    const bytes = size < 0 ? this.#encoder.encode(text) : this.#room;
    const total = walk.walk(bytes, size < 0 ? bytes.length : size);
    this.#totals[number] = Math.min(total, 0xffff);
    this.#words.add(walk.words, walk.wordCount, number);
    this.#wholes.add(walk.wholes, walk.wholeCount, number);
  }

  end(): PathWords {
    return { totals: this.#totals, words: this.#words.end(), wholes: this.#wholes.end() };
  }
}

/** Writes a short text that is nothing but ASCII, which takes less time than to call the encoder; -1: it is not. */
function ascii(text: string, room: Uint8Array): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) return -1;
    room[at] = code;
  }
  return text.length;
}

/** So that a hash and the place of an entry fit into one number, by which they are sorted. */
const MOST_ENTRIES = 2 ** 20;

class HolderLists {
  readonly #done: Holders[] = [];
  #hashes = new Uint32Array(1 << 12);
  #numbers = new Uint32Array(1 << 12);
  #size = 0;

  add(hashes: Int32Array, count: number, number: number): void {
    if (this.#size + count > MOST_ENTRIES) this.#close();
    if (this.#size + count > this.#hashes.length) this.#grow((this.#size + count) * 2);
    for (let n = 0; n < count; n++) {
      this.#hashes[this.#size] = hashes[n] as number;
      this.#numbers[this.#size++] = number;
    }
  }

  end(): Holders[] {
    this.#close();
    return this.#done;
  }

  #close(): void {
    if (this.#size > 0) this.#done.push(sorted(this.#hashes, this.#numbers, this.#size));
    this.#size = 0;
  }

  #grow(size: number): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers];
    [this.#hashes, this.#numbers] = [new Uint32Array(size), new Uint32Array(size)];
    this.#hashes.set(hashes);
    this.#numbers.set(numbers);
  }
}

function sorted(hashes: Uint32Array, all: Uint32Array, size: number): Holders {
  const order = new Float64Array(size);
  for (let n = 0; n < size; n++) order[n] = (hashes[n] as number) * 2 ** 21 + n;
  order.sort();
  const numbers = new Uint32Array(size);
  const [distinct, starts] = [new Uint32Array(size), new Uint32Array(size + 1)];
  let count = 0;
  for (let n = 0; n < size; n++) {
    const key = order[n] as number;
    const from = key % 2 ** 21;
    const hash = hashes[from] as number;
    if (count === 0 || hash !== distinct[count - 1]) {
      distinct[count] = hash;
      starts[count++] = n;
    }
    numbers[n] = all[from] as number;
  }
  starts[count] = size;
  return { hashes: distinct.slice(0, count), starts: starts.slice(0, count + 1), numbers };
}

const NONE = new Uint32Array(0);

/** Whoever has a word, once for each time. */
export function holdersOf({ hashes, starts, numbers }: Holders, hash: number): Uint32Array {
  const at = placeOfHash(hashes, hash);
  return at < 0 ? NONE : numbers.subarray(starts[at], starts[at + 1]);
}

/** Texts that may be this name but for capitals: those with the rarest of its identifiers. Null: any may. */
export function holdersOfName({ wholes }: PathWords, name: string): readonly number[] | null {
  let best: readonly number[] | null = null;
  for (const hash of identifiersOf(name)) {
    const found = wholes.flatMap((list) => [...holdersOf(list, hash)]);
    if (best === null || found.length < best.length) best = found;
  }
  return best;
}
