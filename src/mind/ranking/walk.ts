/** Splits bytes of texts into identifiers and their words, without decoding, and collects those that may be wanted. */

/** A polynomial modulo 2^32: the hash of a part of an identifier follows from the hashes at its two ends. */
export const BASE = 0x01000193;
export const LONGEST = 64;
const POWERS = powersUpTo(LONGEST);

/** The powers of BASE, from 0 to `last`. */
export function powersUpTo(last: number): Int32Array {
  const powers = new Int32Array(last + 1).fill(1);
  for (let n = 1; n <= last; n++) powers[n] = Math.imul(powers[n - 1] as number, BASE);
  return powers;
}

/** In this order, because the loops compare: what ends a word, what may start one, what continues one. */
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

/** The hash of a whole word in lower case, as the walk computes it. */
export function hashOf(bytes: Uint8Array): number {
  let hash = 0;
  for (let at = 0; at < bytes.length; at++) hash = (Math.imul(hash, BASE) + (bytes[at] as number)) | 0;
  return hash;
}

/** Searches one file for the wanted words. */
export class Walk {
  /** By some bits of their hashes: excludes nearly everything else at once. */
  readonly #wanted = new Uint8Array(1 << 16);
  /** Hashes of words inside identifiers; `wordCount` are valid. */
  words = new Int32Array(1 << 10);
  wordCount = 0;
  /** Hashes of identifiers, in lower case and without the signs that join their words. */
  wholes = new Int32Array(1 << 10);
  wholeCount = 0;

  want(hash: number): void {
    this.#wanted[(hash ^ (hash >>> 16)) & 0xffff] = 1;
  }

  wantAll(): void {
    this.#wanted.fill(1);
  }

  /** Walks up to `end`. */
  walk(bytes: Uint8Array, end: number, start = 0): number {
    const total = this.#walk(bytes, start, end);
    if (this.wordCount <= this.words.length && this.wholeCount <= this.wholes.length) return total;
    // Some did not fit and were not written: repeat with enough room.
    this.words = new Int32Array(this.wordCount * 2);
    this.wholes = new Int32Array(this.wholeCount * 2);
    return this.#walk(bytes, start, end);
  }

  /**
   * Every byte of a repository goes through here. It calls nothing, and its finds are examined later: a call in the
   * loop, even one that never happens, halves its speed.
   */
  #walk(b: Uint8Array, start: number, n: number): number {
    const [classes, powers, wanted, words, wholes] = [CLASSES, POWERS, this.#wanted, this.words, this.wholes];
    let total = 0;
    let wordCount = 0;
    let wholeCount = 0;
    let i = start;
    while (i < n) {
      let kind = classes[b[i] as number] as number;
      if (kind <= JOIN) {
        i++;
        continue;
      }
      // The hash runs through the whole identifier; that of a word in it follows from `from`, where the word began.
      let hash = 0;
      let joins = 0;
      const first = i;
      for (;;) {
        let begin = i;
        let from = hash;
        if (kind === UPPER) {
          let last = hash;
          do {
            last = hash;
            hash = (Math.imul(hash, BASE) + ((b[i] as number) | 32)) | 0;
            kind = ++i < n ? (classes[b[i] as number] as number) : OTHER;
          } while (kind === UPPER);
          // In `HTTPServer` the last capital belongs to the next word.
          if (kind === LOWER && i - begin > 1) {
            const length = i - 1 - begin;
            const word = (last - Math.imul(from, powers[length] as number)) | 0;
            const isWord = length > 1;
            if (isWord) total++;
            if (isWord && length <= LONGEST && wanted[(word ^ (word >>> 16)) & 0xffff] !== 0) words[wordCount++] = word;
            from = last;
            begin = i - 1;
          }
        }
        while (kind >= LOWER) {
          hash = (Math.imul(hash, BASE) + (b[i] as number)) | 0;
          kind = ++i < n ? (classes[b[i] as number] as number) : OTHER;
        }
        const length = i - begin;
        if (length > 1) {
          total++;
          const word = (hash - Math.imul(from, powers[length] as number)) | 0;
          if (wanted[(word ^ (word >>> 16)) & 0xffff] !== 0 && length <= LONGEST) words[wordCount++] = word;
        }
        if (kind === UPPER) continue;
        if (kind === OTHER) break;
        kind = i + 1 < n ? (classes[b[i + 1] as number] as number) : OTHER;
        if (kind <= JOIN) break;
        joins++;
        i++;
      }
      if (wanted[(hash ^ (hash >>> 16)) & 0xffff] !== 0 && i - first - joins <= LONGEST) wholes[wholeCount++] = hash;
    }
    this.wordCount = wordCount;
    this.wholeCount = wholeCount;
    return total;
  }
}
