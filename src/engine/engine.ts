/**
 * The durable loop, the only writer of a project's log. It joins four parts: the lease keeper says whether this process may
 * write, the drain decides commands and appends, the effect keeper does what the new state wants, and the host watch sees
 * what other projects write. State in memory never runs ahead of what is durable.
 */
import type { ProjectId, TaskId } from '../kernel/ids.ts';
import type { Json } from '../kernel/json.ts';
import type { Rejection } from '../kernel/result.ts';
import type { Actor, Command } from '../mind/domain/commands.ts';
import { wantingStreams } from '../mind/domain/effects.ts';
import { storedType } from '../mind/domain/events/index.ts';
import type { Project } from '../mind/domain/project.ts';
import { taskOfStream } from '../mind/domain/stream-name.ts';
import { Drain } from './drain.ts';
import { EffectKeeper } from './effect-keeper.ts';
import { HostWatch } from './host-watch.ts';
import { parseCommand, redactedForLog } from './incoming.ts';
import { type LeaseHeld, LeaseKeeper } from './lease-keeper.ts';
import { LiveState } from './live-state.ts';
import type { Hands } from './ports/hands.ts';
import type { Head, ProcessIdentity, Store, StoredEvent } from './ports/store.ts';
import type { Anchor, AppLog, Chance, Clock, Failpoint, MemoryUse, Redact } from './ports/surroundings.ts';
import { goingOnFrom } from './timers.ts';

export type EngineDeps = {
  readonly store: Store;
  readonly hands: Hands;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly redact: Redact;
  readonly anchor: Anchor;
  readonly failpoint: Failpoint;
  readonly log: AppLog;
  readonly owner: ProcessIdentity;
  /** Absent if nothing measures it. */
  readonly memory?: MemoryUse | undefined;
};

type EngineOptions = {
  readonly project: ProjectId;
  /** How long the lease lasts without renewal; it is renewed three times as often. */
  readonly leaseMs: number;
  /**
   * Whether to run effects. Without it, the engine only drains the inbox and leaves (`cancel` with no running process).
   */
  readonly act: boolean;
  readonly parallel: number;
  /** Whether to start new attempts; defaults to `act`. */
  readonly grant?: boolean;
  /** Called with the lease and before any effect runs, to clean up after a killed process. */
  readonly settle?: (() => Promise<void>) | undefined;
};

/** Streams whose change affects the effects and timers of every other stream. */
const BOUNDS_ALL: ReadonlySet<string> = new Set(
  (['board.configured', 'board.halted', 'board.resumed'] as const).map(storedType),
);
const TASK_CLOSED = storedType('task.closed');

type EventListener = (project: Project, events: readonly StoredEvent[]) => void;

export class Engine {
  readonly #deps: EngineDeps;
  readonly #options: EngineOptions;
  readonly #lease: LeaseKeeper;
  readonly #live: LiveState;
  readonly #host: HostWatch;
  readonly #drain: Drain;
  readonly #effects: EffectKeeper;
  readonly #listeners = new Set<EventListener>();
  #watcher: { close(): void } | null = null;
  #anchoring: Promise<void> = Promise.resolve();
  #failure: Error | null = null;
  #failed: (error: Error) => void = () => {};
  /** Rejects when the engine cannot go on: the lease is lost, the disk full, or the log broken. */
  readonly failure: Promise<never>;

