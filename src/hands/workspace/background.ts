/** Background work: while it runs nothing is swept, and the room stays open until it ends. */
export class Background {
  readonly #works = new Set<Promise<unknown>>();

  /** `work` must not fail. */
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
