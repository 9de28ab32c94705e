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
};

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
  const { blobs, fileAt, get } = looked;
  if (some === null) return countIn(terms, search, looked, get);
  const size = blobs.highs.length;
  if (keepsWords(looked)) {
    const places = new Int32Array(size).fill(-1);
    for (const place of some) places[place] = place;
    // The words of every file are kept, also of those that this task does not look into.
    const wants = (file: TreeFile) => (places[get(file.path) as number] as number) >= 0 && search.wants(file);
    return (await countIn(terms, { ...search, wants }, looked, get)).moved(places, size);
  }
  const pick = (all: Uint32Array) => Uint32Array.from(some, (place) => all[place] as number);
  const numbers = new Map(Array.from(some, (place, n) => [fileAt(place).path, n]));
  const few = {
    ...{ ...looked, blobs: { highs: pick(blobs.highs), lows: pick(blobs.lows) } },
    fileAt: (n: number) => fileAt(some[n] as number),
  };
  const counts = await countIn(terms, search, few, (path) => numbers.get(path));
  return counts.moved(Int32Array.from(some), size);
}

/**
 * To list all words of a file takes three times as long as to look for some: done for later packets, by a process that
 * stays and mostly waits for workers. One that ends after this packet only looks.
 */
const keepsWords = ({ words }: Looked): boolean => words !== null && stays();

async function countIn(
  terms: Terms,
  search: ImporterSearch,
  looked: Looked,
  placeOf: (path: string) => number | undefined,
): Promise<WordCounts> {
  const { tree, blobs, fileAt, words } = looked;
  const scanner = wordScanner(terms, blobs.highs.length);
  const likely: TreeFile[] = [];
  const rest = words?.read(blobs, (page, placed) => {
    scanner.addPage(page, placed);
    likely.push(...holding(page, placed, search, fileAt));
  });
  const unknown = (rest ?? [...blobs.highs.keys()]).map(fileAt);
  const keeper = words !== null && keepsWords(looked) ? keeperOf(words) : null;
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
