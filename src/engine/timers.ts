/** One clock for all timers. They are re-armed from state, so a restart forgets none and fires none twice. */
import { OrderedMap } from '../kernel/ordered-map.ts';
import type { AppLog, Clock } from './ports/surroundings.ts';

/** What a key stands for never changes. */
type DueTimer = { readonly key: string; readonly due: number };

export class Timers<T extends DueTimer> {
  readonly #clock: Clock;
  readonly #log: AppLog;
  readonly #fire: (timer: T) => void;
  readonly #byOwner = new Map<string, readonly T[]>();
  #due = OrderedMap.empty<T>();
  #armed: { readonly at: number; readonly cancel: () => void } | null = null;
  #stopped = false;

  constructor(clock: Clock, log: AppLog, fire: (timer: T) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#fire = fire;
  }

  /** Sets the timers that the task (or '', the host) wants now. */
  replace(owner: string, timers: readonly T[]): void {
    if (this.#stopped) return;
    const before = this.#byOwner.get(owner) ?? [];
    if (before.length === timers.length && before.every((timer, n) => timer.key === timers[n]?.key)) return;
    for (const timer of before) this.#due = this.#due.delete(rank(timer));
    for (const timer of timers) {
      this.#due = this.#due.set(rank(timer), timer);
      this.#log('debug', 'waits', { timer: timer.key, until: timer.due });
    }
    if (timers.length === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, timers);
    this.#arm();
  }

  /** Final: the last reports during a stop must not arm a timer that keeps the process alive. */
  stop(): void {
    this.#stopped = true;
    this.#armed?.cancel();
    this.#armed = null;
    this.#due = OrderedMap.empty();
    this.#byOwner.clear();
  }

  #arm(): void {
    const next = this.#due.first()?.[1];
    if (this.#armed !== null && this.#armed.at === next?.due) return;
    this.#armed?.cancel();
    this.#armed =
      next === undefined
        ? null
        : { at: next.due, cancel: this.#clock.after(next.due - this.#clock.now(), () => this.#ring()) };
  }

  #ring(): void {
    this.#armed = null;
    const now = this.#clock.now();
    for (let next = this.#due.first(); next !== undefined && next[1].due <= now; next = this.#due.first()) {
      this.#due = this.#due.delete(next[0]);
      this.#fire(next[1]);
    }
    this.#arm();
  }
}

const rank = (timer: DueTimer): string => `${String(Math.max(0, timer.due)).padStart(16, '0')}/${timer.key}`;

/**
 * If the clock was set back, time goes on from the end of the log: it does not stand still, and timers need not wait
 * for it to catch up.
 */
export function goingOnFrom(time: number, clock: Clock): Clock {
  const behind = Math.max(0, time - clock.now());
  return { now: () => clock.now() + behind, after: (ms, callback) => clock.after(ms, callback) };
}
