/** Text of others inside a packet: between two marks that it can not hold, and named as data. */
import { sha256 } from '../../kernel/hash.ts';

/**
 * `seed` is new for every packet and known to nobody who wrote the text; the text goes in too, so that the mark is never
 * in it by chance or by knowledge.
 */
export function quotedData(label: string, text: string, seed: string): string {
  let mark = markOf(seed, text);
  while (text.includes(mark)) mark = markOf(mark, text);
  return `<<<${mark} ${label}\n${text}\n${mark}>>>`;
}

const markOf = (seed: string, text: string): string => sha256(`${seed}\n${text}`).slice(0, 20).toUpperCase();
