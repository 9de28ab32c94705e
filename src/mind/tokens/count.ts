/**
 * Counts tokens as the encoding o200k does. Special tokens in a text are plain text: a file that names `<|endoftext|>`
 * is no reason to fail, nor to count less.
 */
import { openVocabulary, packVocabulary, rankOf, type Vocabulary } from './vocabulary.ts';

export type CountTokens = (text: string) => number;

/**
 * Uses a packed vocabulary, or without one (in a run from source) the library's list, which takes a quarter of a
 * second. Both count the same.
 */
export async function loadCounter(packed: Uint8Array | null = null): Promise<CountTokens> {
  const given = packed === null ? null : openVocabulary(packed);
  return given === null ? openCounter(await packedVocabulary()) : counterOf(given);
}

/** Throws if these bytes are no vocabulary. */
export function openCounter(packed: Uint8Array): CountTokens {
  const vocabulary = openVocabulary(packed);
  if (vocabulary === null) throw new Error('the list of tokens could not be read');
  return counterOf(vocabulary);
}

/** The vocabulary that the build stores in a file. */
export async function packedVocabulary(): Promise<Uint8Array> {
  const [{ default: ranks }, { O200K_TOKEN_SPLIT_REGEX }] = await Promise.all([
    import('gpt-tokenizer/bpeRanks/o200k_base'),
    import('gpt-tokenizer/encodingParams/constants'),
  ]);
  return packVocabulary(ranks, O200K_TOKEN_SPLIT_REGEX.source);
}

/**
 * Merging takes the square of a word's length, so 100 KB of spaces would take many seconds: longer words are counted in
 * parts of this many characters, which adds at most a few tokens.
 */
const LONGEST = 256;
/** Words that are no single token occur again and again. */
const REMEMBERED = 20_000;

/**
 * Such a text has no letter, digit, mark or space beyond ASCII: arrows, dashes and quotes are ordinary signs. Preparing
 * the classes of all letters in Unicode takes longer than counting a packet.
 */
const PLAIN = /^[\0-\x7f\u2010-\u2027\u2190-\u23ff\u2500-\u2767]*$/;
const PLAIN_CLASSES: readonly (readonly [string, string])[] = [
  ['\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}', 'A-Z'],
  ['\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}', 'a-z'],
  ['\\p{N}{', '[0-9]{'],
  ['\\p{L}', 'A-Za-z'],
  ['\\p{N}', '0-9'],
];

/** Splits a plain text as the given expression does. */
function plainly(words: string): RegExp {
  const source = PLAIN_CLASSES.reduce((text, [wide, plain]) => text.replaceAll(wide, plain), words);
  return source.includes('\\p') ? new RegExp(words, 'gu') : new RegExp(source, 'g');
}

function counterOf(vocabulary: Vocabulary): CountTokens {
  const plain = plainly(vocabulary.words);
  let any: RegExp | null = null;
  const wordsOf = (text: string): RegExpMatchArray | null => {
    if (PLAIN.test(text)) return text.match(plain);
    any ??= new RegExp(vocabulary.words, 'gu');
    return text.match(any);
  };
  const bytes = new Uint8Array(LONGEST * 3);
  let known = new Map<string, number>();
  const countPart = (part: string): number => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const length = written(part, bytes);
    const own = rankOf(vocabulary, bytes, 0, length) >= 0 ? 1 : merged(vocabulary, bytes, length);
    // The library counts a byte order mark as one more than it is; our count must not be below that of the library.
    const count = own + (part.includes('\ufeff') ? part.split('\ufeff').length - 1 : 0);
    if (known.size >= REMEMBERED) known = new Map();
    known.set(part, count);
    return count;
  };
  return (text) => {
    let count = 0;
    // `match` makes only the words: half the time of an iterator.
    const words = wordsOf(text) ?? NO_WORDS;
    for (let n = 0; n < words.length; n += 1) {
      const word = words[n] as string;
      if (word.length <= LONGEST) count += countPart(word);
      else for (const part of partsOf(word)) count += countPart(part);
    }
    return count;
  };
}

const NO_WORDS: readonly string[] = [];
const encoder = new TextEncoder();

/**
 * How many bytes it takes. Nearly all words are short and ASCII: writing them here is quicker than calling the encoder.
 */
function written(part: string, bytes: Uint8Array): number {
  for (let at = 0; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    if (code >= 0x80) return encoder.encodeInto(part, bytes).written;
    bytes[at] = code;
  }
  return part.length;
}

/** No surrogate pair is split. */
function partsOf(word: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < word.length; ) {
    let to = Math.min(word.length, from + LONGEST);
    if (to < word.length && isHighSurrogate(word.charCodeAt(to - 1))) to -= 1;
    parts.push(word.slice(from, to));
    from = to;
  }
  return parts;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

const NO_TOKEN = 0x7fff_ffff;
/** Where each piece starts, and its rank together with the next one; reused for every word. */
const starts = new Uint16Array(LONGEST * 3 + 1);
const ranks = new Int32Array(LONGEST * 3 + 1);

/** Joins the neighbours with the lowest rank until no pair is a token; returns the number of remaining pieces. */
function merged(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  for (let n = 0; n <= length; n += 1) starts[n] = n;
  for (let n = 0; n < length; n += 1) ranks[n] = rankAt(n, length, vocabulary, bytes);
  let count = length;
  while (count > 1) {
    let lowest = 0;
    for (let n = 1; n < count; n += 1) if ((ranks[n] as number) < (ranks[lowest] as number)) lowest = n;
    if (ranks[lowest] === NO_TOKEN) break;
    count -= 1;
    for (let n = lowest + 1; n <= count; n += 1) {
      starts[n] = starts[n + 1] as number;
      ranks[n] = ranks[n + 1] as number;
    }
    ranks[lowest] = rankAt(lowest, count, vocabulary, bytes);
    if (lowest > 0) ranks[lowest - 1] = rankAt(lowest - 1, count, vocabulary, bytes);
  }
  return count;
}

/** The rank of a piece joined with the next one, if there is one. */
function rankAt(n: number, count: number, vocabulary: Vocabulary, bytes: Uint8Array): number {
  if (n + 2 > count) return NO_TOKEN;
  const rank = rankOf(vocabulary, bytes, starts[n] as number, starts[n + 2] as number);
  return rank < 0 ? NO_TOKEN : rank;
}
