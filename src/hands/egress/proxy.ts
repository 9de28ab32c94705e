/** The egress of this process: opens a door for each attempt, and clears away what killed processes left. */
import type { Egress, EgressDoor, EgressPolicy } from '../../engine/ports/egress.ts';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import { upstreamOf } from '../../mind/egress/policy.ts';
import type { Resolve } from './connect.ts';
import type { Door } from './door.ts';
import type { Times } from './door-context.ts';
import { makeDirectory, sweepSocketFiles } from './socket-file.ts';

export type EgressProxyOptions = {
  /** For sockets: ours, and as root every parent must let other users pass (0711). */
  readonly dir: string;
  readonly log: AppLog;
  /** All addresses of a name; absent: as the system does it. */
  readonly resolve?: Resolve;
  readonly times?: Partial<Times>;
};

const TIMES: Times = {
  headMs: 30_000,
  bodyMs: 10 * 60_000,
  connectMs: 30_000,
  // A model may think for ten minutes before its first word.
  idleMs: 15 * 60_000,
  halfOpenMs: 30_000,
};

export class EgressProxy implements Egress, AsyncDisposable {
  readonly #options: EgressProxyOptions;
  readonly #doors = new Set<Door>();
  #swept = false;

  constructor(options: EgressProxyOptions) {
    this.#options = options;
  }

  async open(policy: EgressPolicy): Promise<EgressDoor> {
    // Loaded only when a worker needs a way out: Node's own HTTP and TLS modules take a third of a start.
    const [{ Door }, { systemResolve }] = await Promise.all([import('./door.ts'), import('./connect.ts')]);
    const { dir, log, resolve = systemResolve, times } = this.#options;
    if (policy.route !== null && upstreamOf(policy.route.upstream) === null)
      throw new Error(`${policy.route.upstream} is not an address of http or https: correct the upstream of the CLI`);
    makeDirectory(dir);
    if (!this.#swept) this.sweep();
    this.#swept = true;
    const door = new Door(policy, { dir, log, resolve, times: { ...TIMES, ...times } }, () => this.#doors.delete(door));
    this.#doors.add(door);
    await door.listen();
    return door;
  }

  /** Of processes that are no more; returns how many sockets that were. */
  sweep(): number {
    return sweepSocketFiles(this.#options.dir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#doors].map((door) => door[Symbol.asyncDispose]()));
  }
}
