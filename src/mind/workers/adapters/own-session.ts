/**
 * Which lines belong to the session that was started. A worker's tools can write to the stdout of their CLI, so a line
 * that names another session is not believed, and counted. Where we chose the id it is that one; else the first that is
 * named, which CLIs do before any tool runs.
 */
export class OwnSession {
  readonly #key: string;
  #id: string | null;
  #named: string | null = null;
  #foreign = 0;

  constructor(key: string, chosen: string | null | undefined) {
    this.#key = key;
    this.#id = chosen ?? null;
  }

  /** Until then every line has to be parsed. */
  get isKnown(): boolean {
    return this.#id !== null;
  }

  /** What an event names; null: nothing. Once the session is known, an event without a name is none of its events. */
  owns(id: string | null): boolean {
    this.#id ??= id;
    if (id !== this.#id) {
      this.#foreign += 1;
      return false;
    }
    this.#named = id;
    return true;
  }

  /**
   * Whether a line that is not parsed says that its session goes on. One without a name counts too: it can only take a
   * success away. In a text the quotes would be escaped, so a key is found by its letters.
   */
  ownsLine(line: string): boolean {
    const key = `"${this.#key}":`;
    if (this.#id === null || line.includes(`${key}${JSON.stringify(this.#id)}`) || !line.includes(key)) return true;
    this.#foreign += 1;
    return false;
  }

  /** For what is told: the id, once it was named, and the lines of others, if there were any. */
  get told(): { readonly session: string | null; readonly foreign?: number } {
    return { session: this.#named, ...(this.#foreign === 0 ? {} : { foreign: this.#foreign }) };
  }
}
