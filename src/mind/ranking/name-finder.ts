/** Tells from the words of files which of them may hold a name, such as that of a file which they import. */
import { LONGEST } from './walk.ts';
import { WordLister } from './word-list.ts';
import { foundIn, type WordPage } from './word-pages.ts';

/** Of a page, the files in which all identifiers of one of the names occur. Names without any, or with a very long one, are everywhere. */
export function nameFinder(names: readonly string[]): (page: WordPage) => Iterable<number> {
  const wanted = names.map(identifiersOf);
  if (wanted.some((hashes) => hashes.length === 0)) return ({ totals }) => totals.keys();
  return ({ totals, wholes }) => {
    const found = new Set<number>();
    for (const hashes of wanted) {
      const times = new Uint8Array(totals.length);
      for (const file of hashes.flatMap((hash) => [...foundIn(wholes, hash).files])) {
        times[file] = (times[file] as number) + 1;
        if (times[file] === hashes.length) found.add(file);
      }
    }
    return [...found].sort((a, b) => a - b);
  };
}

/** Each once; none where one is so long that it is not kept. */
export function identifiersOf(name: string): number[] {
  const bytes = new TextEncoder().encode(name);
  if (bytes.length > LONGEST) return [];
  const { hashes, size } = new WordLister().list(bytes).wholes;
  return [...hashes.subarray(0, size)];
}
