/**
 * The durable loop, the only writer of a project's log.
 * Commands come in by the inbox or from this process; a batch of them is decided one after the other, appended in one
 * transaction, and only then do effects follow. State in memory never runs ahead of what is durable.
 */

import { sha256 } from '../kernel/hash.ts';
import type { BlobHash, ProjectId, TaskId } from '../kernel/ids.ts';
import type { Json } from '../kernel/json.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { Actor, Command } from '../mind/domain/commands.ts';
import { type ParkingTimer, parkingTimers, type Timer, wantedBy, wantingStreams } from '../mind/domain/effects.ts';
import { storedType } from '../mind/domain/events/index.ts';
import type { Project } from '../mind/domain/project.ts';
import { taskOfStream } from '../mind/domain/stream-name.ts';
import { aroundOf, contentOf } from './around.ts';
import type { Item } from './batch.ts';
import { logDecisions } from './decision-log.ts';
import { cleaned, itemOf, parseCommand, sensible, speaks, writable } from './door.ts';
import { LeaseLost } from './lease-lost.ts';
import { LiveState, taskMeant } from './live-state.ts';
import type { Hands } from './ports/hands.ts';
import type { Head, InboxRow, Owner, Store, StoredEvent } from './ports/store.ts';
import type { Anchor, AppLog, Chance, Clock, Failpoint, Redact } from './ports/surroundings.ts';
import { Runner } from './runner.ts';
import { goingOnFrom, Timers } from './timers.ts';

export type EngineDeps = {
  readonly store: Store;
  readonly hands: Hands;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly redact: Redact;
  readonly anchor: Anchor;
  readonly failpoint: Failpoint;
  readonly log: AppLog;
  readonly owner: Owner;
};

type EngineOptions = {
  readonly project: ProjectId;
  /** How long the lease lasts without a sign of life; renewed three times as often. */
  readonly leaseMs: number;
  /** Whether effects run. Without, the engine only drains the inbox and leaves (`cancel` beside no running process). */
  readonly act: boolean;
  readonly parallel: number;
  /** Whether new attempts are started; if not said, as `act`. */
  readonly grant?: boolean;
  /** Done with the lease in hand and before any effect runs: clearing up what a killed process left. */
  readonly settle?: (() => Promise<void>) | undefined;
};

/** Another process has the project's lease. */
type Held = { readonly type: 'held'; readonly owner: Owner };

/** How many commands one transaction answers at most. */
const BATCH = 256;

const BOARD_CONFIGURED = storedType('board.configured');
const TASK_CLOSED = storedType('task.closed');

type Listener = (project: Project, events: readonly StoredEvent[]) => void;

export class Engine {
  readonly #deps: EngineDeps;
  readonly #options: EngineOptions;
  readonly #token: number;
  readonly #runner: Runner;
  readonly #timers: Timers<Timer | ParkingTimer>;
  readonly #listeners = new Set<Listener>();
  readonly #live: LiveState;
  #local: Item[] = [];
  #inboxDirty = true;
  /** Another process may have written to the host's log. */
  #hostDirty = false;
  #draining: Promise<void> | null = null;
  #resting: Promise<void> = Promise.resolve();
  #granting: boolean;
  /** The scheduler is asked with every batch; this asks it without one: at the start, and when only time has passed. */
  #grantDue = true;
  #failure: Error | null = null;
  #shut = false;
  #failed: (error: Error) => void = () => {};
  #closing: (() => void)[] = [];
  /** Rejects when the engine can not go on: lease lost, disk full, log broken. */
  readonly failure: Promise<never>;

