/** Means, and how far they would move with other commits. */
export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

const ROUNDS = 2_000;

/** 95 % of the means of samples drawn with repeats; the draw is the same every time. */
export function intervalOf(values: readonly number[]): readonly [number, number] {
  if (values.length === 0) return [0, 0];
  let state = 12_345;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const means = Array.from({ length: ROUNDS }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(next() * values.length)]!;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return [means[Math.floor(ROUNDS * 0.025)]!, means[Math.floor(ROUNDS * 0.975)]!];
}
