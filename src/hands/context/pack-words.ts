/** Looks for words in the files of a tree, or in some of them: what is kept tells which files have which, the rest is read. */
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
  if (some === null) return countIn(terms, search, looked, get, stays());
  const pick = (all: Uint32Array) => Uint32Array.from(some, (place) => all[place] as number);
  const numbers = new Map(Array.from(some, (place, n) => [fileAt(place).path, n]));
  const few = {
    ...{ ...looked, blobs: { highs: pick(blobs.highs), lows: pick(blobs.lows) } },
    fileAt: (n: number) => fileAt(some[n] as number),
  };
  const counts = await countIn(terms, search, few, (path) => numbers.get(path), false);
  return counts.moved(Int32Array.from(some), blobs.highs.length);
}

/**
 * Keeps the words of all files that nothing is kept of yet; how many these were. To list all words of a file takes three times as long as to look for
 * some: done for later packets, by a process that stays and mostly waits for workers.
 */
export async function keepWords(
  { tree, blobs, fileAt }: Omit<Looked, 'words'>,
  words: WordFile,
  over: AbortSignal | null,
): Promise<number> {
  const unknown = words.read(blobs, () => {});
  if (unknown.length === 0) return 0;
  const keeper = keeperOf(words);
  try {
    await tree.scan(
      unknown.map(fileAt),
      (file, bytes) => {
        over?.throwIfAborted();
        keeper.add(file, bytes);
      },
      over,
    );
  } finally {
    keeper.end();
  }
  return unknown.length;
}

async function countIn(
  terms: Terms,
  search: ImporterSearch,
  looked: Looked,
  placeOf: (path: string) => number | undefined,
  keeps: boolean,
): Promise<WordCounts> {
  const { tree, blobs, fileAt, words } = looked;
  const scanner = wordScanner(terms, blobs.highs.length);
  const likely: TreeFile[] = [];
  const rest = words?.read(blobs, (page, placed) => {
    scanner.addPage(page, placed);
    likely.push(...holding(page, placed, search, fileAt));
  });
  const unknown = (rest ?? [...blobs.highs.keys()]).map(fileAt);
  const keeper = keeps && words !== null ? keeperOf(words) : null;
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
