/** The last characters of a text that may have no end. */
export class TextEnd {
  readonly #chars: number;
  #parts: string[] = [];
  #length = 0;

  constructor(chars: number) {
    this.#chars = chars;
  }

  add(text: string): void {
    this.#parts.push(text.length > this.#chars ? text.slice(-this.#chars) : text);
    this.#length += text.length;
    // Not at every piece: a million of one character each must not cost a million copies.
    if (this.#length > 2 * this.#chars || this.#parts.length > 1000) this.#shorten();
  }

  get text(): string {
    this.#shorten();
    return this.#parts[0] ?? '';
  }

  #shorten(): void {
    const text = this.#parts.join('').slice(-this.#chars);
    this.#parts = [text];
    this.#length = text.length;
  }
}
