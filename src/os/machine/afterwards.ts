/** Work for later, which somebody would else have to wait for. */

/** Long enough for whoever just got what was made to go on with it. */
const REST_MS = 300;

export type Afterwards = (work: () => void) => void;

export const atOnce: Afterwards = (work) => work();

/** All that still have something to do when the process ends. */
const pending = new Set<Later>();
let isHeard = false;

/** All of it together: a moment later, when somebody closes, or when the process ends. */
export class Later {
  readonly #restMs: number;
  readonly #waiting: (() => void)[] = [];

  constructor(restMs = REST_MS) {
    this.#restMs = restMs;
  }

  readonly add: Afterwards = (work) => {
    this.#waiting.push(work);
    if (pending.has(this)) return;
    pending.add(this);
    if (!isHeard) process.on('exit', flushAll);
    isHeard = true;
    setTimeout(this.flush, this.#restMs).unref();
  };

  /** What goes wrong with it is nobody's business: it is as if it had not been asked for. */
  readonly flush = (): void => {
    pending.delete(this);
    for (const work of this.#waiting.splice(0)) {
      try {
        work();
      } catch {}
    }
  };
}

function flushAll(): void {
  for (const one of [...pending]) one.flush();
}
