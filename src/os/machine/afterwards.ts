/** Work for later, which somebody would else have to wait for. */

/** Long enough for whoever just got what was made to go on with it. */
const REST_MS = 300;

export type Afterwards = (work: () => void) => void;

export const atOnce: Afterwards = (work) => work();

/** All of it together: a moment later, when somebody closes, or when the process ends. */
export class Later {
  readonly #restMs: number;
  readonly #waiting: (() => void)[] = [];

  constructor(restMs = REST_MS) {
    this.#restMs = restMs;
  }

  readonly add: Afterwards = (work) => {
    this.#waiting.push(work);
    if (this.#waiting.length > 1) return;
    process.on('exit', this.flush);
    setTimeout(this.flush, this.#restMs).unref();
  };

  /** What goes wrong with it is nobody's business: it is as if it had not been asked for. */
  readonly flush = (): void => {
    process.off('exit', this.flush);
    for (const work of this.#waiting.splice(0)) {
      try {
        work();
      } catch {}
    }
  };
}
