/** Text of others inside a packet: between two marks that it can not hold, and named as data. */
import { sha256 } from '../../kernel/hash.ts';

/**
 * `seed` is known to nobody who wrote the text. It stays the same for all attempts of a step, so that the packets begin
 * with the same bytes. The text goes in too, so that a mark seen in an earlier packet cannot close another text.
 */
export function quotedData(label: string, text: string, seed: string): string {
  let mark = markOf(seed, text);
  while (text.includes(mark)) mark = markOf(mark, text);
  return `<<<${mark} ${label}\n${text}\n${mark}>>>`;
}

/**
 * Digits alone: every mark costs the same number of tokens (with letters among them: 6 to 18, measured 2026-11), so that what
 * fits into a packet does not depend on the seed.
 */
const markOf = (seed: string, text: string): string =>
  (BigInt(`0x${sha256(`${seed}\n${text}`).slice(0, 32)}`) % MARKS).toString().padStart(DIGITS, '0');
const DIGITS = 20;
const MARKS = 10n ** BigInt(DIGITS);
