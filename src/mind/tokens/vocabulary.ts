/**
 * The vocabulary of an encoding in a form that is ready at once and takes 4 MB. The library's list of 200,000 texts
 * takes a quarter of a second and 75 MB (measured 2026-11), more than all the rest of packing context for a small
 * project.
 */

/** All tokens one after the other, and where each one starts; a token's number is its rank. */
export type Vocabulary = {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  /** Ranks by the hash of their bytes; a taken slot is followed by the next free one; -1 if free. */
  readonly slots: Int32Array;
  /** The regular expression that splits a text into the words that consist of tokens. */
  readonly words: string;
};

/** As the library has them: texts, or bytes if they are no text. Holes are unused ranks. */
type Ranks = readonly (string | readonly number[] | undefined)[];

/** Read as a number of this machine: a file from a machine with the other byte order is rejected. */
const MAGIC = 0x6f32_306c;
const WORD = 4;

/** `magic, total size, count`; then the starts, the slots, the bytes of all tokens and the words. */
const HEAD = 3;
export const VOCABULARY_HEAD = HEAD * WORD;

/** The numbers have this machine's byte order. */
export function packVocabulary(ranks: Ranks, words: string): Uint8Array {
  const { bytes, starts, slots } = vocabularyOf(ranks);
  const head = new Uint32Array(HEAD);
  const parts = [head, starts, slots, bytes, new TextEncoder().encode(words)].map(
    (part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
  );
  const packed = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  head.set([MAGIC, packed.length, starts.length - 1]);
  let at = 0;
  for (const part of parts) {
    packed.set(part, at);
    at += part.length;
  }
  return packed;
}

/** The size of a vocabulary with this header; null if it is none. */
export function vocabularySize(head: Uint8Array): number | null {
  if (head.length < VOCABULARY_HEAD) return null;
  // Numbers can only be read at a multiple of their size.
  const [magic, size = 0] = new Uint32Array(Uint8Array.from(head.subarray(0, VOCABULARY_HEAD)).buffer);
  return magic === MAGIC ? size : null;
}

/** Returns null if these bytes are no vocabulary. */
export function openVocabulary(packed: Uint8Array): Vocabulary | null {
  if (vocabularySize(packed) !== packed.length) return null;
  const own = packed.byteOffset % WORD === 0 ? packed : Uint8Array.from(packed);
  const [, , count = 0] = new Uint32Array(own.buffer, own.byteOffset, HEAD);
  const places = slotsFor(count);
  const end = (HEAD + count + 1 + places) * WORD;
  if (own.length < end) return null;
  const starts = new Uint32Array(own.buffer, own.byteOffset + HEAD * WORD, count + 1);
  const slots = new Int32Array(own.buffer, own.byteOffset + (HEAD + count + 1) * WORD, places);
  const size = starts[count] as number;
  const words = new TextDecoder().decode(own.subarray(end + size));
  return words === '' ? null : { starts, slots, words, bytes: own.subarray(end, end + size) };
}

/** At most half full, so that a look-up seldom meets other entries and always ends. */
const slotsFor = (count: number): number => 2 ** Math.ceil(Math.log2(count * 2 + 2));

function vocabularyOf(ranks: Ranks): Omit<Vocabulary, 'words'> {
  const encoder = new TextEncoder();
  const count = ranks.length;
  const starts = new Uint32Array(count + 1);
  // A character takes up to three bytes; one array for all, as 200,000 small ones take half a second to make.
  const room = new Uint8Array(ranks.reduce((sum: number, token) => sum + (token?.length ?? 0) * 3, 0));
  let at = 0;
  for (let rank = 0; rank < count; rank += 1) {
    const token = ranks[rank] ?? '';
    if (typeof token !== 'string') {
      room.set(token, at);
      at += token.length;
    } else {
      const start = at;
      while (at - start < token.length && token.charCodeAt(at - start) < 0x80) {
        room[at] = token.charCodeAt(at - start);
        at += 1;
      }
      if (at - start < token.length) at = start + encoder.encodeInto(token, room.subarray(start)).written;
    }
    starts[rank + 1] = at;
  }
  const bytes = room.slice(0, at);
  const slots = new Int32Array(slotsFor(count)).fill(-1);
  for (let rank = 0; rank < count; rank += 1) {
    const [from, to] = [starts[rank] as number, starts[rank + 1] as number];
    if (from === to) continue;
    let slot = hashOf(bytes, from, to) & (slots.length - 1);
    while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = rank;
  }
  return { bytes, starts, slots };
}

/** Rank of a token, or -1. */
export function rankOf({ bytes, starts, slots }: Vocabulary, text: Uint8Array, from: number, to: number): number {
  for (let slot = hashOf(text, from, to) & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
    const rank = slots[slot] as number;
    if (rank < 0) return -1;
    const start = starts[rank] as number;
    if ((starts[rank + 1] as number) - start !== to - from) continue;
    let same = 0;
    while (same < to - from && bytes[start + same] === text[from + same]) same += 1;
    if (same === to - from) return rank;
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c_9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x0100_0193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
