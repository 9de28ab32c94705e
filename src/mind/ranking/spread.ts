/**
 * A second look: the best files of the first ranking recommend those that change with them. A task names the code; its
 * tests and documents are often found only through that code.
 */
import { SparseColumn } from './columns.ts';
import { type Changes, changesWith } from './past-signals.ts';
import { stemOfPath } from './place-stems.ts';
import { filesOfStem, type PathTable } from './places.ts';

const SPEAKERS = 10;

/** `first`: the logarithm of how likely each is wanted; minus infinity for those that must not recommend. */
export function spreadColumn(places: PathTable, first: Float64Array, changes: Changes): SparseColumn {
  const column = new SparseColumn(first.length);
  const voices = speakers(first, places.paths);
  const seen = new Map<number, number>([...voices.keys()].map((at) => [at, 1]));
  const found = new Map<number, Map<number, number>>([...voices.keys()].map((at) => [at, new Map()]));
  const isVoice = new Uint8Array(first.length);
  for (const at of voices.keys()) isVoice[at] = 1;
  const { starts, files, recent, share } = changes;
  for (const n of changesWith(isVoice, changes)) {
    const from = starts[n] as number;
    const to = starts[n + 1] as number;
    for (let k = from; k < to; k++) {
      const speaker = files[k] as number;
      if (isVoice[speaker] !== 1) continue;
      seen.set(speaker, (seen.get(speaker) as number) + (recent[n] as number));
      const row = found.get(speaker) as Map<number, number>;
      for (const at of files.subarray(from, to))
        if (at >= 0 && at !== speaker) row.set(at, (row.get(at) ?? 0) + (share[n] as number));
    }
  }
  for (const [speaker, row] of found) {
    const worth = (voices.get(speaker) as number) / (seen.get(speaker) as number);
    for (const [at, value] of row) column.raise(at, worth * value);
  }
  addTwins(places, voices, column);
  return column;
}

/** The best few, each with its share of the belief. */
function speakers(first: Float64Array, paths: readonly string[]): Map<number, number> {
  const least = first.toSorted().at(-SPEAKERS) ?? Number.NEGATIVE_INFINITY;
  const order: number[] = [];
  for (let at = 0; at < first.length; at++)
    if ((first[at] as number) >= least && Number.isFinite(first[at])) order.push(at);
  const byPath = (a: number, b: number) => ((paths[a] as string) < (paths[b] as string) ? -1 : 1);
  order.sort((a, b) => (first[b] as number) - (first[a] as number) || byPath(a, b));
  const best = order.slice(0, SPEAKERS);
  const top = first[best[0] ?? 0] ?? 0;
  const weights = best.map((at) => Math.exp((first[at] as number) - top));
  const sum = weights.reduce((a, b) => a + b, 0);
  return new Map(best.map((at, i) => [at, (weights[i] as number) / sum]));
}

const TWIN = 0.25;

function addTwins(places: PathTable, voices: ReadonlyMap<number, number>, column: SparseColumn): void {
  const stems = [...voices.keys()].map((at) => stemOfPath(places.paths[at] as string));
  for (const stem of new Set(stems.filter((one) => one.length > 2))) {
    const files = filesOfStem(places, stem);
    const heard = files.reduce((sum, at) => sum + (voices.get(at) ?? 0), 0);
    for (const at of files) column.raise(at, (TWIN * (heard - (voices.get(at) ?? 0))) / Math.log2(1 + files.length));
  }
}
