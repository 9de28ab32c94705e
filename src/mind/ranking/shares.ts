/** How many tokens a file may take by its place in the ranking: the further down, the less certain its use. */

/**
 * Half after this many files. Tuned on the same commits as the weights, where it brings more files for the same lines.
 */
const HALF = 4;
/** Less shows too little of a file to be of use. */
const LEAST = 600;

/** `place` counts from 0 among the shown files, `cap` is the share of the first. */
export function shareFor(place: number, cap: number): number {
  return Math.min(cap, Math.max(LEAST, Math.floor(cap / (1 + place / HALF))));
}
