/** The words of all files of a tree: of those that were seen before from the file that keeps them, else read once. */
import type { ProjectTree, TreeFile } from '../../engine/ports/project-tree.ts';
import type { FileCounts } from '../../mind/ranking/scan.ts';
import { wordScanner } from '../../mind/ranking/scan.ts';
import type { Terms } from '../../mind/ranking/terms.ts';
import { type WordList, WordLister } from '../../mind/ranking/word-list.ts';
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
  if (words === null) {
    await tree.scan(files, (file, bytes) => {
      scanner.add(file.path, bytes);
      if (search.wants(file)) search.see(file, bytes);
    });
    return scanner.result().files;
  }
  const likely: TreeFile[] = [];
  await eachList({ tree, files, words }, (file, list, bytes) => {
    if (list !== null) scanner.addList(file.path, list);
    else scanner.add(file.path, bytes);
    if ((list !== null && !search.mayHold(list)) || !search.wants(file)) return;
    if (bytes.length > 0) search.see(file, bytes);
    else likely.push(file);
  });
  await tree.scan(likely, (file, bytes) => search.see(file, bytes));
  return scanner.result().files;
}

/** Who imports what the search is about. */
export async function findImporters(search: ImporterSearch, { tree, files, words }: Looked): Promise<void> {
  const wanted = files.filter((file) => search.wants(file));
  const likely: TreeFile[] = [];
  const unknown = words?.read(wanted, (file, list) => void (search.mayHold(list) && likely.push(file))) ?? wanted;
  await tree.scan([...likely, ...unknown], (file, bytes) => search.see(file, bytes));
}

const NO_BYTES = new Uint8Array(0);

/** The bytes are there only where the file had to be read, the list is missing only where none can be made. */
async function eachList(
  { tree, files, words }: Looked & { readonly words: WordFile },
  each: (file: TreeFile, list: WordList | null, bytes: Uint8Array) => void,
): Promise<void> {
  const unknown = words.read(files, (file, list) => each(file, list, NO_BYTES));
  if (unknown.length === 0) return;
  const adder = words.adder();
  const lister = new WordLister();
  try {
    await tree.scan(unknown, (file, bytes) => {
      const list = lister.list(bytes);
      each(file, list, bytes);
      if (list !== null) adder.add(file, list);
    });
  } finally {
    adder.end();
  }
}
