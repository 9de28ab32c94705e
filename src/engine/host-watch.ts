/**
 * Watches the host: the log that all projects of this machine share. A CLI whose quota is used up is parked there, and
 * tasks wait for it. They go on when its time has come, or when another project or its operator frees it sooner.
 */
import { type ParkingTimer, parkingTimers } from '../mind/domain/effects.ts';
import type { LiveState } from './live-state.ts';
import type { AppLog, Clock } from './ports/surroundings.ts';
import { Timers } from './timers.ts';

type HostWatchDeps = {
  readonly live: LiveState;
  readonly clock: Clock;
  readonly log: AppLog;
  /** False for an engine that runs no effects: nothing waits there for a parked CLI. */
  readonly act: boolean;
  /** Called when the time of a parked CLI has come. */
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

  /** True: the host's log has grown while CLIs were parked, so that tasks may go on which waited for one. */
  async look(): Promise<boolean> {
    if (!this.#mayHaveGrown) return false;
    this.#mayHaveGrown = false;
    const { live } = this.#deps;
    if (live.project.host.parked.size === 0 || !(await live.refreshHost())) return false;
    this.arm();
    return true;
  }

  /** Sets the timers of the CLIs that are parked now. */
  arm(): void {
    const { live, clock, act } = this.#deps;
    if (act) this.#timers.replace('', parkingTimers(live.project, clock.now()));
  }

  stop(): void {
    this.#timers.stop();
  }
}
