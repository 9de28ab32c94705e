/** Looks for words in all files of a tree: what is kept of them tells which files have which, the rest is read. */
import type { ProjectTree, TreeFile } from '../../engine/ports/project-tree.ts';
import { type FileCounts, wordScanner } from '../../mind/ranking/scan.ts';
import type { Terms } from '../../mind/ranking/terms.ts';
import { WordLister } from '../../mind/ranking/word-list.ts';
import { stays } from '../../os/machine/short-lived.ts';
import type { ImporterSearch } from './pack-imports.ts';
import type { WordFile } from './word-file.ts';

type Looked = { readonly tree: ProjectTree; readonly files: readonly TreeFile[]; readonly words: WordFile | null };

/** How often the terms occur in each file; on the way, who imports what the search is about. */
export async function countTerms(
  terms: Terms,
  search: ImporterSearch,
  { tree, files, words }: Looked,
): Promise<ReadonlyMap<string, FileCounts>> {
  const scanner = wordScanner(terms);
  const likely: TreeFile[] = [];
  const unknown =
    words?.read(files, (page, each) => {
      const counts = scanner.countsOf(page);
      const mayHold = search.mayHold(page);
      each((file, n) => {
        scanner.set(file.path, counts(n));
        if (mayHold(n) && search.wants(file)) likely.push(file);
      });
    }) ?? files;
  const keeper = words !== null && stays() ? keeperOf(words) : null;
  try {
    await tree.scan(unknown, (file, bytes) => {
      scanner.add(file.path, bytes);
      if (search.wants(file)) search.see(file, bytes);
      keeper?.add(file, bytes);
    });
  } finally {
    keeper?.end();
  }
  await tree.scan(likely, (file, bytes) => search.see(file, bytes));
  return scanner.result().files;
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
export async function findImporters(search: ImporterSearch, { tree, files, words }: Looked): Promise<void> {
  const wanted = files.filter((file) => search.wants(file));
  const likely: TreeFile[] = [];
  const unknown =
    words?.read(wanted, (page, each) => {
      const mayHold = search.mayHold(page);
      each((file, n) => void (mayHold(n) && likely.push(file)));
    }) ?? wanted;
  await tree.scan([...likely, ...unknown], (file, bytes) => search.see(file, bytes));
}
