/** Tells from the list of a file's words whether it may hold a name, such as that of a file which it imports. */
import { LONGEST } from './walk.ts';
import { type WordList, WordLister } from './word-list.ts';

/** True where all identifiers of one of the names occur. Names without any, or with a very long one, are everywhere. */
export function nameFinder(names: readonly string[]): (list: WordList) => boolean {
  const wanted = names.map(identifiersOf);
  if (wanted.some((hashes) => hashes.length === 0)) return () => true;
  // Nearly all hashes of a file are told from those by their upper half.
  const halves = new Uint8Array(1 << 16);
  for (const hash of wanted.flat()) halves[hash >>> 16] = 1;
  const all = Int32Array.from(new Set(wanted.flat()));
  const groups = wanted.map((hashes) => hashes.map((hash) => all.indexOf(hash)));
  const seen = new Uint8Array(all.length);
  return ({ hashes, wholesAt, to }) => {
    let isSeen = false;
    for (let i = wholesAt; i < to; i++) {
      const hash = hashes[i] as number;
      if (halves[hash >>> 16] === 0) continue;
      const at = all.indexOf(hash);
      if (at < 0) continue;
      seen[at] = 1;
      isSeen = true;
    }
    const found = isSeen && groups.some((group) => group.every((at) => seen[at] === 1));
    if (isSeen) seen.fill(0);
    return found;
  };
}

function identifiersOf(name: string): number[] {
  const bytes = new TextEncoder().encode(name);
  const list = bytes.length > LONGEST ? null : new WordLister().list(bytes);
  return list === null ? [] : [...list.hashes.subarray(list.wholesAt, list.to)];
}
