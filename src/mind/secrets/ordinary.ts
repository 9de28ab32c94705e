/**
 * How far a word is from ordinary source text. A table of letter pairs, counted in about 60 MB of other people's source
 * code (2026-11), says how many bits each next character costs a reader who expects names and words; a random string
 * costs more than that reader expects, and the difference adds up with its length. So one number serves for short and
 * long values, for hex and for base64, and needs no list of words.
 */
const LETTERS = 26;
const DIGIT = 26;
const SIGN = 27;

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
/** Bits for a lower-case and for an upper-case letter behind a lower-case letter, an upper-case one, a digit, a sign. */
const CASE = [
  [0.1, 4.4],
  [0.9, 1.1],
  [0.4, 2.0],
  [0.3, 2.4],
];
const DIGIT_BITS = Math.log2(10);
const SIGN_BITS = 2;
const MIXED_HEX_BITS = Math.log2(22);

/** Cost in bits of one ASCII character behind another: `COST[(before << 7) | here]`. */
const COST = costs();

/** Made at every start: what depends on one character alone is worked out once for each. */
function costs(): Float32Array {
  const pairs = PAIRS.map((row) => Float64Array.from(row, (digit) => Number.parseInt(digit, 36) / 2));
  const symbols = Uint8Array.from({ length: 128 }, (_, code) => symbolOf(code));
  const groups = Uint8Array.from({ length: 128 }, (_, code) => groupOf(code));
  const table = new Float32Array(1 << 14);
  for (let before = 0; before < 128; before++) {
    const row = pairs[symbols[before] as number] as Float64Array;
    const cases = CASE[groups[before] as number] as readonly number[];
    for (let here = 0; here < 128; here++) {
      const symbol = symbols[here] as number;
      const more = symbol === DIGIT ? DIGIT_BITS : symbol === SIGN ? SIGN_BITS : (cases[groups[here] as number] ?? 0);
      table[(before << 7) | here] = (row[symbol] as number) + more;
    }
  }
  return table;
}

function symbolOf(code: number): number {
  const letter = (code | 32) - 97;
  if (letter >= 0 && letter < LETTERS && code >= 65) return letter;
  return code >= 48 && code <= 57 ? DIGIT : SIGN;
}

function groupOf(code: number): number {
  if (code >= 97 && code <= 122) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 48 && code <= 57 ? 2 : 3;
}

export type Surprise = {
  /** Bits more than ordinary text would take; the part of the word for which it is greatest. */
  readonly bits: number;
  readonly from: number;
  readonly to: number;
};

/** The part of `text` from `from` to `to` (all ASCII) that is least like ordinary text. */
export function surprise(text: string, from: number, to: number): Surprise {
  const even = evenBits(text, from, to);
  let before = 95;
  let sum = 0;
  let start = from;
  let best = { bits: 0, from, to: from };
  for (let at = from; at < to; at++) {
    const here = text.charCodeAt(at);
    if (sum <= 0) {
      sum = 0;
      start = at;
    }
    sum += (COST[(before << 7) | here] ?? 0) - even;
    if (sum > best.bits) best = { bits: sum, from: start, to: at + 1 };
    before = here;
  }
  return best;
}

/** Bits of a character if all that the word uses are equally likely. */
function evenBits(text: string, from: number, to: number): number {
  let lower = 0;
  let upper = 0;
  let digits = 0;
  let beyondHex = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const group = groupOf(code);
    if (group === 0) lower++;
    else if (group === 1) upper++;
    else if (group === 2) digits++;
    if (group < 2 && (code | 32) > 102) beyondHex++;
  }
  if (beyondHex === 0 && digits > 0) return lower > 0 && upper > 0 ? MIXED_HEX_BITS : 4;
  return Math.log2((lower > 0 ? 26 : 0) + (upper > 0 ? 26 : 0) + (digits > 0 ? 10 : 0) + 1);
}
