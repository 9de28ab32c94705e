/** Makes one number per file of all signals. */
import { type Column, SIGNALS, type Signal } from './columns.ts';
import { WEIGHTS } from './weights.ts';

/** The logarithm of how likely each file is wanted, up to a constant. Always added in the same order. */
export function fused(columns: Readonly<Partial<Record<Signal, Column>>>, files: number): Float64Array {
  const sum = new Float64Array(files);
  for (const signal of SIGNALS) if (WEIGHTS[signal] !== 0) columns[signal]?.addTo(sum, WEIGHTS[signal]);
  return sum;
}
