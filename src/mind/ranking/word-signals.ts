/** What the words of contents say: those of the task, and the names of the targets. */
import { raise, SparseColumn } from './columns.ts';
import type { WordCounts } from './counts.ts';
import type { Term } from './terms.ts';

/** Okapi BM25. Long files are not held down much: cost is weighed elsewhere. */
const SATURATION = 1.2;
const LENGTH = 0.6;

export function wordColumns({ totals, terms, entries, runs }: WordCounts): {
  words: SparseColumn;
  symbols: SparseColumn;
} {
  const size = totals.length;
  const opened = openedOf(totals);
  const norms = normsOf(totals, opened);
  const within = new Float64Array(terms.list.length);
  for (let n = 0; n + 1 < runs.length; n++)
    raise(within, entries.terms[runs[n] as number] as number, (runs[n + 1] as number) - (runs[n] as number));
  const sums = { task: new Float64Array(size), target: new Float64Array(size) };
  for (let n = 0; n + 1 < runs.length; n++) {
    const term = entries.terms[runs[n] as number] as number;
    const { weight, of } = terms.list[term] as Term;
    // A file may have nothing but a name of single letters, which are no words.
    const often = within[term] as number;
    const worth = weight * idfOf(Math.max(opened, often), often);
    addRun(sums[of], worth, norms, entries, runs[n] as number, runs[n + 1] as number);
  }
  return { words: SparseColumn.from(sums.task), symbols: SparseColumn.from(sums.target) };
}

/** By itself, so that the loop is soon compiled: nearly all the time is spent here. */
function addRun(
  sum: Float64Array,
  worth: number,
  norms: Float64Array,
  { files, counts }: WordCounts['entries'],
  from: number,
  to: number,
): void {
  for (let at = from; at < to; at++) {
    const file = files[at] as number;
    const count = counts[at] as number;
    sum[file] = (sum[file] as number) + worth * ((count * (SATURATION + 1)) / (count + (norms[file] as number)));
  }
}

/** A file without any word, or one that was not opened, says nothing about the others. */
function openedOf(totals: Uint32Array): number {
  let opened = 0;
  for (let file = 0; file < totals.length; file++) if (totals[file] !== 0) opened++;
  return opened;
}

function normsOf(totals: Uint32Array, opened: number): Float64Array {
  let total = 0;
  for (let file = 0; file < totals.length; file++) total += totals[file] as number;
  const mean = Math.max(1, total / Math.max(1, opened));
  const norms = new Float64Array(totals.length);
  for (let file = 0; file < totals.length; file++)
    norms[file] = SATURATION * (1 - LENGTH + (LENGTH * (totals[file] as number)) / mean);
  return norms;
}

/** How much it says that a term occurs: nothing when it is everywhere. */
export const idfOf = (files: number, within: number): number => Math.log(1 + (files - within + 0.5) / (within + 0.5));
