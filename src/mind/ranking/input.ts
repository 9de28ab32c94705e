/** What the ranking is told of a task, its tree and its history. */
import type { Places } from './places.ts';
import type { Terms } from './terms.ts';

export type PastChange = {
  readonly time: number;
  readonly paths: readonly string[];
  /** Of its subject, see `SubjectWords`. */
  readonly words: readonly number[];
};
export type ImportGraph = {
  /** Files that this one imports, and files that import it; only files of the tree. */
  of(path: string): readonly string[];
  by(path: string): readonly string[];
};

/** For what paths and history say. */
export type LookInput = {
  /** The candidates; what is binary, generated or too large should be left out by the caller. */
  readonly places: Places;
  /** Where each path stands among them. */
  readonly index: { get(path: string): number | undefined };
  readonly targets: readonly string[];
  /** Newest first. */
  readonly history: readonly PastChange[];
  /** Seconds, as in the history; null: the time of the newest change. */
  readonly now: number | null;
  readonly terms: Terms;
};
