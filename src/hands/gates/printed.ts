/** What a gate printed: each stream apart for reading test ids, and both as they came for people. The sandbox bounds it. */
export class PrintedOutput {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #texts = { stdout: '', stderr: '' };
  #both = '';

  add(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const text = this.#decoders[stream].decode(bytes, { stream: true });
    this.#texts[stream] += text;
    this.#both += text;
  }

  get stdout(): string {
    return this.#texts.stdout;
  }

  get stderr(): string {
    return this.#texts.stderr;
  }

  get both(): string {
    return this.#both;
  }
}
