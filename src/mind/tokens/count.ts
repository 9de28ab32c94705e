/**
 * Counts tokens as the encoding o200k does. Special tokens in a text are plain text like any other: a file that names
 * `<|endoftext|>` is no reason to fail, nor to count less.
 */
import { openVocabulary, packVocabulary, rankOf, type Vocabulary } from './vocabulary.ts';

export type CountTokens = (text: string) => number;

/**
 * From a packed vocabulary, or, without one (when run from source), from the library's list, which takes a quarter of a
 * second. Both count the same.
 */
export async function loadCounter(packed: Uint8Array | null = null): Promise<CountTokens> {
  const [{ O200K_TOKEN_SPLIT_REGEX }, given] = [
    await import('gpt-tokenizer/encodingParams/constants'),
    packed === null ? null : openVocabulary(packed),
  ];
  const vocabulary = given ?? openVocabulary(await packedVocabulary());
  if (vocabulary === null) throw new Error('the list of tokens could not be read');
  return counterOf(vocabulary, O200K_TOKEN_SPLIT_REGEX);
}

/** What the build keeps in a file. */
export async function packedVocabulary(): Promise<Uint8Array> {
  return packVocabulary((await import('gpt-tokenizer/bpeRanks/o200k_base')).default);
}

/**
 * Merging takes the square of a word's length, so that 100 KB of spaces would take many seconds: longer words are counted
 * in parts of this many characters, which makes them at most a few tokens more.
 */
const LONGEST = 256;
/** Words that are no token by themselves come again and again. */
const REMEMBERED = 20_000;

function counterOf(vocabulary: Vocabulary, words: RegExp): CountTokens {
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(LONGEST * 3);
  let known = new Map<string, number>();
  const countPart = (part: string): number => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const length = encoder.encodeInto(part, bytes).written;
    const own = rankOf(vocabulary, bytes, 0, length) >= 0 ? 1 : merged(vocabulary, bytes, length);
    // The library counts a byte order mark as one more than it is; who checks us with it must not find us below.
    const count = own + (part.includes('\ufeff') ? part.split('\ufeff').length - 1 : 0);
    if (known.size >= REMEMBERED) known = new Map();
    known.set(part, count);
    return count;
  };
  return (text) => {
    let count = 0;
    for (const [word] of text.matchAll(words)) {
      if (word.length <= LONGEST) count += countPart(word);
      else for (const part of partsOf(word)) count += countPart(part);
    }
    return count;
  };
}

/** No pair of surrogates is cut in two. */
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

/** Joins the pair of neighbours with the lowest rank until no pair is a token; the number of pieces that are left. */
function merged(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  const starts = Array.from({ length: length + 1 }, (_, at) => at);
  const rankAt = (n: number): number => {
    const [from, to] = [starts[n], starts[n + 2]];
    const rank = from === undefined || to === undefined ? -1 : rankOf(vocabulary, bytes, from, to);
    return rank < 0 ? Number.POSITIVE_INFINITY : rank;
  };
  const ranks = starts.map((_, n) => rankAt(n));
  while (starts.length > 2) {
    let lowest = 0;
    for (let n = 1; n < ranks.length; n += 1) if ((ranks[n] as number) < (ranks[lowest] as number)) lowest = n;
    if (ranks[lowest] === Number.POSITIVE_INFINITY) break;
    starts.splice(lowest + 1, 1);
    ranks.splice(lowest + 1, 1);
    ranks[lowest] = rankAt(lowest);
    if (lowest > 0) ranks[lowest - 1] = rankAt(lowest - 1);
  }
  return starts.length - 1;
}
