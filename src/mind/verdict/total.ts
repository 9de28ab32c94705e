/** Sums and averages that do not depend on the order of their parts, as floating point addition does. */

export const totalOf = (parts: readonly number[]): number =>
  [...parts].sort((a, b) => a - b).reduce((sum, part) => sum + part, 0);

/** Then 0.15 + 0.3 + 0.25 is 0.7 and reaches a threshold of 0.7, and two votes of equal weight are a tie. */
export const rounded = (number: number, digits = 6): number => Math.round(number * 10 ** digits) / 10 ** digits;

/** Returns null if nothing has a weight. */
export function averageOf(parts: readonly { readonly weight: number; readonly score: number }[]): number | null {
  const weights = totalOf(parts.map(({ weight }) => weight));
  return weights === 0 ? null : totalOf(parts.map(({ weight, score }) => weight * score)) / weights;
}
