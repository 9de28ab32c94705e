/** Cuts the bytes of a file into identifiers and their words, without decoding them; whoever counts hears of each. */

/** A polynomial modulo 2^32: the hash of a part of an identifier follows from the hashes at its two ends. */
const BASE = 0x01000193;
export const LONGEST = 64;
const POWERS = new Int32Array(LONGEST + 1).fill(1);
for (let i = 1; i <= LONGEST; i++) POWERS[i] = Math.imul(POWERS[i - 1] as number, BASE);

/** In this order, for the loops compare: what ends a word, what may begin one, what goes on in one. */
const OTHER = 0;
const JOIN = 1;
const UPPER = 2;
const LOWER = 3;
const DIGIT = 4;
const CLASSES = new Uint8Array(256);
for (let c = 0; c < 256; c++) {
  if ((c >= 97 && c <= 122) || c >= 128) CLASSES[c] = LOWER;
  else if (c >= 65 && c <= 90) CLASSES[c] = UPPER;
  else if (c >= 48 && c <= 57) CLASSES[c] = DIGIT;
  else if (c === 95 || c === 45) CLASSES[c] = JOIN;
}

/** Of a word as the walk tells it: lower case, nothing left out. */
export function hashOf(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) hash = (Math.imul(hash, BASE) + byte) | 0;
  return hash;
}

/** Spreads the bits of such a hash, for tables. */
export const SPREAD = 0x9e3779b1 | 0;

/** A class, because captured variables cost a third of the speed. */
export abstract class Walk {
  /** A word inside of an identifier. */
  protected abstract word(hash: number): void;
  /** An identifier, in lower case and without what joins its words. */
  protected abstract whole(hash: number): void;

  /** How many words there are. */
  protected walk(b: Uint8Array, n: number): number {
    let total = 0;
    let i = 0;
    while (i < n) {
      let kind = CLASSES[b[i] as number] as number;
      if (kind <= JOIN) {
        i++;
        continue;
      }
      // The hash runs through the whole identifier; that of a word in it follows from `from`, where the word began.
      let hash = 0;
      let joins = 0;
      const first = i;
      for (;;) {
        let start = i;
        let from = hash;
        if (kind === UPPER) {
          let last = hash;
          do {
            last = hash;
            hash = (Math.imul(hash, BASE) + ((b[i] as number) | 32)) | 0;
            kind = ++i < n ? (CLASSES[b[i] as number] as number) : OTHER;
          } while (kind === UPPER);
          // In `HTTPServer` the last capital belongs to the next word.
          if (kind === LOWER && i - start > 1) {
            const length = i - 1 - start;
            if (length > 1) {
              total++;
              if (length <= LONGEST) this.word((last - Math.imul(from, POWERS[length] as number)) | 0);
            }
            from = last;
            start = i - 1;
          }
        }
        while (kind >= LOWER) {
          hash = (Math.imul(hash, BASE) + (b[i] as number)) | 0;
          kind = ++i < n ? (CLASSES[b[i] as number] as number) : OTHER;
        }
        const length = i - start;
        if (length > 1) {
          total++;
          if (length <= LONGEST) this.word((hash - Math.imul(from, POWERS[length] as number)) | 0);
        }
        if (kind === UPPER) continue;
        if (kind === OTHER) break;
        kind = i + 1 < n ? (CLASSES[b[i + 1] as number] as number) : OTHER;
        if (kind <= JOIN) break;
        joins++;
        i++;
      }
      if (i - first - joins <= LONGEST) this.whole(hash);
    }
    return total;
  }
}
