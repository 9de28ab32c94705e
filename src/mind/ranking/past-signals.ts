/** What the history says: files that changed together with the targets, for tasks like this one, or just often. */
import { type Column, raise } from './columns.ts';
import { folderOf } from './place-signals.ts';
import type { PastChange } from './rank.ts';
import type { Term } from './terms.ts';
import { stemOf, wordsIn } from './words.ts';

/** Larger changes are sweeps: they say little about what belongs together. */
const LARGEST = 40;
const DAY = 86_400;
/** After so many days a change counts half. */
const HALF_LIFE = 400;

export type Past = {
  readonly together: Column;
  readonly alike: Column;
  readonly churn: Column;
  readonly folders: Column;
  /** How often each file changed with a target: for people. */
  readonly times: Uint32Array;
};

export function pastColumns(
  index: ReadonlyMap<string, number>,
  targets: readonly string[],
  terms: readonly Term[],
  history: readonly PastChange[],
  now: number | null,
): Past {
  const size = index.size;
  const past = {
    together: new Float64Array(size),
    alike: new Float64Array(size),
    churn: new Float64Array(size),
    folders: folderColumn(index, targets, history),
    times: new Uint32Array(size),
  };
  const wanted = new Set(targets);
  const present = now ?? history[0]?.time ?? 0;
  const similar = similarity(history, terms);
  let seen = 1;
  for (const [at, change] of history.entries()) {
    const { paths } = change;
    const worth = worthOf(change, present);
    if (worth === null) continue;
    const { recent, share } = worth;
    const withTarget = paths.some((path) => wanted.has(path));
    if (withTarget) seen += recent;
    const like = similar[at] as number;
    for (const path of paths) {
      const file = index.get(path);
      if (file === undefined) continue;
      raise(past.churn, file, share);
      raise(past.alike, file, like * share);
      if (!withTarget) continue;
      raise(past.together, file, share);
      raise(past.times, file, 1);
    }
  }
  for (let i = 0; i < size; i++) past.together[i] = (past.together[i] as number) / seen;
  return past;
}

/** How much a past change counts, and how much for each of its files; null: not at all. */
export function worthOf(change: PastChange, present: number): { recent: number; share: number } | null {
  if (change.paths.length > LARGEST) return null;
  const age = Math.max(0, present - change.time) / DAY;
  const recent = 2 ** (-age / HALF_LIFE);
  return { recent, share: recent / Math.log2(1 + Math.max(1, change.paths.length)) };
}

/** Of each past subject to the task: the rarity of the words they share. */
function similarity(history: readonly PastChange[], terms: readonly Term[]): Float64Array {
  const wanted = new Map<string, number>();
  for (const term of terms) if (term.of === 'task' && !term.whole) wanted.set(stemOf(term.key), term.weight);
  const stems = history.map(({ subject }) => {
    if (subject === undefined || wanted.size === 0) return [];
    return [...new Set(wordsIn(subject).map(stemOf))].filter((stem) => wanted.has(stem));
  });
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
function folderColumn(
  index: ReadonlyMap<string, number>,
  targets: readonly string[],
  history: readonly PastChange[],
): Column {
  const homes = new Set(targets.map(folderOf));
  const changed = new Map<string, number>();
  let seen = 3;
  for (const { paths } of history) {
    if (paths.length > LARGEST) continue;
    const folders = new Set(paths.map(folderOf));
    if (![...homes].some((home) => folders.has(home))) continue;
    seen++;
    for (const folder of folders) {
      // A target's own folder counts only where something else in it changed too.
      if (homes.has(folder) && paths.filter((path) => folderOf(path) === folder).length < 2) continue;
      changed.set(folder, (changed.get(folder) ?? 0) + 1);
    }
  }
  const column = new Float64Array(index.size);
  for (const [path, at] of index) column[at] = (changed.get(folderOf(path)) ?? 0) / seen;
  return column;
}
