/** Work that several callers want at once is done once; it is stopped when the last of them no longer wants it. */

type Told = { readonly signal: AbortSignal; onOutput(text: string): void };
type Running<T> = { readonly result: Promise<T>; readonly callers: Set<Told>; readonly stop: AbortController };

export class Shared<T> {
  readonly #running = new Map<string, Running<T>>();

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** Null: this caller no longer wants it, and others still do. */
  async join(key: string, told: Told, work: (told: Told) => Promise<T>): Promise<T | null> {
    let running = this.#running.get(key);
    // One that was given up is on its way out: wait until it has cleared away what it made.
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
      // The last one waits until everything is cleared away.
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

  #begin(key: string, first: Told, work: (told: Told) => Promise<T>): Running<T> {
    const callers = new Set<Told>([first]);
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
