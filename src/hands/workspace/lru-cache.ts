/** A small LRU cache: it drops the value that was not used for the longest time. */
export class LruCache<T> {
  readonly #all = new Map<string, T>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): T | undefined {
    const found = this.#all.get(name);
    if (found !== undefined) this.set(name, found);
    return found;
  }

  has(name: string): boolean {
    return this.#all.has(name);
  }

  set(name: string, value: T): void {
    this.#all.delete(name);
    this.#all.set(name, value);
    for (const oldest of this.#all.keys()) {
      if (this.#all.size <= this.#most) break;
      this.#all.delete(oldest);
    }
  }
}
