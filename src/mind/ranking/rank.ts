/** Orders the files of a tree by how much a worker on the task will want to see them. */
import type { Column, Signal } from './columns.ts';
import type { WordCounts } from './counts.ts';
import type { ImportGraph, LookInput } from './input.ts';
import { reasonFor } from './reason.ts';
import { type FirstLook, firstLook, signalsOf } from './signals.ts';
import { spreadColumn } from './spread.ts';
import { DENSITY, fused, SMALL_TOKENS, WEIGHTS } from './weights.ts';

export type RankInput = Omit<LookInput, 'terms'> & {
  readonly bytes: Uint32Array;
  /** Word counts of the candidates, made by `wordScanner(termsOf(text, targets))`. */
  readonly counts: WordCounts;
  readonly imports: ImportGraph | null;
  /** The most tokens of one file; null if files are shown whole. */
  readonly cap: number | null;
  /** If it is known already. */
  readonly look?: FirstLook | null;
};

export type RankedPath = { readonly path: string; readonly score: number; readonly why: string };

/** No budget reaches further down. */
const MOST = 1_000;

/** Best first, without the targets and without files that no signal supports. */
export function rankFiles(input: RankInput): readonly RankedPath[] {
  const { places, bytes, cap, counts } = input;
  const { columns, times, targets, sum } = lookTwice(input);
  const worth = new Float64Array(sum.length).fill(Number.NEGATIVE_INFINITY);
  const most = cap ?? Number.POSITIVE_INFINITY;
  for (let at = 0; at < sum.length; at++) {
    const size = bytes[at] as number;
    const belief = sum[at] as number;
    if (size === 0 || !(belief > 0)) continue;
    const tokens = size / BYTES_PER_TOKEN;
    worth[at] = belief - DENSITY * Math.log(SMALL_TOKENS + Math.min(tokens, most));
  }
  for (const target of targets) worth[target] = Number.NEGATIVE_INFINITY;
  const reason = (at: number) => reasonFor(at, columns, times, counts);
  return best(worth, MOST)
    .map((at) => ({ at, path: places.paths[at] as string, score: Math.exp(worth[at] as number) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .slice(0, MOST)
    .map(({ at, path, score }) => new RankedFile(path, score, at, reason));
}

/** The reason is computed on demand: most files never need it, and some need it for every packet. */
class RankedFile implements RankedPath {
  readonly path: string;
  readonly score: number;
  readonly #at: number;
  readonly #reason: (at: number) => string;
  #why: string | null = null;

  constructor(path: string, score: number, at: number, reason: (at: number) => string) {
    this.path = path;
    this.score = score;
    this.#at = at;
    this.#reason = reason;
  }

  get why(): string {
    this.#why ??= this.#reason(this.#at);
    return this.#why;
  }
}

/** Indexes of the largest numbers; more than `most` if others are so near that their exponentials are equal. */
function best(worth: Float64Array, most: number): number[] {
  const least = worth.toSorted()[Math.max(0, worth.length - most)] ?? 0;
  const limit = Math.max(least - NEAR, -Number.MAX_VALUE);
  const found: number[] = [];
  for (let at = 0; at < worth.length; at++) if ((worth[at] as number) >= limit) found.push(at);
  return found;
}

const NEAR = 1e-9;
const BYTES_PER_TOKEN = 4;

/** The scaled signals, including the second look. */
export const columnsOf = (input: RankInput): Record<Signal, Column> => lookTwice(input).columns;

function lookTwice(input: RankInput) {
  const { places, counts } = input;
  const look = input.look ?? firstLook({ ...input, terms: counts.terms });
  const { changes, times, targets } = look;
  const columns = signalsOf(look, input);
  const sum = fused(columns, places.paths.length);
  const belief = sum.slice();
  for (const target of targets) belief[target] = Number.NEGATIVE_INFINITY;
  const spread = spreadColumn(places, belief, changes);
  // Added last, so that the sum is the same as if all had been added at once.
  spread.addTo(sum, WEIGHTS.spread);
  return { columns: { ...columns, spread }, times, targets, sum };
}
