/** Signals of the history: files that changed together with the targets, for similar tasks, or just often. */
import { FolderColumn, SparseColumn } from './columns.ts';
import type { LookInput, PastChange } from './input.ts';
import { folderOf } from './place-stems.ts';
import type { PathTable } from './places.ts';
import { keysOf } from './scan.ts';
import type { Term } from './terms.ts';

/** Larger changes are sweeps: they say little about what belongs together. */
const LARGEST = 40;
const DAY = 86_400;
/** After this many days a change counts half. */
const HALF_LIFE = 400;

type PastSignals = {
  readonly together: SparseColumn;
  readonly alike: SparseColumn;
  readonly churn: SparseColumn;
  readonly folders: FolderColumn;
  /** How often each file changed with a target; for people. */
  readonly times: Uint32Array;
};

/** The changes that count, without the sweeps: one list for all, because there are thousands. */
export type Changes = {
  readonly paths: readonly (readonly string[])[];
  /** Where each change starts in `files`, and the end. */
  readonly starts: Uint32Array;
  /** The index of each path; -1 if the path no longer exists. */
  readonly files: Int32Array;
  readonly hasTarget: Uint8Array;
  /** How much it counts, and how much for each of its files. */
  readonly recent: Float64Array;
  readonly share: Float64Array;
  /** How similar its subject is to the task. */
  readonly like: Float64Array;
};

export function changesOf(
  history: readonly PastChange[],
  { index, targets, terms, now }: Pick<LookInput, 'index' | 'targets' | 'terms' | 'now'>,
): Changes {
  const present = now ?? history[0]?.time ?? 0;
  const similar = similarity(history, terms.list);
  const wanted = new Set(targets);
  const size = history.length;
  const paths: (readonly string[])[] = [];
  const [starts, hasTarget] = [new Uint32Array(size + 1), new Uint8Array(size)];
  const [recent, share, like] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const counted = history.filter((change) => change.paths.length <= LARGEST);
  const files = new Int32Array(counted.reduce((sum, change) => sum + change.paths.length, 0));
  let end = 0;
  for (let at = 0; at < size; at++) {
    const { paths: own, time } = history[at] as PastChange;
    if (own.length > LARGEST) continue;
    const n = paths.push(own) - 1;
    const age = Math.max(0, present - time) / DAY;
    recent[n] = 2 ** (-age / HALF_LIFE);
    share[n] = (recent[n] as number) / Math.log2(1 + Math.max(1, own.length));
    if (similar !== null) like[n] = similar[at] as number;
    for (let k = 0; k < own.length; k++) {
      const path = own[k] as string;
      files[end++] = index.get(path) ?? -1;
      if (wanted.has(path)) hasTarget[n] = 1;
    }
    starts[n + 1] = end;
  }
  return { paths, starts, files, hasTarget, recent, share, like };
}

export function pastColumns(places: PathTable, targets: readonly string[], changes: Changes): PastSignals {
  const size = places.folderOf.length;
  const [together, alike] = [new SparseColumn(size), new SparseColumn(size)];
  const often = new Float64Array(size);
  const times = new Uint32Array(size);
  const { starts, files } = changes;
  let seen = 1;
  for (let n = 0; n < changes.paths.length; n++) {
    const hasTarget = changes.hasTarget[n] === 1;
    const share = changes.share[n] as number;
    const like = changes.like[n] as number;
    if (hasTarget) seen += changes.recent[n] as number;
    for (let at = starts[n] as number; at < (starts[n + 1] as number); at++) {
      const file = files[at] as number;
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

/**
 * Changes with one of these files, or with a deleted one. Small, so that it is compiled soon: most have none of them.
 */
export function changesWith(wanted: Uint8Array, { starts, files }: Changes): number[] {
  const found: number[] = [];
  for (let at = 0, n = 0; at < files.length; at++) {
    const file = files[at] as number;
    if (file >= 0 && wanted[file] === 0) continue;
    while ((starts[n + 1] as number) <= at) n++;
    found.push(n);
    at = (starts[n + 1] as number) - 1;
  }
  return found;
}

/** The similarity of each past subject to the task, from the rarity of shared words; null if no subject shares one. */
function similarity(history: readonly PastChange[], terms: readonly Term[]): Float64Array | null {
  const asked = terms.filter((term) => term.of === 'task' && !term.whole);
  const termOf = new Map(keysOf(asked).map(({ hash, term }) => [hash, term]));
  const within = new Uint32Array(asked.length);
  const found = history.map(({ words }) => {
    const shared: number[] = [];
    for (let n = 0; n < words.length; n++) {
      const term = termOf.get(words[n] as number);
      if (term !== undefined && !shared.includes(term)) shared.push(term);
    }
    for (const term of shared) within[term] = (within[term] as number) + 1;
    return shared;
  });
  if (within.every((times) => times === 0)) return null;
  const worth = asked.map(({ weight }, term) => weight * Math.log(1 + history.length / (1 + (within[term] as number))));
  return Float64Array.from(found, (shared) => shared.reduce((sum, term) => sum + (worth[term] as number), 0) ** 2);
}

/** How often a file's folder changed together with a target's: for files that are young or seldom touched. */
function folderColumn(places: PathTable, targets: readonly string[], changes: Changes): FolderColumn {
  const { paths, starts, files } = changes;
  const { folders, folderOf: known } = places;
  const homes = new Set(targets.map(folderOf));
  const areHomes = Uint8Array.from(folders, (folder) => (homes.has(folder) ? 1 : 0));
  const inHomes = new Uint8Array(known.length);
  for (let file = 0; file < known.length; file++) inHomes[file] = areHomes[known[file] as number] as number;
  const changed = new Map<string, number>();
  const folderAt = (change: number, at: number): string => {
    const file = files[at] as number;
    if (file >= 0) return folders[known[file] as number] as string;
    return folderOf(paths[change]?.[at - (starts[change] as number)] as string);
  };
  let seen = 3;
  for (const n of changesWith(inHomes, changes)) {
    const from = starts[n] as number;
    const to = starts[n + 1] as number;
    let isHome = false;
    for (let at = from; at < to && !isHome; at++) isHome = homes.has(folderAt(n, at));
    if (!isHome) continue;
    const often = new Map<string, number>();
    for (let at = from; at < to; at++) {
      const folder = folderAt(n, at);
      often.set(folder, (often.get(folder) ?? 0) + 1);
    }
    seen++;
    for (const [folder, count] of often) {
      // A target's own folder counts only if something else in it changed too.
      if (homes.has(folder) && count < 2) continue;
      changed.set(folder, (changed.get(folder) ?? 0) + 1);
    }
  }
  const values = Float64Array.from(folders, (folder) => (changed.get(folder) ?? 0) / seen);
  return new FolderColumn(values, known);
}
