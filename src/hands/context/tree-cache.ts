/**
 * What was read of the repository lately, bounded in bytes; the one that was not asked for the longest goes first. Names
 * are ids of objects, whose content never changes, so nothing here ever goes stale.
 */
export class ByteCache {
  readonly #all = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  readonly #making = new Map<string, Promise<unknown>>();
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** In bytes, as the makers said. */
  get size(): number {
    return this.#bytes;
  }

  get<T>(name: string): T | undefined {
    const found = this.#all.get(name);
    if (found === undefined) return undefined;
    this.#all.delete(name);
    this.#all.set(name, found);
    return found.value as T;
  }

  set(name: string, value: unknown, bytes: number): void {
    this.#forget(name);
    // One that takes up most of the room would push out all the others.
    if (bytes > this.#most / 2) return;
    this.#all.set(name, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#all.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#forget(oldest);
    }
  }

  /** The known one, or what `make` makes; who asks while it is made waits for the same. What failed is not remembered. */
  async once<T>(name: string, bytesOf: (value: T) => number, make: () => Promise<T>): Promise<T> {
    const known = this.get<T>(name);
    if (known !== undefined) return known;
    const begun = this.#making.get(name);
    if (begun !== undefined) return begun as Promise<T>;
    const making = make().finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    const value = await making;
    this.set(name, value, bytesOf(value));
    return value;
  }

  #forget(name: string): void {
    this.#bytes -= this.#all.get(name)?.bytes ?? 0;
    this.#all.delete(name);
  }
}
