/** A world of one thread and one virtual clock: what happens next is the earliest thing asked for, then the first asked. */
type Entry = { readonly at: number; readonly order: number; run: (() => void) | null };

/** Where wall clocks start: a fixed evening, so that midnight is crossed in some schedules. */
const START = Date.UTC(2027, 0, 1, 23, 30);

/** More than any sound schedule needs; beyond it something turns in circles. */
const MAX_STEPS = 400_000;

export class World {
  readonly #entries: Entry[] = [];
  readonly #lines: string[] | null;
  #order = 0;
  #steps = 0;
  #halted = false;
  #now = 0;
  #wall = START;

  constructor(options: { readonly trace: boolean }) {
    this.#lines = options.trace ? [] : null;
  }

  /** Milliseconds since the world began; only runs forward. Leases are measured on it. */
  get now(): number {
    return this.#now;
  }

  /** What must be added to `now` to get what a process that starts at this moment takes for the time. */
  get wall(): number {
    return this.#wall;
  }

  /** Somebody sets the machine's clock. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** Runs once after `ms`; returns a way to call it off. */
  schedule(ms: number, run: () => void): () => void {
    const entry: Entry = { at: this.#now + Math.max(0, Math.ceil(ms)), order: this.#order++, run };
    push(this.#entries, entry);
    return () => {
      entry.run = null;
    };
  }

  /** Lets things happen until `done` says so or the clock reaches `deadline`; tells which. */
  async run(done: () => boolean, deadline: number): Promise<boolean> {
    while (!done()) {
      if (this.#halted) return done();
      const next = this.#entries[0];
      if (next === undefined || next.at > deadline) {
        this.#now = Math.max(this.#now, deadline);
        return done();
      }
      pop(this.#entries);
      if (next.run === null) continue;
      this.#now = next.at;
      next.run();
      this.#steps += 1;
      await this.#settle();
      if (this.#steps > MAX_STEPS) throw new Error(`the world turns in circles: ${MAX_STEPS} steps at ${this.#now} ms`);
    }
    return true;
  }

  /**
   * Lets everything happen that follows by promises alone: a tick asked for now comes when no promise is left to run.
   * Twice as fast as a turn of the event loop, which is taken now and then so that others are not starved.
   */
  #settle(): Promise<void> {
    return new Promise((resolve) => (this.#steps % 512 === 0 ? setImmediate(resolve) : process.nextTick(resolve)));
  }

  /** Nothing happens any more. */
  halt(): void {
    this.#halted = true;
  }

  get steps(): number {
    return this.#steps;
  }

  trace(who: string, text: string | (() => string)): void {
    if (this.#lines === null) return;
    const said = typeof text === 'string' ? text : text();
    this.#lines.push(`${(this.#now / 1_000).toFixed(3).padStart(10)} ${who.padEnd(12)} ${said}`);
  }

  get lines(): readonly string[] {
    return this.#lines ?? [];
  }
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A binary heap: the earliest entry is the first. */
function push(heap: Entry[], entry: Entry): void {
  let n = heap.push(entry) - 1;
  while (n > 0) {
    const parent = (n - 1) >> 1;
    if (!before(entry, heap[parent] as Entry)) break;
    heap[n] = heap[parent] as Entry;
    n = parent;
  }
  heap[n] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop() as Entry;
  if (heap.length === 0) return;
  let n = 0;
  for (;;) {
    let child = 2 * n + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Entry, heap[child] as Entry)) child += 1;
    if (!before(heap[child] as Entry, last)) break;
    heap[n] = heap[child] as Entry;
    n = child;
  }
  heap[n] = last;
}
