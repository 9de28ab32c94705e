/** Lists of numbers and texts as one piece of bytes, from which they are read without being taken apart. */

/** Each list begins where the largest kind of number may. */
const STEP = 8;
const evenly = (size: number): number => Math.ceil(size / STEP) * STEP;

/** How many there are, their sizes, and then each of them. Numbers stand as the machine has them. */
export function packColumns(columns: readonly ArrayBufferView[]): Uint8Array {
  const head = evenly(4 + columns.length * 4);
  const all = new Uint8Array(columns.reduce((sum, { byteLength }) => sum + evenly(byteLength), head));
  new Uint32Array(all.buffer, 0, columns.length + 1).set([columns.length, ...columns.map((one) => one.byteLength)]);
  let at = head;
  for (const { buffer, byteOffset, byteLength } of columns) {
    all.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += evenly(byteLength);
  }
  return all;
}

type Numbers<T> = { new (buffer: ArrayBufferLike, at: number, length: number): T; readonly BYTES_PER_ELEMENT: number };

/** Takes one column after the other. Throws where the bytes are not what was packed. */
export class ColumnReader {
  readonly #bytes: Uint8Array;
  readonly #sizes: Uint32Array;
  #next = 0;
  #at: number;

  /** The bytes begin at a multiple of eight. */
  constructor(bytes: Uint8Array) {
    const count = new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0] as number;
    this.#bytes = bytes;
    this.#sizes = new Uint32Array(bytes.buffer, bytes.byteOffset + 4, count);
    this.#at = evenly(4 + count * 4);
  }

  next<T>(kind: Numbers<T>): T {
    const size = this.#sizes[this.#next++];
    if (size === undefined || this.#at + size > this.#bytes.length) throw new Error('a column is missing');
    const found = new kind(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, size / kind.BYTES_PER_ELEMENT);
    this.#at += evenly(size);
    return found;
  }

  text(): string {
    const { buffer, byteOffset, length } = this.next(Uint8Array);
    return Buffer.from(buffer, byteOffset, length).toString();
  }
}

/** Paths as one text, a NUL after each: no path holds one. */
export const joinedPaths = (paths: readonly string[]): string => (paths.length === 0 ? '' : `${paths.join('\0')}\0`);

export function splitPaths(text: string): string[] {
  const paths = text.split('\0');
  paths.pop();
  return paths;
}
