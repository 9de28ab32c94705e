/** Prints a line from time to time during long work, to show that it still runs. */
import type { Output } from './output.ts';

const PATIENCE_MS = 1_000;

/** What most commands begin with. */
export const READING = 'reading the repository and its configuration …';

export type Silence = Disposable & {
  /** Prints if it is time. Work that blocks timers calls this from time to time. */
  look(): void;
  end(): void;
};

/** Prints `text` once, unless it is ended within a second. */
export function tellSilence(out: Output, text: string): Silence {
  const began = performance.now();
  let open = true;
  const tell = () => {
    if (open) out.aside(text);
    end();
  };
  const timer = setTimeout(tell, PATIENCE_MS).unref();
  const end = () => {
    open = false;
    clearTimeout(timer);
  };
  const look = () => {
    if (performance.now() - began >= PATIENCE_MS) tell();
  };
  return { look, end, [Symbol.dispose]: end };
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/** Calls `tell` while nothing else is printed: after 5 s, then after pauses that double up to a minute. */
export class Heartbeat implements Disposable {
  readonly #tell: () => void;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: () => void) {
    this.#tell = tell;
    this.#wait();
  }

  /** Something else was printed. */
  said(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#wait();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#tell();
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      this.#wait();
    }, this.#pauseMs).unref();
  }
}
