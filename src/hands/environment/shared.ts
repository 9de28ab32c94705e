/** Shares work that several callers want at once; stops it when the last caller gives up. */

type PrepareProgress = { readonly signal: AbortSignal; onOutput(text: string): void };
type RunningPreparation<T> = {
  readonly result: Promise<T>;
  readonly callers: Set<PrepareProgress>;
  readonly stop: AbortController;
};

export class Shared<T> {
  readonly #running = new Map<string, RunningPreparation<T>>();

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** Returns null if this caller has stopped waiting while others still wait. */
  async join(key: string, told: PrepareProgress, work: (told: PrepareProgress) => Promise<T>): Promise<T | null> {
    let running = this.#running.get(key);
    // An aborted run is still cleaning up; wait for it.
    while (running?.stop.signal.aborted) {
      await running.result.catch(() => null);
      running = this.#running.get(key);
    }
    running?.callers.add(told);
    running ??= this.#begin(key, told, work);
    const { callers, stop, result } = running;
    const left = Promise.withResolvers<null>();
    const leave = () => {
      callers.delete(told);
      // The last caller waits until everything is cleaned up.
      if (callers.size === 0) stop.abort();
      else left.resolve(null);
    };
    if (told.signal.aborted) leave();
    else told.signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([result, left.promise]);
    } finally {
      told.signal.removeEventListener('abort', leave);
    }
  }

  #begin(key: string, first: PrepareProgress, work: (told: PrepareProgress) => Promise<T>): RunningPreparation<T> {
    const callers = new Set<PrepareProgress>([first]);
    const stop = new AbortController();
    const onOutput = (text: string) => {
      for (const caller of callers) caller.onOutput(text);
    };
    const result = work({ signal: stop.signal, onOutput }).finally(() => this.#running.delete(key));
    const running = { result, callers, stop };
    this.#running.set(key, running);
    return running;
  }
}
