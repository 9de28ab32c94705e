/**
 * How much each signal counts. Tuned on the older half ("dev") of the commit lists of fastify, vite and nest, as a
 * linear model of which files the commit touched; see bench/recall/README.md for the numbers on repositories it never
 * saw. Rounded by hand, and `named` raised: commit messages seldom name files, but people who write tasks do.
 */
import { type Column, SIGNALS, type Signal } from './columns.ts';

/** The score of a file is the exponential of the sum: two signals that agree are worth more than both apart. */
export const WEIGHTS: Readonly<Record<Signal, number>> = {
  words: 3.9,
  path: 2,
  named: 4,
  together: 6,
  alike: 1.3,
  churn: 1.7,
  folders: 1.8,
  imports: 1.1,
  symbols: 1.4,
  near: 1,
  kin: 0.9,
  twin: 0.7,
  spread: 10,
};

/** The logarithm of how likely each file is wanted, up to a constant. Always added in the same order. */
export function fused(columns: Readonly<Partial<Record<Signal, Column>>>, files: number): Float64Array {
  const sum = new Float64Array(files);
  for (const signal of SIGNALS) if (WEIGHTS[signal] !== 0) columns[signal]?.addTo(sum, WEIGHTS[signal]);
  return sum;
}

/** How much long files are held back: 0 not at all, 1: a file twice as long must be twice as likely. */
export const DENSITY = 0.8;
/** Added to what a file costs: far below this, shortness is no advantage. */
export const SMALL_TOKENS = 300;
