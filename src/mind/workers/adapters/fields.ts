/** Reads fields of foreign JSON: only own properties; wrong types count as absent. */
import { type Cost, UNKNOWN_COST } from '../../domain/values.ts';

export function at(value: unknown, ...keys: readonly (string | number)[]): unknown {
  let here = value;
  for (const key of keys) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

export function textAt(value: unknown, ...keys: readonly (string | number)[]): string | null {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : null;
}

export function numberAt(value: unknown, ...keys: readonly (string | number)[]): number | null {
  const found = at(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** A number of tokens; anything else is unknown. */
export function tokensAt(value: unknown, ...keys: readonly (string | number)[]): number | null {
  const found = numberAt(value, ...keys);
  return found !== null && found >= 0 && found <= MAX_COUNT ? Math.round(found) + 0 : null;
}

/** Returns null if none of them is known. */
export const sumOf = (numbers: readonly (number | null)[]): number | null => {
  const known = numbers.filter((one) => one !== null);
  return known.length === 0
    ? null
    : Math.min(
        MAX_COUNT,
        known.reduce((sum, one) => sum + one, 0),
      );
};

/** From a CLI's report in dollars and tokens. Impossible numbers count as unknown. */
export const costOf = (of: {
  readonly usd?: number | null;
  readonly in?: number | null;
  readonly out?: number | null;
}): Cost => ({
  ...UNKNOWN_COST,
  microusd: whole((of.usd ?? Number.NaN) * 1e6),
  tokens_in: whole(of.in ?? Number.NaN),
  tokens_out: whole(of.out ?? Number.NaN),
});

/** The larger of two counts of one run: a later one may be forged, so a known count never shrinks. */
export const atLeast = (before: Cost, now: Cost): Cost => ({
  microusd: larger(before.microusd, now.microusd),
  tokens_in: larger(before.tokens_in, now.tokens_in),
  tokens_out: larger(before.tokens_out, now.tokens_out),
});
const larger = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** No run costs a million dollars or uses 10^12 tokens: such a number is a mistake or a lie. */
const MAX_COUNT = 1e12;
const whole = (number: number): number | null => (number >= 0 && number <= MAX_COUNT ? Math.round(number) + 0 : null);
