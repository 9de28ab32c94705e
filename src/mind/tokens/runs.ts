/**
 * What a text is like, as a few numbers that its count of tokens follows from: how many runs of letters, digits, signs and
 * spaces it has, and how long they are. One look at each byte, because it is done for every file of a repository.
 */

/** Kinds of bytes. */
const [LOWER, UPPER, DIGIT, SPACE, TAB, LINE, SIGN, HIGH] = [0, 1, 2, 3, 4, 5, 6, 7] as const;

const KIND_OF = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return HIGH;
  const character = String.fromCharCode(byte);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/\d/.test(character)) return DIGIT;
  if (/[\r\n]/.test(character)) return LINE;
  if (character === '\t') return TAB;
  return /\s/.test(character) ? SPACE : SIGN;
});

/** What one run counts, by its kind and length. */
const one = () => 1;
const beyond = (start: number) => (length: number) => Math.max(0, length - start);
const TERMS: readonly (readonly [kind: number, value: (length: number) => number])[] = [
  ...[one, beyond(4), beyond(8), beyond(14)].map((term) => [LOWER, term] as const),
  ...[one, beyond(2), beyond(6)].map((term) => [UPPER, term] as const),
  [DIGIT, (length) => Math.ceil(length / 3)],
  [SPACE, (length) => (length === 1 ? 1 : 0)],
  [SPACE, (length) => (length > 1 ? 1 : 0)],
  [SPACE, beyond(16)],
  ...[one, beyond(4)].map((term) => [TAB, term] as const),
  ...[one, beyond(1)].map((term) => [LINE, term] as const),
  ...[one, beyond(1), beyond(3)].map((term) => [SIGN, term] as const),
  ...[one, beyond(0)].map((term) => [HIGH, term] as const),
];
export const FEATURES = TERMS.length;

/** For runs up to this length what they weigh is worked out beforehand. */
const WIDTH = 64;

/** A function that adds up what all runs of a text weigh. */
export function weigher(weights: readonly number[]): (bytes: Uint8Array) => number {
  const weigh = (kind: number, length: number): number =>
    TERMS.reduce((sum, [own, value], n) => (own === kind ? sum + value(length) * (weights[n] ?? 0) : sum), 0);
  const table = Float64Array.from({ length: (HIGH + 1) * WIDTH }, (_, n) => weigh(Math.floor(n / WIDTH), n % WIDTH));
  const of = (kind: number, length: number): number =>
    length < WIDTH ? (table[kind * WIDTH + length] as number) : weigh(kind, length);
  return (bytes) => {
    if (bytes.length === 0) return 0;
    let sum = 0;
    let kind = KIND_OF[bytes[0] as number] as number;
    let start = 0;
    for (let at = 1; at < bytes.length; at += 1) {
      const next = KIND_OF[bytes[at] as number] as number;
      if (next === kind) continue;
      // `Word` is one run: its capital letter belongs to what follows.
      const end = kind === UPPER && next === LOWER ? at - 1 : at;
      if (end > start) sum += of(kind, end - start);
      start = end;
      kind = next;
    }
    return sum + of(kind, bytes.length - start);
  };
}

/** For fitting: what each term alone adds up to. */
export function featuresOf(bytes: Uint8Array): number[] {
  return SINGLE.map((weighOne) => weighOne(bytes));
}

const SINGLE = TERMS.map((_, n) => weigher(TERMS.map((_, m) => (n === m ? 1 : 0))));
