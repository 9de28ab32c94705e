/** Signals of a file's place: its distance from the targets, its name, and imports. */
import { FolderColumn, SparseColumn } from './columns.ts';
import type { ImportGraph, LookInput } from './input.ts';
import { depthOf, folderOf, stemOfPath } from './place-stems.ts';
import { filesOfStem, type PathTable } from './places.ts';
import { lower } from './words.ts';

export function nearColumn({ folders, depths, folderOf: of }: PathTable, targets: readonly string[]): FolderColumn {
  const homes = [...new Set(targets.map(folderOf))].map((home) => ({ depth: depthOf(home), tops: topsOf(home) }));
  const values = new Float64Array(folders.length);
  for (let at = 0; at < folders.length; at++) {
    const folder = `${folders[at]}/`;
    // `a` and `a/b` are one step apart.
    for (const { depth, tops } of homes) {
      let shared = 0;
      while (shared < depth && folder.startsWith(tops[shared] as string)) shared++;
      const near = 1 / (1 + (depths[at] as number) + depth - 2 * shared);
      if (near > (values[at] as number)) values[at] = near;
    }
  }
  return new FolderColumn(values, of);
}

/** `a/` and `a/b/` of `a/b`. */
function topsOf(folder: string): string[] {
  const names = folder.split('/');
  return names.map((_, n) => `${names.slice(0, n + 1).join('/')}/`);
}

export function twinColumn(places: PathTable, targets: readonly string[]): SparseColumn {
  const column = new SparseColumn(places.paths.length);
  const wanted = new Set(targets.map(stemOfPath).filter((stem) => stem.length > 1));
  const found = [...wanted].flatMap((stem) => filesOfStem(places, stem));
  // A name that many files have says little about each.
  const worth = 1 / Math.log2(1 + Math.max(1, found.length - wanted.size));
  for (const file of found) column.raise(file, worth);
  return column;
}

const STROKE = 47;

/** Files that the text names, by their path or its end. */
export function namedColumn({ paths }: PathTable, named: readonly string[]): SparseColumn {
  const column = new SparseColumn(paths.length);
  for (const name of named) {
    for (let at = 0; at < paths.length; at++) {
      const path = paths[at] as string;
      const start = path.length - name.length;
      if (start > 0 ? path.charCodeAt(start - 1) !== STROKE : start < 0) continue;
      if (lower(path.slice(start)) === name) column.lift(at, 1);
    }
  }
  return column;
}

/** Direct neighbours count fully, theirs a third; a file that everybody imports counts less. */
export function importColumn(
  files: number,
  index: LookInput['index'],
  targets: readonly string[],
  imports: ImportGraph | null,
): SparseColumn {
  const column = new SparseColumn(files);
  if (imports === null) return column;
  const lift = (path: string, value: number) => {
    const at = index.get(path);
    if (at !== undefined) column.lift(at, value);
  };
  for (const target of targets) {
    for (const [first, back] of [
      [imports.of(target), imports.by],
      [imports.by(target), imports.of],
    ] as const) {
      const damp = 1 / Math.log2(2 + first.length / 4);
      for (const path of first) {
        lift(path, damp);
        const others = back(path);
        if (others.length > 60) continue;
        for (const next of others) lift(next, (0.3 * damp) / Math.log2(2 + others.length / 4));
      }
      for (const path of first) {
        const others = back === imports.by ? imports.of(path) : imports.by(path);
        for (const next of others.slice(0, 60)) lift(next, (0.3 * damp) / Math.log2(2 + others.length / 4));
      }
    }
  }
  return column;
}
