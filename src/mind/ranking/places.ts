/** What the paths of files say by themselves: the same for every task, so it is made once for a tree. */
import { depthOf, folderOf, hashOfStem, stemHash, stemOfPath } from './place-stems.ts';

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
};

export function placesOf(paths: readonly string[]): Places {
  const known = new Map<string, number>();
  const folderNumbers = new Uint32Array(paths.length);
  const stems = new Int32Array(paths.length);
  let [last, lastNumber] = ['', -1];
  for (let at = 0; at < paths.length; at++) {
    const path = paths[at] as string;
    // Files of one folder mostly stand one after the other.
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

/** In that folder itself. */
const liesIn = (path: string, folder: string): boolean =>
  path.lastIndexOf('/') === folder.length && path.charCodeAt(folder.length) === STROKE && path.startsWith(folder);

/** Files that are called after the same thing. */
export function filesOfStem({ stems, paths }: Pick<Places, 'stems' | 'paths'>, stem: string): number[] {
  const hash = stemHash(stem);
  const found: number[] = [];
  for (let at = stems.indexOf(hash); at >= 0; at = stems.indexOf(hash, at + 1))
    if (stemOfPath(paths[at] as string) === stem) found.push(at);
  return found;
}
