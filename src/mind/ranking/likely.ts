/**
 * Which files to search for words. Paths, history and imports of the targets predict that nearly as well as the words:
 * opening only the likeliest files finds as many of the files that commits touched as opening all (bench/recall,
 * decision 0034).
 */
import type { ImportGraph, LookInput } from './input.ts';
import { type FirstLook, importsOf } from './signals.ts';
import { fused } from './weights.ts';

/** As good as all of them, however many there are (measured with up to 31,000). */
export const MOST_OPENED = 600;
/** With a shorter history, or without a target, no file stands out. */
const LEAST_PAST = 50;

/** Their indexes in order; null for all of them. `imports`: what the targets import. */
export function likeliest(input: LookInput, look: FirstLook, imports: ImportGraph | null): Uint32Array | null {
  const files = input.places.paths.length;
  if (files <= MOST_OPENED || look.targets.size === 0 || input.history.length < LEAST_PAST) return null;
  const sum = fused({ ...look.columns, imports: importsOf(input, imports) }, files);
  for (const target of look.targets) sum[target] = Number.POSITIVE_INFINITY;
  const least = sum.toSorted()[files - MOST_OPENED] as number;
  const found: number[] = [];
  for (let file = 0; file < files; file++) if ((sum[file] as number) > least) found.push(file);
  // Among equals the first ones: any would do, but it must always be the same ones.
  for (let file = 0; file < files && found.length < MOST_OPENED; file++) if (sum[file] === least) found.push(file);
  return Uint32Array.from(found).sort();
}
