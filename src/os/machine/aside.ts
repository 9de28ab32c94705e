/** Long work that only later work profits from: done beside what somebody waits for. */
import { setTimeout } from 'node:timers/promises';

/** The work stops soon when the signal says so; null: nobody will. */
export type Aside = (work: (over: AbortSignal | null) => Promise<unknown>) => Promise<void>;

/** Whoever asks for it waits until it is done. */
export const meanwhile: Aside = async (work) => void (await work(null));

/** Long enough for whoever just got what was made to go on with it. */
const REST_MS = 300;

/** One after the other, a moment later; what has not been done when it is closed is not done. A process that ends does not wait for what has not begun. */
export class Spare {
  readonly #restMs: number;
  readonly #over = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(restMs = REST_MS) {
    this.#restMs = restMs;
  }

  /** What goes wrong with it is nobody's business: it is as if it had not been asked for. */
  readonly add: Aside = async (work) => {
    const { signal } = this.#over;
    this.#last = this.#last
      .then(() => setTimeout(this.#restMs, undefined, { ref: false, signal }))
      .then(() => work(signal))
      .then(
        () => {},
        () => {},
      );
  };

  /** Stops what is under way, and waits for that. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#last;
  }
}
