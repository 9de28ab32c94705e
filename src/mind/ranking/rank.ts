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
  const { files, cap } = input;
  const { columns, times } = columnsOf(input);
  const sum = fused(columns, files.length);
  const targets = new Set(input.targets);
  const ranked: { readonly at: number; readonly path: string; readonly score: number }[] = [];
  for (const [at, { path, bytes }] of files.entries()) {
    if (targets.has(path) || bytes === 0 || !((sum[at] as number) > 0)) continue;
    ranked.push({ at, path, score: Math.exp((sum[at] as number) - DENSITY * Math.log(costOf(bytes, cap))) });
  }
  ranked.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return ranked
    .slice(0, MOST)
    .map(({ at, path, score }) => ({ path, score, why: reasonFor(at, columns, times, input.counts, path) }));
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
  const { columns, times } = signalsOf(input, stems);
  const first = scaled(columns, isTarget);
  const belief = fused(first, files.length).map((value, at) => (isTarget[at] ? Number.NEGATIVE_INFINITY : value));
  return { columns: { ...first, spread: spreadColumn({ paths, stems, first: belief, history, now }) }, times };
}
