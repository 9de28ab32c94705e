/** Signals of words in contents: the task's words, and the targets' names. */
import { raise, SparseColumn } from './columns.ts';
import type { WordCounts } from './counts.ts';

/** Okapi BM25. Long files are hardly penalised: cost is weighed elsewhere. */
const SATURATION = 1.2;
const LENGTH = 0.6;

export function wordColumns({ totals, terms, hits }: WordCounts): { words: SparseColumn; symbols: SparseColumn } {
  const opened = openedOf(totals);
  const norms = normsOf(totals, opened);
  const within = new Float64Array(terms.list.length);
  for (const own of hits) for (let n = 0; n < own.length; n += 2) raise(within, own[n] as number, 1);
  const worths = Float64Array.from(terms.list, ({ weight }, term) => {
    const often = within[term] as number;
    // A file may consist of single letters, which are no words.
    return weight * idfOf(Math.max(opened, often), often);
  });
  const [words, symbols] = [new Float64Array(totals.length), new Float64Array(totals.length)];
  for (const [file, own] of hits.entries()) {
    for (let n = 0; n < own.length; n += 2) {
      const [term, count] = [own[n] as number, own[n + 1] as number];
      const sums = terms.list[term]?.of === 'task' ? words : symbols;
      raise(sums, file, (worths[term] as number) * ((count * (SATURATION + 1)) / (count + (norms[file] as number))));
    }
  }
  return { words: SparseColumn.from(words), symbols: SparseColumn.from(symbols) };
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

/** How much a term's occurrence says: nothing if it is everywhere. */
export const idfOf = (files: number, within: number): number => Math.log(1 + (files - within + 0.5) / (within + 0.5));
