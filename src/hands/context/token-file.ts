/**
 * The tokeniser, from the vocabulary file that the build puts beside the program. A run from source has none; see
 * `loadCounter`.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type CountTokens, loadCounter, openCounter } from '../../mind/tokens/count.ts';
import { VOCABULARY_HEAD, vocabularySize } from '../../mind/tokens/vocabulary.ts';

/** Written by the build: `packedVocabulary()`. */
export const VOCABULARY_FILE = 'o200k.bin';

/** Reads the file at the first count; cached counts may be all that a packet needs. */
export async function counter(file = join(import.meta.dirname, VOCABULARY_FILE)): Promise<CountTokens> {
  if (!isWhole(file)) return loadCounter();
  let count: CountTokens | null = null;
  return (text) => {
    count ??= openCounter(readFileSync(file));
    return count(text);
  };
}

function isWhole(file: string): boolean {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return false;
  }
  try {
    const head = new Uint8Array(VOCABULARY_HEAD);
    return readSync(fd, head) === head.length && vocabularySize(head) === fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
}
