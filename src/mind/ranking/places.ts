/** What paths alone say; the same for every task, so it is computed once for a tree. */
import { depthOf, folderOf, hashOfStem, stemHash, stemOfPath } from './place-stems.ts';

/** A file is its index in the list. */
export type PathTable = {
  readonly paths: readonly string[];
  /** Each once. */
  readonly folders: readonly string[];
  /** How many names each has. */
  readonly depths: Uint16Array;
  readonly folderOf: Uint32Array;
  /** Hashes of stems: if they differ, so do the names. */
  readonly stems: Int32Array;
};

export function placesOf(paths: readonly string[]): PathTable {
  const known = new Map<string, number>();
  const folderNumbers = new Uint32Array(paths.length);
  const stems = new Int32Array(paths.length);
  let [last, lastNumber] = ['', -1];
  for (let at = 0; at < paths.length; at++) {
    const path = paths[at] as string;
    // Files of one folder are mostly adjacent.
    if (lastNumber < 0 || !liesIn(path, last)) {
      last = folderOf(path);
      lastNumber = known.get(last) ?? known.size;
      if (lastNumber === known.size) known.set(last, lastNumber);
    }
    folderNumbers[at] = lastNumber;
    stems[at] = hashOfStem(path);
  }
  const folders = [...known.keys()];
  return { paths, folders, depths: Uint16Array.from(folders, depthOf), folderOf: folderNumbers, stems };
}

const STROKE = 47;

/** Directly in that folder. */
const liesIn = (path: string, folder: string): boolean =>
  path.lastIndexOf('/') === folder.length && path.charCodeAt(folder.length) === STROKE && path.startsWith(folder);

/** Files with the same stem. */
export function filesOfStem({ stems, paths }: Pick<PathTable, 'stems' | 'paths'>, stem: string): number[] {
  const hash = stemHash(stem);
  const found: number[] = [];
  for (let at = stems.indexOf(hash); at >= 0; at = stems.indexOf(hash, at + 1))
    if (stemOfPath(paths[at] as string) === stem) found.push(at);
  return found;
}
