/** Keeps the project's lease: takes it, renews it three times as often as it expires, notices its loss, releases it. */
import type { ProjectId } from '../kernel/ids.ts';
import { LeaseLost } from './lease-lost.ts';
import type { ProcessIdentity, Store } from './ports/store.ts';
import type { AppLog, Clock } from './ports/surroundings.ts';

type LeaseDeps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: AppLog;
  readonly owner: ProcessIdentity;
};

type LeaseTerms = {
  readonly project: ProjectId;
  /** How long the lease lasts without renewal. */
  readonly leaseMs: number;
};

/** Another process has the project's lease. */
export type LeaseHeld = { readonly type: 'held'; readonly owner: ProcessIdentity };

/** Callbacks for the holder of a lease. */
interface LeaseHolder {
  /** Called at each renewal, before the store is asked. */
  renewing(): void;
  /** Called when another process has taken the lease, unless `endRenewal` was called before. */
  lost(error: LeaseLost): void;
}

export class LeaseKeeper {
  /** The fencing token: each append names it. */
  readonly token: number;
  readonly #deps: LeaseDeps;
  readonly #terms: LeaseTerms;
  #cancelNext = () => {};
  #ended = false;

  private constructor(deps: LeaseDeps, terms: LeaseTerms, token: number) {
    this.#deps = deps;
    this.#terms = terms;
    this.token = token;
  }

  static async take(deps: LeaseDeps, terms: LeaseTerms): Promise<LeaseKeeper | LeaseHeld> {
    const lease = await deps.store.acquire(terms.project, deps.owner, terms.leaseMs);
    return lease.type === 'held' ? lease : new LeaseKeeper(deps, terms, lease.token);
  }

  /** Renews the lease until `endRenewal`. */
  beginRenewal(holder: LeaseHolder): void {
    this.#cancelNext = this.#deps.clock.after(this.#terms.leaseMs / 3, () => this.#renew(holder));
  }

  endRenewal(): void {
    this.#ended = true;
    this.#cancelNext();
  }

  release(): Promise<void> {
    return this.#deps.store.release(this.#terms.project, this.token);
  }

  #renew(holder: LeaseHolder): void {
    const { store, log } = this.#deps;
    this.beginRenewal(holder);
    holder.renewing();
    store.renew(this.#terms.project, this.token).then(
      (ours) => {
        if (!ours && !this.#ended) holder.lost(new LeaseLost('another process has taken over this project'));
      },
      (error) => log('warn', 'lease not renewed', { error: String(error) }),
    );
  }
}
