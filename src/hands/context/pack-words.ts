/** Looks for words in the files of a tree, or in some of them: what is kept of them tells which files have which, the rest is read. */
import type { ProjectTree, TreeFile } from '../../engine/ports/project-tree.ts';
import type { Placed, WordCounts } from '../../mind/ranking/counts.ts';
import { wordScanner } from '../../mind/ranking/scan.ts';
import type { Terms } from '../../mind/ranking/terms.ts';
import { WordLister } from '../../mind/ranking/word-list.ts';
import type { BlobKeys, WordPage } from '../../mind/ranking/word-pages.ts';
import { stays } from '../../os/machine/short-lived.ts';
import type { ImporterSearch } from './pack-imports.ts';
import type { WordFile } from './word-file.ts';

/** Files by their places: the keys of their contents, and what they are. */
type Looked = {
  readonly tree: ProjectTree;
  readonly blobs: BlobKeys;
  readonly fileAt: (place: number) => TreeFile;
  readonly words: WordFile | null;
  /** How many files the tree has, if these are only some. */
  readonly of?: number;
};

/** Few files are read again rather than kept by themselves: each page that is kept is looked through every time. */
const MOST_PAGES = 64;

/**
 * How often the terms occur in each file; on the way, who imports what the search is about. `some`: only these are
 * looked into, by their places in order; null: all of them.
 */
export async function countTerms(
  terms: Terms,
  search: ImporterSearch,
  looked: Looked & { readonly get: (path: string) => number | undefined },
  some: Uint32Array | null,
): Promise<WordCounts> {
  if (some === null) return countIn(terms, search, looked, looked.get);
  const { blobs, fileAt } = looked;
  const { highs, lows } = blobs;
  const pick = (all: Uint32Array) => Uint32Array.from(some, (place) => all[place] as number);
  const numbers = new Map(Array.from(some, (place, n) => [fileAt(place).path, n]));
  const few = {
    ...{ ...looked, blobs: { highs: pick(highs), lows: pick(lows) }, of: highs.length },
    fileAt: (n: number) => fileAt(some[n] as number),
  };
  const counts = await countIn(terms, search, few, (path) => numbers.get(path));
  return counts.moved(Int32Array.from(some), highs.length);
}

async function countIn(
  terms: Terms,
  search: ImporterSearch,
  { tree, blobs, fileAt, words, of = blobs.highs.length }: Looked,
  placeOf: (path: string) => number | undefined,
): Promise<WordCounts> {
  const scanner = wordScanner(terms, blobs.highs.length);
  const likely: TreeFile[] = [];
  const see = (page: WordPage, placed: Placed) => {
    scanner.addPage(page, placed);
    likely.push(...holding(page, placed, search, fileAt));
  };
  const rest = words?.read(blobs, see, of === blobs.highs.length);
  const unknown = (rest ?? [...blobs.highs.keys()]).map(fileAt);
  const keeper = words !== null && stays() && unknown.length * MOST_PAGES >= of ? keeperOf(words) : null;
  try {
    await tree.scan(unknown, (file, bytes) => {
      scanner.add(placeOf(file.path) as number, bytes);
      if (search.wants(file)) search.see(file, bytes);
      keeper?.add(file, bytes);
    });
  } finally {
    keeper?.end();
  }
  await tree.scan(likely, (file, bytes) => search.see(file, bytes));
  return scanner.counts;
}

/** Files of a page that one of the names may occur in. */
function holding(page: WordPage, { firsts, nexts }: Placed, search: ImporterSearch, fileAt: Looked['fileAt']) {
  const found: TreeFile[] = [];
  for (const place of search.mayHold(page)) {
    for (let n = firsts[place] ?? -1; n >= 0; n = nexts[n] as number) {
      const file = fileAt(n);
      if (search.wants(file)) found.push(file);
    }
  }
  return found;
}

/**
 * To list all words of a file takes three times as long as to look for some: done for later packets, by a process that
 * stays and mostly waits for workers. One that ends after this packet only looks.
 */
function keeperOf(words: WordFile) {
  const [lister, adder] = [new WordLister(), words.adder()];
  return { add: (file: TreeFile, bytes: Uint8Array) => adder.add(file, lister.list(bytes)), end: () => adder.end() };
}

/** Who imports what the search is about. */
export async function findImporters(search: ImporterSearch, { tree, blobs, fileAt, words }: Looked): Promise<void> {
  const likely: TreeFile[] = [];
  const rest = words?.read(blobs, (page, placed) => void likely.push(...holding(page, placed, search, fileAt)));
  const unknown = (rest ?? [...blobs.highs.keys()]).map(fileAt).filter((file) => search.wants(file));
  await tree.scan([...likely, ...unknown], (file, bytes) => search.see(file, bytes));
}
