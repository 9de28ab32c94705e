/** What every step of packing uses. */
import { type RedactFiles, Texts } from './pack-texts.ts';
import { ByteCache } from './tree-cache.ts';

export type Tools = {
  readonly cache: ByteCache;
  readonly texts: Texts;
  /** A name for an object that lives as long as its task is packed for, to remember by what was made with it. */
  readonly nameOf: (one: object) => number;
};

/** Tokens of a text, roughly, times the factor of the model. */
export type Estimate = (text: string) => number;

export function makeTools(redact: RedactFiles, cacheBytes: number): Tools {
  const cache = new ByteCache(cacheBytes);
  const names = new WeakMap<object, number>();
  let last = 0;
  const nameOf = (one: object): number => {
    const known = names.get(one);
    if (known !== undefined) return known;
    last += 1;
    names.set(one, last);
    return last;
  };
  return { cache, texts: new Texts(redact, cache), nameOf };
}
