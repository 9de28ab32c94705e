/**
 * Which lines belong to the started session. A worker's tools can write to their CLI's stdout, so a line that names
 * another session is ignored and counted. If we chose the id, that one counts; else the first that is named, which CLIs
 * do before any tool runs.
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

  /**
   * `id`: the session that an event names, or null. Once the session is known, an event without a name does not belong
   * to it.
   */
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
   * Whether an unparsed line says that its session continues. One without a name counts too: it can only take away a
   * success. Inside a text the quotes would be escaped, so a key is found by its letters.
   */
  ownsLine(line: string): boolean {
    const key = `"${this.#key}":`;
    if (this.#id === null || line.includes(`${key}${JSON.stringify(this.#id)}`) || !line.includes(key)) return true;
    this.#foreign += 1;
    return false;
  }

  /** For the report: the id, once it was named, and the number of foreign lines, if any. */
  get told(): { readonly session: string | null; readonly foreign?: number } {
    return { session: this.#named, ...(this.#foreign === 0 ? {} : { foreign: this.#foreign }) };
  }
}
