/** Work that nobody waits for: while it lasts nothing is swept, and the room is not closed before its end. */
export class Background {
  readonly #works = new Set<Promise<unknown>>();

  /** It must not fail. */
  add(work: Promise<unknown>): void {
    this.#works.add(work);
    void work.finally(() => this.#works.delete(work));
  }

  get busy(): boolean {
    return this.#works.size > 0;
  }

  async idle(): Promise<void> {
    while (this.busy) await Promise.all(this.#works);
  }
}
