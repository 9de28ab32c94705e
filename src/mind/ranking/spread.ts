/**
 * A second look: the best files of the first ranking speak for those that change with them. A task names the code;
 * its tests and documents are often found only through that code.
 */
import { type Column, raise } from './columns.ts';
import { worthOf } from './past-signals.ts';
import type { PastChange } from './rank.ts';

const SPEAKERS = 10;

export type SpreadInput = {
  readonly paths: readonly string[];
  /** Where each stands among them. */
  readonly index: ReadonlyMap<string, number>;
  /** What each is called after, see `stemOfPath`. */
  readonly stems: readonly string[];
  /** The logarithm of how likely each is wanted; minus infinity for those that shall not speak. */
  readonly first: Float64Array;
  readonly history: readonly PastChange[];
  readonly now: number | null;
};

export function spreadColumn({ paths, index, stems, first, history, now }: SpreadInput): Column {
  const column = new Float64Array(paths.length);
  const voices = speakers(first, paths);
  const present = now ?? history[0]?.time ?? 0;
  const seen = new Map<number, number>([...voices.keys()].map((at) => [at, 1]));
  const found = new Map<number, Map<number, number>>([...voices.keys()].map((at) => [at, new Map()]));
  for (const change of history) {
    const files = change.paths.flatMap((path) => index.get(path) ?? []);
    const here = files.filter((at) => voices.has(at));
    if (here.length === 0) continue;
    const worth = worthOf(change, present);
    if (worth === null) continue;
    const { recent, share } = worth;
    for (const speaker of here) {
      seen.set(speaker, (seen.get(speaker) as number) + recent);
      const row = found.get(speaker) as Map<number, number>;
      for (const at of files) if (at !== speaker) row.set(at, (row.get(at) ?? 0) + share);
    }
  }
  for (const [speaker, row] of found) {
    const worth = (voices.get(speaker) as number) / (seen.get(speaker) as number);
    for (const [at, value] of row) raise(column, at, worth * value);
  }
  addTwins(stems, voices, column);
  return column;
}

/** The best few, each with its share of the belief. */
function speakers(first: Float64Array, paths: readonly string[]): Map<number, number> {
  const least = first.toSorted().at(-SPEAKERS) ?? Number.NEGATIVE_INFINITY;
  const order: number[] = [];
  for (let at = 0; at < first.length; at++)
    if (Number.isFinite(first[at]) && (first[at] as number) >= least) order.push(at);
  const byPath = (a: number, b: number) => ((paths[a] as string) < (paths[b] as string) ? -1 : 1);
  order.sort((a, b) => (first[b] as number) - (first[a] as number) || byPath(a, b));
  const best = order.slice(0, SPEAKERS);
  const top = first[best[0] ?? 0] ?? 0;
  const weights = best.map((at) => Math.exp((first[at] as number) - top));
  const sum = weights.reduce((a, b) => a + b, 0);
  return new Map(best.map((at, i) => [at, (weights[i] as number) / sum]));
}

const TWIN = 0.25;

function addTwins(stems: readonly string[], voices: ReadonlyMap<number, number>, column: Column): void {
  const wanted = new Set([...voices.keys()].map((at) => stems[at] as string).filter((stem) => stem.length > 2));
  const twins = new Map<string, number[]>([...wanted].map((stem) => [stem, []]));
  for (const [at, stem] of stems.entries()) twins.get(stem)?.push(at);
  for (const files of twins.values()) {
    const heard = files.reduce((sum, at) => sum + (voices.get(at) ?? 0), 0);
    for (const at of files) raise(column, at, (TWIN * (heard - (voices.get(at) ?? 0))) / Math.log2(1 + files.length));
  }
}
