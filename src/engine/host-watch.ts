/**
 * Watches the host's log, which all projects of this machine share. A CLI without quota is parked there, and tasks wait
 * for it until its reset time, or until a project or operator frees it sooner.
 */
import { type ParkingTimer, parkingTimers } from '../mind/domain/effects.ts';
import type { LiveState } from './live-state.ts';
import type { AppLog, Clock } from './ports/surroundings.ts';
import { Timers } from './timers.ts';

type HostWatchDeps = {
  readonly live: LiveState;
  readonly clock: Clock;
  readonly log: AppLog;
  /** False for an engine that runs no effects: nothing there waits for a parked CLI. */
  readonly act: boolean;
  /** Called when a parked CLI reaches its reset time. */
  readonly freed: () => void;
};

export class HostWatch {
  readonly #deps: HostWatchDeps;
  readonly #timers: Timers<ParkingTimer>;
  #mayHaveGrown = false;

  constructor(deps: HostWatchDeps) {
    this.#deps = deps;
    this.#timers = new Timers(deps.clock, deps.log, () => deps.freed());
  }

  /** Another process may have written to the host's log; the next `look` reads it. */
  mayHaveGrown(): void {
    this.#mayHaveGrown = true;
  }

  /** Returns true if the host's log has grown while CLIs were parked, so that waiting tasks may go on. */
  async look(): Promise<boolean> {
    if (!this.#mayHaveGrown) return false;
    this.#mayHaveGrown = false;
    const { live } = this.#deps;
    if (live.project.host.parked.size === 0 || !(await live.refreshHost())) return false;
    this.arm();
    return true;
  }

  /** Sets timers for the CLIs that are parked now. */
  arm(): void {
    const { live, clock, act } = this.#deps;
    if (act) this.#timers.replace('', parkingTimers(live.project, clock.now()));
  }

  stop(): void {
    this.#timers.stop();
  }
}
