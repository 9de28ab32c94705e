/**
 * Numbers that were found out about texts, kept on disk by a hash of the text and of what was asked: whoever asks the same
 * of the same text again, in another process too, need not work it out. No text is in it. It is written beside its place
 * and then renamed; one that is damaged, cut off or of another version is as good as none, and so is not being able to
 * write.
 */
import { hash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { TextFacts } from '../../engine/ports/surroundings.ts';
import { discard } from './kept-files.ts';

/** Read as a number of this machine: from one that writes them the other way round nothing is taken. */
const MAGIC = 0x6661_6331;
/** `magic, slots, used slots, length, sum`; then the slots, and behind them all lists one after the other. */
const HEAD = 5;
const [SLOTS, USED, LENGTH, SUM] = [1, 2, 3, 4] as const;
/** Four numbers of the hash, where the list begins, and how long it is. It never begins at 0: then the slot is free. */
const SLOT = 6;
const [START, COUNT] = [4, 5] as const;
const FEWEST = 1 << 10;
/** A packet asks about a thousand texts or less. */
const MOST_SLOTS = 1 << 17;
const MOST_WORDS = 1 << 20;

type Words = Uint32Array<ArrayBuffer>;

export class FactFile implements TextFacts {
  readonly #file: string;
  readonly #most: number;
  /** Null: not read yet. Has room behind `LENGTH`. */
  #words: Words | null = null;
  #isNew = false;
  /** By the texts that nothing was found about: that is mostly told soon, and to make a key takes longer than to look. */
  readonly #missed = new Map<string, { readonly kind: string; readonly key: Uint32Array }>();

  /** `most`: of its numbers; then it begins anew. */
  constructor(file: string, most = MOST_WORDS) {
    this.#file = file;
    this.#most = most;
  }

  get(kind: string, text: string): Uint32Array | undefined {
    const key = keyOf(kind, text);
    if (key === null) return undefined;
    const words = this.#read();
    const slot = slotOf(words, key);
    const start = words[slot + START] as number;
    if (start > 0) return words.subarray(start, start + (words[slot + COUNT] as number));
    this.#missed.set(text, { kind, key });
    return undefined;
  }

  set(kind: string, text: string, values: readonly number[]): void {
    const missed = this.#missed.get(text);
    const key = missed?.kind === kind ? missed.key : keyOf(kind, text);
    if (key === null || values.length > this.#most / 8) return;
    const words = this.#withRoom(values.length);
    const slot = slotOf(words, key);
    if (words[slot + START] === 0) words[USED] = (words[USED] as number) + 1;
    const start = words[LENGTH] as number;
    words.set(key, slot);
    words.set([start, values.length], slot + START);
    words.set(values, start);
    words[LENGTH] = start + values.length;
    this.#isNew = true;
  }

  /** Writes what is new. Of two that write at once one wins: what the other knew is found out once more. */
  save(): void {
    this.#missed.clear();
    if (this.#words === null || !this.#isNew) return;
    this.#isNew = false;
    const words = this.#words.subarray(0, this.#words[LENGTH]);
    words[SUM] = sumOf(words);
    const dir = dirname(this.#file);
    const made = join(dir, `.${randomBytes(8).toString('hex')}.new`);
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      writeFileSync(made, words, { mode: 0o600, flag: 'wx' });
      renameSync(made, this.#file);
    } catch {
      discard(made);
    }
  }

  #read(): Words {
    this.#words ??= wordsIn(this.#file, this.#most) ?? emptyWords(FEWEST, 0);
    return this.#words;
  }

  #withRoom(more: number): Words {
    const words = this.#read();
    const slots = words[SLOTS] as number;
    const used = words[USED] as number;
    const length = words[LENGTH] as number;
    if (used * 2 < slots && length + more <= words.length) return words;
    const wanted = used * 2 < slots ? slots : slots * 2;
    const tooMany = wanted > MOST_SLOTS || HEAD + wanted * SLOT + length + more > this.#most;
    this.#words = tooMany ? emptyWords(FEWEST, more) : enlarged(words, wanted, more);
    return this.#words;
  }
}

/** Texts that only differ in halves of characters have the same bytes, and so the same hash: nothing is kept of them. */
function keyOf(kind: string, text: string): Uint32Array | null {
  if (!text.isWellFormed()) return null;
  const bytes = hash('sha256', `${kind.length} ${kind}\n${text}`, 'buffer');
  return Uint32Array.of(bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8), bytes.readUInt32LE(12));
}

function emptyWords(slots: number, more: number): Words {
  const length = HEAD + slots * SLOT;
  const words = new Uint32Array(length + more + length);
  words.set([MAGIC, slots, 0, length]);
  return words;
}

function enlarged(words: Words, slots: number, more: number): Words {
  const [before, length] = [HEAD + (words[SLOTS] as number) * SLOT, words[LENGTH] as number];
  if (slots === words[SLOTS]) {
    const longer = new Uint32Array(length * 2 + more);
    longer.set(words.subarray(0, length));
    return longer;
  }
  const larger = emptyWords(slots, length - before + more);
  const moved = (larger[LENGTH] as number) - before;
  larger.set(words.subarray(before, length), larger[LENGTH]);
  larger[LENGTH] = length + moved;
  larger[USED] = words[USED] as number;
  const own = new Uint32Array(SLOT);
  for (let slot = HEAD; slot < before; slot += SLOT) {
    if (words[slot + START] === 0) continue;
    for (let n = 0; n < SLOT; n++) own[n] = words[slot + n] as number;
    own[START] = (own[START] as number) + moved;
    larger.set(own, slotOf(larger, own));
  }
  return larger;
}

/** Where it stands, or the free slot that it would be put into: half of them are free. */
function slotOf(words: Words, key: Uint32Array): number {
  const mask = (words[SLOTS] as number) - 1;
  const first = (key[0] as number) & mask;
  for (let step = 0; step <= mask; step++) {
    const slot = HEAD + ((first + step) & mask) * SLOT;
    if (words[slot + START] === 0) return slot;
    if (
      words[slot] === key[0] &&
      words[slot + 1] === key[1] &&
      words[slot + 2] === key[2] &&
      words[slot + 3] === key[3]
    )
      return slot;
  }
  return HEAD + first * SLOT;
}

function wordsIn(file: string, most: number): Words | null {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(fd);
    if (size % 4 !== 0 || size < HEAD * 4 || size > most * 4) return null;
    const words = new Uint32Array(size / 4);
    if (readSync(fd, words, 0, size, 0) !== size) return null;
    const [magic, slots = 0, used = 0, length, sum] = words;
    // A number of slots that is no power of two would not be found again.
    const isSound = slots > 0 && (slots & (slots - 1)) === 0 && used * 2 <= slots;
    const isWhole = length === words.length && length >= HEAD + slots * SLOT;
    return magic === MAGIC && isSound && isWhole && sum === sumOf(words) ? words : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** Of all but itself. */
const sumOf = (words: Words): number =>
  crc32(
    new Uint8Array(words.buffer, HEAD * 4, (words.length - HEAD) * 4),
    crc32(new Uint8Array(words.buffer, 0, SUM * 4)),
  );
