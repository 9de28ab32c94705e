/** The tokeniser, from the vocabulary that the build puts beside the program; from source there is none, see `loadCounter`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CountTokens, loadCounter } from '../../mind/tokens/count.ts';

/** Written by the build: `packedVocabulary()`. */
export const VOCABULARY_FILE = 'o200k.bin';

export function counter(): Promise<CountTokens> {
  try {
    return loadCounter(readFileSync(join(import.meta.dirname, VOCABULARY_FILE)));
  } catch {
    return loadCounter();
  }
}
