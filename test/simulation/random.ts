/** Chance from a seed: the same seed gives the same numbers in the same order, for ever. */
export class Random {
  readonly #seed: number;
  #state: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = mix(this.#seed);
  }

  /** A number in [0, 1). Mulberry32: 32 bits of state are plenty for one schedule, and it is fast. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return mix(this.#state) / 4_294_967_296;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)] as T;
  }

  /** A key, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return entries.at(-1)?.[0] as K;
  }

  /** Another row of numbers, which does not depend on how many were drawn from this one. */
  fork(name: string): Random {
    let hash = this.#seed ^ 0x9e3779b9;
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    return new Random(hash);
  }
}

function mix(state: number): number {
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (t ^ (t >>> 14)) >>> 0;
}
