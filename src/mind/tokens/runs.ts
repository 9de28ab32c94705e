/**
 * Describes a text by a few numbers that determine its token count: how many runs of letters, digits, signs and spaces
 * it has, and their lengths. One look at each byte, because it is done for every file of a repository.
 */

/** Kinds of bytes. */
const KINDS = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const [LOWER, UPPER, DIGIT, SPACE, TAB, LINE, SIGN, HIGH] = KINDS;

const KIND_OF = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return HIGH;
  if (byte >= 97 && byte <= 122) return LOWER;
  if (byte >= 65 && byte <= 90) return UPPER;
  if (byte >= 48 && byte <= 57) return DIGIT;
  if (byte === 10 || byte === 13) return LINE;
  if (byte === 9) return TAB;
  return byte === 32 || byte === 11 || byte === 12 ? SPACE : SIGN;
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

/** For runs up to this length the weight is precomputed. */
const WIDTH = 64;

/** Returns a function that adds up the weights of all runs in a text. */
export function weigher(weights: readonly number[]): (bytes: Uint8Array) => number {
  // By kind, because a table is made when the program starts.
  const terms = KINDS.map((kind) =>
    TERMS.flatMap(([own, value], n) => (own === kind ? { value, weight: weights[n] ?? 0 } : [])),
  );
  const weigh = (kind: number, length: number): number => {
    let sum = 0;
    for (const { value, weight } of terms[kind] ?? []) sum += value(length) * weight;
    return sum;
  };
  const table = new Float64Array(KINDS.length * WIDTH);
  for (const kind of KINDS)
    for (let length = 0; length < WIDTH; length += 1) table[kind * WIDTH + length] = weigh(kind, length);
  return (bytes) => {
    // Copied, and looked up in place: a call for each run costs more than everything else, above all in a new process.
    const [weights, kinds, size] = [table, KIND_OF, bytes.length];
    if (size === 0) return 0;
    let sum = 0;
    let kind = kinds[bytes[0] as number] as number;
    let start = 0;
    for (let at = 1; at < size; at += 1) {
      const next = kinds[bytes[at] as number] as number;
      if (next === kind) continue;
      // `Word` is one run: its capital letter belongs to what follows.
      const end = kind === UPPER && next === LOWER ? at - 1 : at;
      const length = end - start;
      if (length > 0) sum += length < WIDTH ? (weights[kind * WIDTH + length] as number) : weigh(kind, length);
      start = end;
      kind = next;
    }
    return sum + weigh(kind, size - start);
  };
}

/** For fitting: the sum of each term. Made on demand: making it takes longer than counting a packet. */
export function featuresOf(bytes: Uint8Array): number[] {
  single ??= TERMS.map((_, n) => weigher(TERMS.map((_, m) => (n === m ? 1 : 0))));
  return single.map((weighOne) => weighOne(bytes));
}

let single: ((bytes: Uint8Array) => number)[] | null = null;
