/** Foreign text inside a packet: between two marks that it cannot contain, and labelled as data. */
import { sha256 } from '../../kernel/hash.ts';

/**
 * The author of the text does not know `seed`. It stays the same for all attempts of a step, so that their packets
 * begin with the same bytes. The hash includes the text, so that a mark seen in an earlier packet cannot close another
 * text.
 */
export function quotedData(label: string, text: string, seed: string): string {
  let mark = markOf(seed, text);
  while (text.includes(mark)) mark = markOf(mark, text);
  return `<<<${mark} ${label}\n${text}\n${mark}>>>`;
}

/**
 * Only digits: every mark costs the same number of tokens (with letters: 6 to 18, measured 2026-11), so that what fits
 * into a packet does not depend on the seed.
 */
const markOf = (seed: string, text: string): string =>
  (BigInt(`0x${sha256(`${seed}\n${text}`).slice(0, 32)}`) % MARKS).toString().padStart(DIGITS, '0');
const DIGITS = 20;
const MARKS = 10n ** BigInt(DIGITS);
