/** What every step of packing uses. */
import { join } from 'node:path';
import { type RedactFiles, Texts } from './pack-texts.ts';
import { ByteCache } from './tree-cache.ts';
import { WordFile } from './word-file.ts';

export type Tools = {
  readonly cache: ByteCache;
  readonly texts: Texts;
  /** Null: nothing is kept on disk. */
  readonly words: WordFile | null;
  /** A name for an object that lives as long as its task is packed for, to remember by what was made with it. */
  readonly nameOf: (one: object) => number;
};

/** Tokens of a text, roughly, times the factor of the model. */
export type Estimate = (text: string) => number;

export function makeTools(redact: RedactFiles, cacheBytes: number, cacheDir: string | null): Tools {
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
  const words = cacheDir === null ? null : new WordFile(join(cacheDir, 'words'));
  return { cache, texts: new Texts(redact, cache), words, nameOf };
}
