/** The input of the ranking: a task, its tree and its history. */
import type { PathTable } from './places.ts';
import type { Terms } from './terms.ts';

export type PastChange = {
  readonly time: number;
  readonly paths: readonly string[];
  /** The words of its subject, see `SubjectWords`. */
  readonly words: readonly number[];
};
export type ImportGraph = {
  /** Files that this one imports, and files that import it; only files of the tree. */
  of(path: string): readonly string[];
  by(path: string): readonly string[];
};

/** For signals of paths and history. */
export type LookInput = {
  /** The candidates; the caller should leave out binary, generated and too large files. */
  readonly places: PathTable;
  /** The index of each path among them. */
  readonly index: { get(path: string): number | undefined };
  readonly targets: readonly string[];
  /** Newest first. */
  readonly history: readonly PastChange[];
  /** Seconds, as in the history; null for the time of the newest change. */
  readonly now: number | null;
  readonly terms: Terms;
};
