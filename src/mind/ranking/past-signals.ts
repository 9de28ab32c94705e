/** What the history says: files that changed together with the targets, for tasks like this one, or just often. */
import { FolderColumn, SparseColumn } from './columns.ts';
import { folderOf } from './place-stems.ts';
import type { Places } from './places.ts';
import type { PastChange, RankInput } from './rank.ts';
import type { Term } from './terms.ts';
import { stemOf, wordsIn } from './words.ts';

/** Larger changes are sweeps: they say little about what belongs together. */
const LARGEST = 40;
const DAY = 86_400;
/** After so many days a change counts half. */
const HALF_LIFE = 400;

export type Past = {
  readonly together: SparseColumn;
  readonly alike: SparseColumn;
  readonly churn: SparseColumn;
  readonly folders: FolderColumn;
  /** How often each file changed with a target: for people. */
  readonly times: Uint32Array;
};

/** The changes that count, without the sweeps, with files as their places in the list. */
export type Change = {
  readonly paths: readonly string[];
  readonly hasTarget: boolean;
  /** Of each path; -1: it is no more. */
  readonly files: readonly number[];
  /** How much it counts, and how much for each of its files. */
  readonly recent: number;
  readonly share: number;
  /** Its subject is like the task. */
  readonly like: number;
};

export function changesOf(
  history: readonly PastChange[],
  { index, targets, counts, now }: Pick<RankInput, 'index' | 'targets' | 'counts' | 'now'>,
): Change[] {
  const present = now ?? history[0]?.time ?? 0;
  const similar = similarity(history, counts.terms.list);
  const wanted = new Set(targets);
  const changes: Change[] = [];
  for (let at = 0; at < history.length; at++) {
    const { paths, time } = history[at] as PastChange;
    if (paths.length > LARGEST) continue;
    const age = Math.max(0, present - time) / DAY;
    const recent = 2 ** (-age / HALF_LIFE);
    const files: number[] = [];
    let hasTarget = false;
    for (const path of paths) {
      files.push(index.get(path) ?? -1);
      if (wanted.has(path)) hasTarget = true;
    }
    const share = recent / Math.log2(1 + Math.max(1, paths.length));
    changes.push({ paths, files, hasTarget, recent, share, like: similar === null ? 0 : (similar[at] as number) });
  }
  return changes;
}

export function pastColumns(places: Places, targets: readonly string[], changes: readonly Change[]): Past {
  const size = places.folderOf.length;
  const [together, alike] = [new SparseColumn(size), new SparseColumn(size)];
  const often = new Float64Array(size);
  const times = new Uint32Array(size);
  let seen = 1;
  for (const { files, hasTarget, recent, share, like } of changes) {
    if (hasTarget) seen += recent;
    for (let n = 0; n < files.length; n++) {
      const file = files[n] as number;
      if (file < 0) continue;
      often[file] = (often[file] as number) + share;
      if (like > 0) alike.raise(file, like * share);
      if (!hasTarget) continue;
      together.raise(file, share);
      times[file] = (times[file] as number) + 1;
    }
  }
  together.change((value) => value / seen);
  const churn = SparseColumn.from(often);
  return { together, alike, churn, times, folders: folderColumn(places, targets, changes) };
}

/** Of each past subject to the task: the rarity of the words they share. Null: nothing is known of them. */
function similarity(history: readonly PastChange[], terms: readonly Term[]): Float64Array | null {
  const wanted = new Map<string, number>();
  for (const term of terms) if (term.of === 'task' && !term.whole) wanted.set(stemOf(term.key), term.weight);
  if (wanted.size === 0 || !history.some(({ subject }) => subject !== undefined)) return null;
  const stems = history.map(({ subject = '' }) =>
    [...new Set(wordsIn(subject).map(stemOf))].filter((stem) => wanted.has(stem)),
  );
  const within = new Map<string, number>();
  for (const found of stems) for (const stem of found) within.set(stem, (within.get(stem) ?? 0) + 1);
  const idf = (stem: string) => Math.log(1 + history.length / (1 + (within.get(stem) ?? 0)));
  const whole = [...wanted].reduce((sum, [stem, weight]) => sum + weight * idf(stem), 1e-9);
  return Float64Array.from(stems, (found) => {
    const shared = found.reduce((sum, stem) => sum + (wanted.get(stem) ?? 0) * idf(stem), 0);
    return (shared / whole) ** 2;
  });
}

/** How often the folder of a file changed when that of a target did: for files that are young or seldom touched. */
function folderColumn(places: Places, targets: readonly string[], changes: readonly Change[]): FolderColumn {
  const { folders, folderOf: known } = places;
  const homes = new Set(targets.map(folderOf));
  const changed = new Map<string, number>();
  const folderAt = ({ paths, files }: Change, n: number): string => {
    const file = files[n] as number;
    return file < 0 ? folderOf(paths[n] as string) : (folders[known[file] as number] as string);
  };
  let seen = 3;
  for (const change of changes) {
    let isHome = false;
    for (let n = 0; n < change.files.length && !isHome; n++) isHome = homes.has(folderAt(change, n));
    if (!isHome) continue;
    const often = new Map<string, number>();
    for (let n = 0; n < change.files.length; n++) {
      const folder = folderAt(change, n);
      often.set(folder, (often.get(folder) ?? 0) + 1);
    }
    seen++;
    for (const [folder, count] of often) {
      // A target's own folder counts only where something else in it changed too.
      if (homes.has(folder) && count < 2) continue;
      changed.set(folder, (changed.get(folder) ?? 0) + 1);
    }
  }
  const values = Float64Array.from(folders, (folder) => (changed.get(folder) ?? 0) / seen);
  return new FolderColumn(values, known);
}
