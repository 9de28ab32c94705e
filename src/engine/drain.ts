/**
 * The drain: takes the commands of this process and the rows of the inbox as one batch, has it decided and appended in one
 * transaction, and answers the senders. One batch at a time; wakes that come meanwhile join.
 */
import type { ProjectId, TaskId } from '../kernel/ids.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { BatchItem } from './batch.ts';
import { logDecisions } from './decision-log.ts';
import type { HostWatch } from './host-watch.ts';
import { itemOf } from './incoming.ts';
import { type LiveState, taskMeant } from './live-state.ts';
import type { InboxRow, Store, StoredEvent } from './ports/store.ts';
import type { AppLog, Chance, Clock, Failpoint, MemoryUse } from './ports/surroundings.ts';

type DrainDeps = {
  readonly project: ProjectId;
  readonly store: Store;
  readonly live: LiveState;
  readonly host: HostWatch;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly failpoint: Failpoint;
  readonly log: AppLog;
  readonly memory?: MemoryUse | undefined;
};

/** Acts on the result of a drain. */
interface DrainListener {
  /** Called after each append, before the senders are answered. `meant`: the tasks that the commands name. */
  committed(events: readonly StoredEvent[], meant: readonly TaskId[]): void;
  /** The drain cannot go on: the lease is lost, the disk full, or the log broken. */
  failed(error: Error): void;
}

/** How many commands one transaction answers at most. */
const BATCH = 256;
const LOOK_AT_MEMORY_MS = 2_000;

export class Drain {
  readonly #deps: DrainDeps;
  readonly #listener: DrainListener;
  /** Commands of this process that wait. */
  #local: BatchItem[] = [];
  #inboxDirty = true;
  /** Whether the scheduler may start attempts. */
  #granting: boolean;
  /**
   * The scheduler runs with every batch. This flag runs it without one: at the start, and when only time has passed.
   */
  #grantDue = true;
  #looksAgain = false;
  #draining: Promise<void> | null = null;
  #shut = false;
  #failure: Error | null = null;

  constructor(deps: DrainDeps, listener: DrainListener, granting: boolean) {
    this.#deps = deps;
    this.#listener = listener;
    this.#granting = granting;
  }

  /** Submits a command. Resolves when its events are durable: null if it was decided, else the rejection. */
  enqueue(item: Omit<BatchItem, 'row' | 'answer'>): Promise<Rejection | null> {
    if (this.#failure !== null) return Promise.resolve(rejected('stopped', this.#failure.message));
    if (this.#shut) return Promise.resolve(rejected('stopped', 'Supervisor was stopped'));
    return new Promise((answer) => {
      this.#local.push({ ...item, row: false, answer });
      this.wake();
    });
  }

  /** A process may have written to the inbox. */
  readInbox(): void {
    this.#inboxDirty = true;
    this.wake();
  }

  /** Something may have become free without a command. */
  askScheduler(): void {
    this.#grantDue = true;
    this.wake();
  }

  stopGranting(): void {
    this.#granting = false;
  }

  /** Accepts no more commands; decides those that wait. */
  shut(): void {
    this.#shut = true;
  }

  /** Decides nothing any more. */
  fail(error: Error): void {
    this.#failure = error;
    this.#granting = false;
    for (const item of this.#local.splice(0)) item.answer(rejected('stopped', error.message));
  }

  /** Decides everything that waits. */
  run(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#draining ??= this.#all();
    return this.#draining;
  }

  wake(): void {
    if (this.#failure === null) this.run().catch(() => {});
  }

  async #all(): Promise<void> {
    // Waiting one turn lets outcomes that are ready together share a transaction.
    await Promise.resolve();
    try {
      do await this.#once();
      while (this.#failure === null && (this.#local.length > 0 || this.#inboxDirty || this.#mustGrant()));
    } catch (error) {
      this.#listener.failed(error as Error);
      throw error;
    } finally {
      // Reset in the turn that found nothing waiting: a command of the next turn starts a new drain.
      this.#draining = null;
    }
  }

  /** Polls, because no command arrives when memory becomes free. */
  #waitForMemory(): void {
    const { live, clock } = this.#deps;
    if (this.#looksAgain || !this.#granting || live.project.board.pressed === undefined) return;
    this.#looksAgain = true;
    clock.after(LOOK_AT_MEMORY_MS, () => {
      this.#looksAgain = false;
      if (this.#granting) this.askScheduler();
    });
  }

  #mustGrant(): boolean {
    return this.#granting && this.#grantDue;
  }

  async #once(): Promise<void> {
    const { host, failpoint } = this.#deps;
    const rows = this.#inboxDirty ? await this.#rows() : [];
    if (await host.look()) this.#grantDue = true;
    const taken = [...this.#local.splice(0, BATCH), ...rows.map(itemOf)];
    try {
      const items = await this.#undecided(taken);
      if (items.length === 0 && !this.#mustGrant()) return;
      await failpoint('drain.before');
      await this.#commit(items);
      await failpoint('drain.after');
    } catch (error) {
      // Answers every sender here. Whether the command was decided is in the log, for the next reader.
      for (const item of taken) item.answer(rejected('stopped', (error as Error).message));
      throw error;
    }
  }

  async #rows(): Promise<readonly InboxRow[]> {
    this.#inboxDirty = false;
    const rows = await this.#deps.store.inbox(this.#deps.project, BATCH);
    // A full batch of rows means that there may be more.
    if (rows.length === BATCH) this.#inboxDirty = true;
    return rows;
  }

  /**
   * Leaves out commands that have a receipt. A second copy in the same batch waits a turn and finds the receipt of the
   * first.
   */
  async #undecided(items: readonly BatchItem[]): Promise<readonly BatchItem[]> {
    const undecided: BatchItem[] = [];
    const ids = new Set<string>();
    for (const item of items) {
      const copy = item.kept && ids.has(item.id);
      if (copy && !item.row) this.#local.push(item);
      if (copy) continue;
      if (item.kept) ids.add(item.id);
      const receipt = item.kept && !item.row ? await this.#deps.store.receipt(this.#deps.project, item.id) : null;
      if (receipt === null) undecided.push(item);
      else item.answer(receipt.rejection === null ? null : rejected(receipt.rejection.code, receipt.rejection.message));
    }
    return undecided;
  }

  async #commit(items: readonly BatchItem[]): Promise<void> {
    const { live, clock, chance, log, memory } = this.#deps;
    this.#grantDue = false;
    const meant = items.flatMap(({ command }) =>
      command.type === 'rejected' ? [] : (taskMeant(live.project, command) ?? []),
    );
    const { events, results } = await live.commit(items, {
      grant: this.#granting,
      memory: this.#granting ? (memory?.() ?? null) : null,
      at: clock.now(),
      dice: () => chance.dice(),
    });
    this.#listener.committed(events, meant);
    logDecisions(log, events, results);
    this.#waitForMemory();
    for (const { item, rejection } of results) item.answer(rejection);
  }
}
