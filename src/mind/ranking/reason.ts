/** Tells people why a file was chosen. */
import type { Column, Signal } from './columns.ts';
import type { WordCounts } from './counts.ts';
import type { Term } from './terms.ts';
import { WEIGHTS } from './weights.ts';

const MOST_REASONS = 3;
const MOST_WORDS = 4;
/** What a signal must add to be mentioned. */
const WORTH = 0.25;

export function reasonFor(
  at: number,
  columns: Readonly<Record<Signal, Column>>,
  times: Uint32Array,
  counts: WordCounts,
): string {
  const parts = (Object.keys(columns) as Signal[])
    .map((signal) => ({ signal, worth: WEIGHTS[signal] * columns[signal].at(at) }))
    .filter(({ worth }) => worth >= WORTH)
    .sort((a, b) => b.worth - a.worth)
    .slice(0, MOST_REASONS)
    .map(({ signal }) => sentence(signal, at, times, counts));
  return parts.length > 0 ? [...new Set(parts)].join('; ') : 'little evidence';
}

function sentence(signal: Signal, at: number, times: Uint32Array, counts: WordCounts): string {
  switch (signal) {
    case 'words':
      return `words ${wordsFound(counts, at).join(', ')}`;
    case 'path':
      return 'its path has words of the task';
    case 'named':
      return 'the task names it';
    case 'together':
      return `changed with the target ${times[at] === 1 ? 'once' : `${times[at]} times`}`;
    case 'alike':
      return 'changed for similar tasks';
    case 'churn':
      return 'changes often';
    case 'folders':
      return 'its folder changes with that of the target';
    case 'imports':
      return 'imports the target, or is imported by it';
    case 'symbols':
      return 'shares names with the target';
    case 'near':
      return 'near the target';
    case 'kin':
      return 'its path is like that of the target';
    case 'twin':
      return 'named like the target';
    case 'spread':
      return 'changes with other chosen files';
  }
}

/** The most significant words of the task in the file: rare ones, found often. */
function wordsFound(counts: WordCounts, at: number): string[] {
  const found: { readonly key: string; readonly worth: number }[] = [];
  const hits = counts.hits[at] as readonly number[];
  for (let n = 0; n < hits.length; n += 2) {
    const { key, weight, of } = counts.terms.list[hits[n] as number] as Term;
    if (of === 'task') found.push({ key, worth: weight * Math.log1p(hits[n + 1] as number) });
  }
  found.sort((a, b) => b.worth - a.worth || (a.key < b.key ? -1 : 1));
  return found.slice(0, MOST_WORDS).map(({ key }) => key);
}
