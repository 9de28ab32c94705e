/** Tells from the words of files which of them may hold a name, such as that of a file which they import. */
import { LONGEST } from './walk.ts';
import { WordLister } from './word-list.ts';
import { foundIn, type WordPage } from './word-pages.ts';

/**
 * A text holds a name when all words of it occur, wherever: a crate `grep-printer` is `grep_printer` where it is used, a
 * package in `printer/` may be called `my-printer`. The same is told of bytes and of what is kept about them.
 */
export type NameFinder = {
  /** Files of a page that hold one of the names. */
  inPage(page: WordPage): Iterable<number>;
  inBytes(bytes: Uint8Array): boolean;
};

/** Names without any word, or with a very long one, are everywhere. */
export function nameFinder(names: readonly string[]): NameFinder {
  const wanted = names.map((name) => hashesOf(name));
  if (wanted.some((hashes) => hashes.length === 0))
    return { inPage: ({ totals }) => totals.keys(), inBytes: () => true };
  const lister = new WordLister();
  return {
    inPage: ({ totals, words }) => {
      const found = new Set<number>();
      for (const hashes of wanted) {
        const times = new Uint8Array(totals.length);
        for (const file of hashes.flatMap((hash) => [...foundIn(words, hash).files])) {
          times[file] = (times[file] as number) + 1;
          if (times[file] === hashes.length) found.add(file);
        }
      }
      return [...found].sort((a, b) => a - b);
    },
    inBytes: (bytes) => {
      const { hashes, size } = lister.list(bytes).words;
      const found = hashes.subarray(0, size);
      return wanted.some((all) => all.every((hash) => found.includes(hash)));
    },
  };
}

function hashesOf(name: string): number[] {
  const bytes = new TextEncoder().encode(name);
  if (bytes.length > LONGEST) return [];
  const { hashes, size } = new WordLister().list(bytes).words;
  return [...hashes.subarray(0, size)];
}
