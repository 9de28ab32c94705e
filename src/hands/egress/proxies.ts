/** Opens a proxy for each attempt of this process, and removes sockets of killed processes. */
import type { AttemptProxy, Egress, EgressPolicy } from '../../engine/ports/egress.ts';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import { upstreamOf } from '../../mind/egress/policy.ts';
import type { ResolveHost } from './connect.ts';
import type { HttpProxy } from './proxy.ts';
import type { Times } from './proxy-context.ts';
import { makeDirectory, sweepSocketFiles } from './socket-file.ts';

export type EgressProxiesOptions = {
  /** The directory for sockets: ours; as root every parent must let other users pass (0711). */
  readonly dir: string;
  readonly log: AppLog;
  /** Returns all addresses of a name; default: as the system does. */
  readonly resolve?: ResolveHost;
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

export class EgressProxies implements Egress, AsyncDisposable {
  readonly #options: EgressProxiesOptions;
  readonly #proxies = new Set<HttpProxy>();
  #swept = false;

  constructor(options: EgressProxiesOptions) {
    this.#options = options;
  }

  async open(policy: EgressPolicy): Promise<AttemptProxy> {
    // Loaded only when a worker needs network access: Node's HTTP and TLS modules take a third of a start.
    const [{ HttpProxy }, { systemResolve }] = await Promise.all([import('./proxy.ts'), import('./connect.ts')]);
    const { dir, log, resolve = systemResolve, times } = this.#options;
    if (policy.route !== null && upstreamOf(policy.route.upstream) === null)
      throw new Error(`${policy.route.upstream} is not an address of http or https: correct the upstream of the CLI`);
    makeDirectory(dir);
    if (!this.#swept) this.sweep();
    this.#swept = true;
    const proxy = new HttpProxy(policy, { dir, log, resolve, times: { ...TIMES, ...times } }, () =>
      this.#proxies.delete(proxy),
    );
    this.#proxies.add(proxy);
    await proxy.listen();
    return proxy;
  }

  /** Removes the sockets of dead processes and returns their number. */
  sweep(): number {
    return sweepSocketFiles(this.#options.dir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#proxies].map((proxy) => proxy[Symbol.asyncDispose]()));
  }
}
