/** Buffers unread output per stream in few pieces. If it grows too large, the middle is dropped first. */

export type OutputStream = 'stdout' | 'stderr' | 'note';
export type Slab = { readonly stream: OutputStream; readonly bytes: Uint8Array };

/** One slab is processed at a time: small, so that other work waits briefly and its texts are soon freed. */
const SIZE = 16 << 10;

type OpenSlab = { readonly stream: OutputStream; readonly buffer: Buffer; used: number };

export class Slabs {
  readonly #tailBytes: number;
  #headLeft: number;
  #head: OpenSlab[] = [];
  #tail: OpenSlab[] = [];
  #tailHeld = 0;
  #omitted = 0;

  constructor(headBytes: number, tailBytes: number) {
    this.#headLeft = headBytes;
    this.#tailBytes = tailBytes;
  }

  add(stream: OutputStream, bytes: Uint8Array): void {
    const head = bytes.subarray(0, this.#headLeft);
    this.#headLeft -= head.length;
    put(this.#head, stream, head);
    const tail = bytes.subarray(head.length);
    put(this.#tail, stream, tail);
    this.#tailHeld += tail.length;
    this.#trim();
  }

  /** From now on the rest of the head belongs to the tail. */
  endHead(): void {
    this.#headLeft = 0;
    this.#tail.unshift(...this.#head.splice(0));
    this.#tailHeld = this.#tail.reduce((sum, { used }) => sum + used, 0);
    this.#trim();
  }

  #trim(): void {
    for (let first = this.#tail[0]; first && this.#tailHeld - first.used >= this.#tailBytes; first = this.#tail[0]) {
      this.#tail.shift();
      this.#tailHeld -= first.used;
      this.#omitted += first.used;
    }
  }

  /** Whether the head is empty. */
  get empty(): boolean {
    return this.#head.length === 0;
  }

  /** The oldest piece of the head; null if all of it was taken. */
  next(): Slab | null {
    const first = this.#head.shift();
    return first === undefined ? null : slabOf(first);
  }

  /** The rest, and how many bytes before it are missing. */
  takeTail(): { readonly slabs: readonly Slab[]; readonly omitted: number } {
    const slabs = this.#tail.map(slabOf);
    this.#tail = [];
    return { slabs, omitted: this.#omitted };
  }
}

function put(list: OpenSlab[], stream: OutputStream, bytes: Uint8Array): void {
  // A large piece is kept as it came. Small ones are copied together: each alone would cost many times its size.
  if (bytes.length >= SIZE / 2) {
    for (let at = 0; at < bytes.length; at += SIZE) {
      const length = Math.min(SIZE, bytes.length - at);
      list.push({ stream, buffer: Buffer.from(bytes.buffer, bytes.byteOffset + at, length), used: length });
    }
    return;
  }
  for (let rest = bytes; rest.length > 0; ) {
    let last = list.at(-1);
    if (last?.stream !== stream || last.used === last.buffer.length) {
      // A single piece stays as small as it is; one that is followed gets room for more.
      const size = Math.min(SIZE, Math.max(rest.length, 1024, last?.stream === stream ? SIZE : 0));
      last = { stream, buffer: Buffer.allocUnsafe(size), used: 0 };
      list.push(last);
    }
    const part = rest.subarray(0, last.buffer.length - last.used);
    last.buffer.set(part, last.used);
    last.used += part.length;
    rest = rest.subarray(part.length);
  }
}

const slabOf = ({ stream, buffer, used }: OpenSlab): Slab => ({ stream, bytes: buffer.subarray(0, used) });