  private constructor(deps: EngineDeps, options: EngineOptions, token: number, live: LiveState) {
    this.#deps = deps;
    this.#options = options;
    this.#token = token;
    this.#live = live;
    this.#granting = options.grant ?? options.act;
    this.failure = new Promise((_, reject) => {
      this.#failed = reject;
    });
    this.failure.catch(() => {});
    const { hands, log, failpoint } = deps;
    this.#runner = new Runner({
      ...{ hands, log, failpoint, parallel: options.parallel },
      keep: (text) => this.keep(text),
      read: async (hash) => this.#live.kept(hash) ?? (await contentOf(deps.store, hash)),
      around: (task) => aroundOf(deps.store, options.project, task, this.project.goal),
      send: async (id, command) => {
        const clean = speaks(command) ? await cleaned(command, deps.redact) : command;
        const sane = clean.type === 'effect.start' ? clean : sensible(clean);
        return (await this.#enqueue({ id, actor: { kind: 'hand', name: '' }, command: sane, kept: false })) === null;
      },
    });
    this.#timers = new Timers(deps.clock, log, (timer) => this.#ring(timer));
  }

  /** Takes the lease, loads the state, and begins to act; or says who has the lease. */
  static async open(deps: EngineDeps, options: EngineOptions): Promise<Engine | Held> {
    const lease = await deps.store.acquire(options.project, deps.owner, options.leaseMs);
    if (lease.type === 'held') return lease;
    await deps.failpoint('lease.after');
    try {
      const live = await LiveState.load(deps, options.project, lease.token);
      await options.settle?.();
      const clock = goingOnFrom(live.head.time, deps.clock);
      const engine = new Engine({ ...deps, clock }, options, lease.token, live);
      engine.#begin();
      return engine;
    } catch (error) {
      // A log that can not be read must not stay locked by a process that will not use it.
      await deps.store.release(options.project, lease.token).catch(() => {});
      throw error;
    }
  }

  get project(): Project {
    return this.#live.project;
  }

  get head(): Head {
    return this.#live.head;
  }

  /** Called after every append, with the state before closed tasks are forgotten. */
  observe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Has a command decided; null when it was, else why not. Resolves when the facts are durable.
   * An id of the sender's own is decided once, by whichever door it comes: sent again, it gets the first answer.
   */
  async submit(actor: Actor, command: Command, id?: string): Promise<Rejection | null> {
    const written = await writable(command, this.#deps.redact);
    const clean = written.type === 'rejected' ? written : parseCommand(written as unknown as Json);
    if (clean.type === 'rejected') return clean;
    return this.#enqueue({ id: id ?? this.#deps.chance.id('c'), actor, command: clean, kept: id !== undefined });
  }

  /** Resolves once the state, after some append, passes the test. */
  until(test: (project: Project) => boolean): Promise<void> {
    if (test(this.project)) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.observe((project) => {
        if (!test(project)) return;
        stop();
        resolve();
      });
    });
  }

  /** Keeps a text, secrets taken out; written with the next append, which is the one that names it. */
  async keep(text: string): Promise<BlobHash> {
    await this.#deps.failpoint('blob.before');
    const [clean = ''] = await this.#deps.redact([text]);
    const hash = sha256(clean) as BlobHash;
    this.#live.keep(hash, clean);
    await this.#deps.failpoint('blob.after');
    return hash;
  }

  /** Starts nothing new and waits until what is under way has ended. */
  async quiesce(): Promise<void> {
    this.#granting = false;
    await Promise.race([this.#runner.idle(), this.failure]);
    await this.drain();
  }

  /** Other tasks whose effects are under way. */
  busyBesides(task: TaskId): TaskId[] {
    return this.#runner.busyBesides(task);
  }

  /** Ends politely: hands are told to stop, their reports are logged, the lease is given back. */
  async stop(): Promise<void> {
    this.#granting = false;
    this.#timers.stop();
    if (this.#failure === null) await Promise.race([this.#runner.stop(), this.failure.catch(() => {})]);
    // From here on nobody gets in, so that nothing is decided behind the last drain.
    this.#shut = true;
    for (const close of this.#closing.splice(0)) close();
    if (this.#failure === null) await this.drain().catch(() => {});
    // After a failure nothing is written any more; the lease may still be ours, and others need not wait for it to expire.
    if (this.#failure !== null) return this.#deps.store.release(this.#options.project, this.#token).catch(() => {});
    this.#rest();
    await this.#resting;
    await this.#deps.failpoint('release.before');
    await this.#deps.store.release(this.#options.project, this.#token);
  }

  /** Decides everything that waits; wakes that come meanwhile join. */
  drain(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#draining ??= this.#drainAll();
    return this.#draining;
  }

  #begin(): void {
    const { store, clock } = this.#deps;
    const watcher = store.watch(() => {
      this.#inboxDirty = true;
      this.#hostDirty = true;
      this.#wake();
    });
    this.#closing.push(() => watcher.close());
    let cancelRenewal = () => {};
    const renew = () => {
      cancelRenewal = clock.after(this.#options.leaseMs / 3, renew);
      // A new day has a new budget: time alone can free what waits. So can another project, which shares the machine.
      this.#grantDue = true;
      this.#hostDirty = true;
      this.#wake();
      store.renew(this.#options.project, this.#token).then(
        (ours) => ours || this.#shut || this.#fail(new LeaseLost('another process has taken over this project')),
        (error) => this.#deps.log('warn', 'lease not renewed', { error: String(error) }),
      );
    };
    cancelRenewal = clock.after(this.#options.leaseMs / 3, renew);
    this.#closing.push(() => cancelRenewal());
    if (this.#options.act) {
      const streams = wantingStreams(this.project);
      for (const stream of streams) this.#runner.inherit(wantedBy(this.project, stream).effects);
      for (const stream of streams) this.#reconcile(stream);
      this.#armParking();
    }
    this.#wake();
  }

  #wake(): void {
    if (this.#failure === null) this.drain().catch(() => {});
  }

  #ring(timer: Timer | ParkingTimer): void {
    if (timer.timer === 'quota') {
      this.#grantDue = true;
      this.#wake();
      return;
    }
    const { task, timer: name, step, token } = timer;
    const command: Command = { type: 'timer.fire', task, timer: name, step, token };
    void this.#enqueue({ id: `${timer.key}/fire`, actor: { kind: 'clock', name: '' }, command, kept: false });
  }

  #enqueue(item: Omit<Item, 'row' | 'answer'>): Promise<Rejection | null> {
    if (this.#failure !== null) return Promise.resolve(rejected('stopped', this.#failure.message));
    if (this.#shut) return Promise.resolve(rejected('stopped', 'Supervisor was stopped'));
    return new Promise((answer) => {
      this.#local.push({ ...item, row: false, answer });
      this.#wake();
    });
  }

  async #drainAll(): Promise<void> {
    // One turn lets outcomes that are ready together share a transaction.
    await Promise.resolve();
    try {
      do await this.#drainOnce();
      while (this.#failure === null && this.#pending());
    } catch (error) {
      this.#fail(error as Error);
      throw error;
    } finally {
      // In the same turn that found nothing pending: whoever comes in the next one starts a new drain.
      this.#draining = null;
    }
  }

  #pending(): boolean {
    return this.#local.length > 0 || this.#inboxDirty || (this.#granting && this.#grantDue);
  }

  async #drainOnce(): Promise<void> {
    const rows = this.#inboxDirty ? await this.#readInbox() : [];
    if (this.#hostDirty) await this.#lookAtHost();
    const taken = [...this.#local.splice(0, BATCH), ...rows.map(itemOf)];
    try {
      const items = await this.#undecided(taken);
      if (items.length === 0 && !(this.#granting && this.#grantDue)) return;
      await this.#deps.failpoint('drain.before');
      await this.#commit(items);
      await this.#deps.failpoint('drain.after');
    } catch (error) {
      // Whether they were decided is in the log, for whoever reads it next; nobody is left without an answer here.
      for (const item of taken) item.answer(rejected('stopped', (error as Error).message));
      throw error;
    }
  }

  /** Leaves out what has a receipt. A second copy in the same batch waits a turn and finds the receipt of the first. */
  async #undecided(items: readonly Item[]): Promise<readonly Item[]> {
    const undecided: Item[] = [];
    const ids = new Set<string>();
    for (const item of items) {
      const copy = item.kept && ids.has(item.id);
      if (copy && !item.row) this.#local.push(item);
      if (copy) continue;
      if (item.kept) ids.add(item.id);
      const receipt = item.kept && !item.row ? await this.#deps.store.receipt(this.#options.project, item.id) : null;
      if (receipt === null) undecided.push(item);
      else item.answer(receipt.rejection === null ? null : rejected(receipt.rejection.code, receipt.rejection.message));
    }
    return undecided;
  }

  async #readInbox(): Promise<readonly InboxRow[]> {
    this.#inboxDirty = false;
    const rows = await this.#deps.store.inbox(this.#options.project, BATCH);
    // A full batch of rows means that more may wait.
    if (rows.length === BATCH) this.#inboxDirty = true;
    return rows;
  }

  /** Whoever waits for a parked CLI goes on when another project finds that it works, or its operator says so. */
  async #lookAtHost(): Promise<void> {
    this.#hostDirty = false;
    if (this.project.host.parked.size === 0 || !(await this.#live.refreshHost())) return;
    this.#grantDue = true;
    this.#armParking();
  }

  #armParking(): void {
    if (this.#options.act) this.#timers.replace('', parkingTimers(this.project, this.#deps.clock.now()));
  }

  async #commit(items: readonly Item[]): Promise<void> {
    const { clock, chance } = this.#deps;
    this.#grantDue = false;
    const spoken = items.flatMap(({ command }) =>
      command.type === 'rejected' ? [] : (taskMeant(this.project, command) ?? []),
    );
    const { events, results } = await this.#live.commit(items, {
      grant: this.#granting,
      at: clock.now(),
      dice: () => chance.dice(),
    });
    this.#follow(events, spoken);
    this.#armParking();
    logDecisions(this.#deps.log, events, results);
    for (const { item, rejection } of results) item.answer(rejection);
    if (events.some(({ type }) => type === TASK_CLOSED)) this.#rest();
  }

  /** Leaves the head where an edit of the log does not reach it; one at a time, and nobody waits for it but stop. */
  #rest(): void {
    const { anchor, log } = this.#deps;
    this.#resting = this.#resting
      .then(() => anchor.rested(this.#options.project, this.head))
      .catch((error) => log('warn', 'the anchor was not written', { error: String(error) }));
  }

  /** After an append: tell who listens, start and stop effects, forget what is closed. */
  #follow(events: readonly StoredEvent[], spoken: readonly TaskId[]): void {
    const changed = new Set(events.map(({ stream }) => stream));
    // New limits move every timer that hangs on one.
    if (events.some(({ type }) => type === BOARD_CONFIGURED))
      for (const stream of wantingStreams(this.project)) changed.add(stream);
    for (const listener of [...this.#listeners]) listener(this.project, events);
    if (this.#options.act) for (const stream of changed) this.#reconcile(stream);
    this.#live.forgetClosed([...[...changed].flatMap((stream) => taskOfStream(stream) ?? []), ...spoken]);
  }

  #reconcile(stream: string): void {
    const wanted = wantedBy(this.project, stream);
    this.#runner.replace(stream, wanted);
    this.#timers.replace(stream, wanted.timers);
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#granting = false;
    this.#timers.stop();
    this.#runner.abandon();
    for (const close of this.#closing.splice(0)) close();
    for (const item of this.#local.splice(0)) item.answer(rejected('stopped', error.message));
    this.#failed(error);
  }
}