  private constructor(deps: EngineDeps, options: EngineOptions, lease: LeaseKeeper, live: LiveState) {
    this.#deps = deps;
    this.#options = options;
    this.#lease = lease;
    this.#live = live;
    this.failure = new Promise((_, reject) => {
      this.#failed = reject;
    });
    this.failure.catch(() => {});
    const { clock, log } = deps;
    const { act } = options;
    this.#host = new HostWatch({ live, clock, log, act, freed: () => this.#drain.askScheduler() });
    this.#drain = new Drain(
      { ...deps, project: options.project, live, host: this.#host },
      { committed: (events, meant) => this.#follow(events, meant), failed: (error) => this.#fail(error) },
      options.grant ?? act,
    );
    this.#effects = new EffectKeeper({ ...deps, ...options, live, drain: this.#drain });
  }

  /** Takes the lease, loads the state and starts to act; or returns the lease's holder. */
  static async open(deps: EngineDeps, options: EngineOptions): Promise<Engine | LeaseHeld> {
    const lease = await LeaseKeeper.take(deps, options);
    if (!(lease instanceof LeaseKeeper)) return lease;
    await deps.failpoint('lease.after');
    try {
      const live = await LiveState.load(deps, options.project, lease.token);
      await options.settle?.();
      const clock = goingOnFrom(live.head.time, deps.clock);
      const engine = new Engine({ ...deps, clock }, options, lease, live);
      engine.#begin();
      return engine;
    } catch (error) {
      // A process that cannot read the log must not keep it locked.
      await lease.release().catch(() => {});
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
  observe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Submits a command. Resolves when its events are durable: null if it was decided, else the rejection. A command with
   * an id of its sender's is decided once: a second copy, by any way in, gets the first answer.
   */
  async submit(actor: Actor, command: Command, id?: string): Promise<Rejection | null> {
    const written = await redactedForLog(command, this.#deps.redact);
    const clean = written.type === 'rejected' ? written : parseCommand(written as unknown as Json);
    if (clean.type === 'rejected') return clean;
    return this.#drain.enqueue({ id: id ?? this.#deps.chance.id('c'), actor, command: clean, kept: id !== undefined });
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

  /** Decides everything that waits. */
  drain(): Promise<void> {
    return this.#drain.run();
  }

  /** Starts nothing new and waits until running work has ended. */
  async quiesce(): Promise<void> {
    this.#drain.stopGranting();
    await Promise.race([this.#effects.idle(), this.failure]);
    await this.drain();
  }

  /** Other tasks with effects under way. */
  busyBesides(task: TaskId): TaskId[] {
    return this.#effects.busyBesides(task);
  }

  /** Stops politely: tells hands to stop, logs their reports, and releases the lease. */
  async stop(): Promise<void> {
    this.#drain.stopGranting();
    this.#effects.stopTimers();
    this.#host.stop();
    if (this.#failure === null) await Promise.race([this.#effects.stop(), this.failure.catch(() => {})]);
    // Accepts no more commands, so that nothing is decided after the last drain.
    this.#drain.shut();
    this.#endWatching();
    if (this.#failure === null) await this.drain().catch(() => {});
    // After a failure nothing is written any more. The lease may still be ours; releasing it spares others the wait.
    if (this.#failure !== null) return this.#lease.release().catch(() => {});
    this.#anchorHead();
    await this.#anchoring;
    await this.#deps.failpoint('release.before');
    await this.#lease.release();
  }

  #begin(): void {
    this.#watcher = this.#deps.store.watch(() => {
      this.#host.mayHaveGrown();
      this.#drain.readInbox();
    });
    this.#lease.beginRenewal({
      renewing: () => {
        // A new day brings a new budget, so time alone can free waiting work. So can another project on the same
        // machine.
        this.#host.mayHaveGrown();
        this.#drain.askScheduler();
      },
      lost: (error) => this.#fail(error),
    });
    if (this.#options.act) this.#effects.begin();
    this.#host.arm();
    this.#drain.wake();
  }

  /** After an append: calls listeners, starts and stops effects, and forgets closed tasks. */
  #follow(events: readonly StoredEvent[], meant: readonly TaskId[]): void {
    const changed = new Set(events.map(({ stream }) => stream));
    // New limits change every timer that depends on one; a halt stops and later restarts the work of all tasks.
    if (events.some(({ type }) => BOUNDS_ALL.has(type)))
      for (const stream of wantingStreams(this.project)) changed.add(stream);
    for (const listener of [...this.#listeners]) listener(this.project, events);
    if (this.#options.act) for (const stream of changed) this.#effects.follow(stream);
    this.#live.forgetClosed([...[...changed].flatMap((stream) => taskOfStream(stream) ?? []), ...meant]);
    this.#host.arm();
    if (events.some(({ type }) => type === TASK_CLOSED)) this.#anchorHead();
  }

  /**
   * Writes the head to a place that an edit of the log does not reach. One write at a time; only `stop` waits for it.
   */
  #anchorHead(): void {
    const { anchor, log } = this.#deps;
    this.#anchoring = this.#anchoring
      .then(() => anchor.rested(this.#options.project, this.head))
      .catch((error) => log('warn', 'the anchor was not written', { error: String(error) }));
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#effects.abandon();
    this.#host.stop();
    this.#endWatching();
    this.#drain.fail(error);
    this.#failed(error);
  }

  #endWatching(): void {
    this.#watcher?.close();
    this.#watcher = null;
    this.#lease.endRenewal();
  }
}
