/** The end of a text that may be long, as bytes: long-lived strings make V8's young generation grow for good. */
export class TextTail {
  readonly #bytes: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #omitted = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  add(text: string): void {
    if (text === '') return;
    this.#pieces.push(Buffer.from(text));
    this.#held += this.#pieces.at(-1)?.length ?? 0;
    while (this.#held - (this.#pieces[0]?.length ?? 0) >= this.#bytes) this.#omit(this.#pieces.shift()?.length ?? 0);
  }

  /** Starts at a line's beginning if something is missing; `start` is put before a line without its beginning. */
  take(start: string): { readonly pieces: readonly Buffer[]; readonly omitted: number } {
    if (this.#omitted > 0) {
      const first = this.#pieces.findIndex((piece) => piece.includes(NEWLINE));
      const newline = (this.#pieces[first]?.indexOf(NEWLINE) ?? -1) + 1;
      for (const piece of this.#pieces.slice(0, Math.max(first, 0))) this.#omit(piece.length);
      this.#omit(newline);
      this.#pieces =
        first < 0
          ? [Buffer.from(start), ...this.#pieces]
          : [this.#pieces[first]?.subarray(newline) ?? Buffer.alloc(0), ...this.#pieces.slice(first + 1)];
    }
    return { pieces: this.#pieces, omitted: this.#omitted };
  }

  #omit(bytes: number): void {
    this.#held -= bytes;
    this.#omitted += bytes;
  }
}

const NEWLINE = 0x0a;
