/**
 * Which files are worth opening to look for words. Paths, history and what the targets import tell that nearly as well as
 * the words do: of the files that commits touched, as many are found when only the likeliest are opened as when all are
 * (bench/recall, decision 0034).
 */
import type { ImportGraph, LookInput } from './input.ts';
import { type FirstLook, importsOf } from './signals.ts';
import { fused } from './weights.ts';

/** As good as all of them, however many there are (measured with up to 31,000). */
export const MOST_OPENED = 600;
/** With a shorter history, or without a target, too little speaks for one file rather than another. */
const LEAST_PAST = 50;

/** Their places in order; null: all of them. `imports`: what the targets import. */
export function likeliest(input: LookInput, look: FirstLook, imports: ImportGraph | null): Uint32Array | null {
  const files = input.places.paths.length;
  if (files <= MOST_OPENED || look.targets.size === 0 || input.history.length < LEAST_PAST) return null;
  const sum = fused({ ...look.columns, imports: importsOf(input, imports) }, files);
  for (const target of look.targets) sum[target] = Number.POSITIVE_INFINITY;
  const least = sum.toSorted()[files - MOST_OPENED] as number;
  const found: number[] = [];
  for (let file = 0; file < files; file++) if ((sum[file] as number) > least) found.push(file);
  // Where many are worth the same, the first ones: which does not matter, but it must always be the same ones.
  for (let file = 0; file < files && found.length < MOST_OPENED; file++) if (sum[file] === least) found.push(file);
  return Uint32Array.from(found).sort();
}
