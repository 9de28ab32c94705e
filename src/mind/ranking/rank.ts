/** Orders the files of a tree by how much a worker on the task will want to see them. */
import type { Column, Signal } from './columns.ts';
import { fused, scaled } from './fuse.ts';
import { stemOfPath } from './place-signals.ts';
import { reasonFor } from './reason.ts';
import type { WordCounts } from './scan.ts';
import { signalsOf } from './signals.ts';
import { spreadColumn } from './spread.ts';
import { DENSITY, SMALL_TOKENS } from './weights.ts';

export type RankedFile = { readonly path: string; readonly bytes: number };
export type PastChange = { readonly time: number; readonly paths: readonly string[]; readonly subject?: string };
export type ImportGraph = {
  /** Files that this one imports, and files that import it; only files of the tree. */
  of(path: string): readonly string[];
  by(path: string): readonly string[];
};

export type RankInput = {
  /** The candidates; what is binary, generated or too large should be left out by the caller. */
  readonly files: readonly RankedFile[];
  readonly targets: readonly string[];
  /** Made by `wordScanner(termsOf(text, targets))`. */
  readonly counts: WordCounts;
  /** Newest first. */
  readonly history: readonly PastChange[];
  /** Seconds, as in the history; null: the time of the newest change. */
  readonly now: number | null;
  readonly imports: ImportGraph | null;
  /** Most tokens that one file may take; null: files are shown whole. */
  readonly cap: number | null;
};

export type Ranked = { readonly path: string; readonly score: number; readonly why: string };

/** No budget reaches further down. */
const MOST = 1_000;

/** Best first, without the targets; files that nothing speaks for are left out. */
export function rankFiles(input: RankInput): readonly Ranked[] {
  const { files, cap, counts } = input;
  const { columns, times } = columnsOf(input);
  const sum = fused(columns, files.length);
  const targets = new Set(input.targets);
  const scores = new Float64Array(files.length);
  for (let at = 0; at < files.length; at++) {
    const { path, bytes } = files[at] as RankedFile;
    if (targets.has(path) || bytes === 0 || !((sum[at] as number) > 0)) continue;
    scores[at] = Math.exp((sum[at] as number) - DENSITY * Math.log(costOf(bytes, cap)));
  }
  return best(scores, MOST)
    .map((at) => ({ at, path: (files[at] as RankedFile).path, score: scores[at] as number }))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .slice(0, MOST)
    .map(({ at, path, score }) => ({
      ...{ path, score },
      // Most are never asked why.
      get why() {
        return reasonFor(at, columns, times, counts, path);
      },
    }));
}

/** Places of the largest numbers above 0; more than `most` only where the last of them are equal. */
function best(scores: Float64Array, most: number): number[] {
  const sorted = scores.toSorted();
  const least = Math.max(sorted[Math.max(0, sorted.length - most)] ?? 0, Number.MIN_VALUE);
  const found: number[] = [];
  for (let at = 0; at < scores.length; at++) if ((scores[at] as number) >= least) found.push(at);
  return found;
}

function costOf(bytes: number, cap: number | null): number {
  const tokens = bytes / BYTES_PER_TOKEN;
  return SMALL_TOKENS + (cap === null ? tokens : Math.min(tokens, cap));
}

const BYTES_PER_TOKEN = 4;

/** The scaled signals, the second look included. */
export function columnsOf(input: RankInput): { columns: Record<Signal, Column>; times: Uint32Array } {
  const { files, history, now } = input;
  const targets = new Set(input.targets);
  const isTarget = files.map(({ path }) => targets.has(path));
  const paths = files.map(({ path }) => path);
  const stems = paths.map(stemOfPath);
  const index = new Map(paths.map((path, at) => [path, at]));
  const { columns, times } = signalsOf(input, stems, index);
  const first = scaled(columns, isTarget);
  const belief = fused(first, files.length).map((value, at) => (isTarget[at] ? Number.NEGATIVE_INFINITY : value));
  return { columns: { ...first, spread: spreadColumn({ paths, index, stems, first: belief, history, now }) }, times };
}
