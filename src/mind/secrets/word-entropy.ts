/**
 * Measures how far a word is from ordinary source text. A table of letter pairs, counted in about 60 MB of other
 * people's source code (2026-11), says how many bits each next character costs a reader who expects names and words. A
 * random string costs more than that reader expects, and the difference adds up with its length. So one number serves
 * for short and long values, for hex and for base64, and needs no list of words.
 */
const LETTERS = 26;
/** A character as one of 54: a-z, A-Z, a digit, a sign; anything that is not ASCII is a sign. */
const DIGIT = 52;
const SIGN = 53;
const CLASSES = 54;

/** Row: the character before; column: this one; a-z, a digit, a sign. In half bits, written in base 36. */
const PAIRS = [
  'ia88ie9lble687n9n685bdfdcjeb',
  '6dce7ggj79i6fh7do9af6kkmaja7',
  '7icf6gj6aj88fh4el9c6ajkmfoda',
  '7dc94dgg6ihade8elbac9gikbob6',
  '9e88cbdhfii8a6fbc568hde9dlf7',
  '7fde88gl4nl9hf6go9bb9mkmaoa5',
  'bgdg4fba7mjab9aao889ahinhjh6',
  '5ieg4hki6mhdcg6fkbd79ijneoe7',
  'bb99abanjmh8946bja77hcoeqckd',
  '8lif4hjkbheiji9djh2jafdnhoea',
  '9gcd3dcf6ihcebddjc7cbhdnhog6',
  '7fea48hj5mh8gh7doga99ejpaoh8',
  '5afd4iil7ihbaf77lgafbjkjgqh8',
  '7h877b6h9jddfc8dlf75bcjnfmh8',
  'db97idckdhb984b8p5aa9cbfkkgb',
  '5jec5hhd9qf7gh79m6b7ahjnbmf9',
  'iihijjjifqw9ghkihecg1himpkf7',
  '7gab4eci7pdcac7fp988cdhobqi8',
  'bi9f5fia8lecff99hd859hfjbpi5',
  '7gbe5ei76nicdg8cn79abigg9mg6',
  'a9bc7cbo9qk686e8r686ilqhpmae',
  '4hdi2hfl6qoiffbfqhfghjjnip9a',
  '6fdd7gg95mgcf87fl69diiailnf7',
  'ad9e7bkg9mbechd6mhe5iiifcl56',
  'cdbebcbebji9a7c4lc78ggblihg4',
  '7heg3hcg8omece4ejebegljkcdc7',
  'bccbbblkjmeijkfhojiijkm7nm15',
  '9a799aab9dfa9aa8h978bccgjd97',
];
/** Bits for a lower-case and an upper-case letter after a lower-case letter, an upper-case one, a digit, a sign. */
const CASE = [
  [0.1, 4.4],
  [0.9, 1.1],
  [0.4, 2.0],
  [0.3, 2.4],
];
const DIGIT_BITS = Math.log2(10);
const SIGN_BITS = 2;
const MIXED_HEX_BITS = Math.log2(22);

const CLASS = new Uint8Array(1 << 16).fill(SIGN);
for (let code = 48; code <= 57; code++) CLASS[code] = DIGIT;
for (let letter = 0; letter < LETTERS; letter++) {
  CLASS[97 + letter] = letter;
  CLASS[65 + letter] = LETTERS + letter;
}

/** The kinds of characters in a word: lower case, upper case, digits, letters beyond hex. */
const LOWER = 1;
const UPPER = 2;
const DIGITS = 4;
const BEYOND_HEX = 8;
const MASK = Uint8Array.from({ length: CLASSES }, (_, one) => {
  if (one >= DIGIT) return one === DIGIT ? DIGITS : 0;
  return (one < LETTERS ? LOWER : UPPER) | (one % LETTERS > 5 ? BEYOND_HEX : 0);
});
/** Bits of a character if all kinds that the word uses are equally likely. */
const EVEN = Float64Array.from({ length: 16 }, (_, used) => {
  const lower = (used & LOWER) !== 0;
  const upper = (used & UPPER) !== 0;
  const digits = (used & DIGITS) !== 0;
  if ((used & BEYOND_HEX) === 0 && digits) return lower && upper ? MIXED_HEX_BITS : 4;
  return Math.log2((lower ? 26 : 0) + (upper ? 26 : 0) + (digits ? 10 : 0) + 1);
});

/** Cost in bits of one class after another: `COST[before * CLASSES + here]`. Made at first use. */
let cost: Float64Array | null = null;

function costs(): Float64Array {
  const pairs = PAIRS.map((row) => Float64Array.from(row, (digit) => Number.parseInt(digit, 36) / 2));
  const table = new Float64Array(CLASSES * CLASSES);
  for (let before = 0; before < CLASSES; before++) {
    const row = pairs[symbolOf(before)] as Float64Array;
    const cases = CASE[groupOf(before)] as readonly number[];
    for (let here = 0; here < CLASSES; here++) {
      const more = here === DIGIT ? DIGIT_BITS : here === SIGN ? SIGN_BITS : (cases[groupOf(here)] as number);
      table[before * CLASSES + here] = (row[symbolOf(here)] as number) + more;
    }
  }
  return table;
}

const symbolOf = (one: number): number => (one >= DIGIT ? one - LETTERS : one % LETTERS);
const groupOf = (one: number): number => (one >= DIGIT ? one - DIGIT + 2 : one < LETTERS ? 0 : 1);

/** Bits beyond ordinary text, for the part between `from` and `to` with the most of them. */
export function surprise(text: string, from = 0, to = text.length): number {
  cost ??= costs();
  let used = 0;
  for (let at = from; at < to; at++) used |= MASK[CLASS[text.charCodeAt(at)] as number] as number;
  const even = EVEN[used] as number;
  let before = SIGN * CLASSES;
  let sum = 0;
  let most = 0;
  for (let at = from; at < to; at++) {
    const here = CLASS[text.charCodeAt(at)] as number;
    sum += (cost[before + here] as number) - even;
    if (sum > most) most = sum;
    else if (sum < 0) sum = 0;
    before = here * CLASSES;
  }
  return most;
}
