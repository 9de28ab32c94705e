/**
 * The durable loop, the only writer of a project's log.
 * Commands come in by the inbox or from this process; a batch of them is decided one after the other, appended in one
 * transaction, and only then do effects follow. State in memory never runs ahead of what is durable.
 */
import { sha256 } from '../kernel/hash.ts';
import type { BlobHash, ProjectId, TaskId } from '../kernel/ids.ts';
import type { Json } from '../kernel/json.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import { type Actor, actorText, type Command, type Envelope, taskOf } from '../mind/domain/commands.ts';
import { decide } from '../mind/domain/decide.ts';
import { type Timer, wantedBy } from '../mind/domain/effects.ts';
import { type NewEvent, storedType, streamKind } from '../mind/domain/events/index.ts';
import { evolve, type Project, taskStream, withoutTask } from '../mind/domain/project.ts';
import { reducerOf, snapshotOf } from '../mind/domain/snapshots.ts';
import { place, type Unplaced } from './chain.ts';
import { cleaned, parseActor, parseCommand } from './door.ts';
import { LeaseLost } from './lease-lost.ts';
import { bytesOf, loadProject, loadStream, type StreamSize, snapshotDue } from './loading.ts';
import type { Hands } from './ports/hands.ts';
import type { Head, InboxRow, Owner, Receipt, Segment, Snapshot, Store, StoredEvent, StreamRow } from './ports/store.ts';
import type { Anchor, AppLog, Chance, Clock, Failpoint, Redact } from './ports/surroundings.ts';
import { Runner } from './runner.ts';
import { soundHead } from './sound-head.ts';
import { streamRow } from './stream-row.ts';
import { Timers } from './timers.ts';

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

export type EngineOptions = {
  readonly project: ProjectId;
  /** How long the lease lasts without a sign of life; renewed three times as often. */
  readonly leaseMs: number;
  /** Whether effects run. Without, the engine only drains the inbox and leaves (`cancel` beside no running process). */
  readonly act: boolean;
  readonly parallel: number;
};

/** Another process has the project's lease. */
export type Held = { readonly type: 'held'; readonly owner: Owner };

/** How many commands one transaction answers at most. */
const BATCH = 256;

type Item = {
  readonly id: string;
  readonly actor: Actor;
  readonly command: Command | Rejection;
  /** Whether it leaves a receipt: its sender chose the id and may send it again. */
  readonly kept: boolean;
  /** Whether it came by the inbox. */
  readonly row: boolean;
  readonly answer: (result: Rejection | null) => void;
};

const ATTEMPT_STARTED = storedType('attempt.started');
const BOARD_CONFIGURED = storedType('board.configured');

export type Listener = (project: Project, events: readonly StoredEvent[]) => void;

export class Engine {
  readonly #deps: EngineDeps;
  readonly #options: EngineOptions;
  readonly #token: number;
  readonly #runner: Runner;
  readonly #timers: Timers;
  readonly #listeners = new Set<Listener>();
  readonly #sizes: Map<string, StreamSize>;
  #project: Project;
  #head: Head;
  #hostHead: Head;
  #local: Item[] = [];
  #blobs = new Map<BlobHash, string>();
  #inboxDirty = true;
  #draining: Promise<void> | null = null;
  #granting: boolean;
  /** The scheduler is asked with every batch; this asks it without one: at the start, and when only time has passed. */
  #grantDue = true;
  #failure: Error | null = null;
  #shut = false;
  #failed: (error: Error) => void = () => {};
  #closing: (() => void)[] = [];
  /** Rejects when the engine can not go on: lease lost, disk full, log broken. */
  readonly failure: Promise<never>;

  private constructor(deps: EngineDeps, options: EngineOptions, token: number, start: { project: Project; sizes: ReadonlyMap<string, StreamSize>; head: Head; hostHead: Head }) {
    this.#deps = deps;
    this.#options = options;
    this.#token = token;
    this.#project = start.project;
    this.#sizes = new Map(start.sizes);
    this.#head = start.head;
    this.#hostHead = start.hostHead;
    this.#granting = options.act;
    this.failure = new Promise((_, reject) => {
      this.#failed = reject;
    });
    this.failure.catch(() => {});
    const { hands, log, failpoint } = deps;
    this.#runner = new Runner({
      ...{ hands, log, failpoint, parallel: options.parallel },
      keep: (text) => this.keep(text),
      send: async (id, command) => (await this.#enqueue({ id, actor: { kind: 'hand', name: '' }, command, kept: false })) === null,
    });
    this.#timers = new Timers(deps.clock, (timer) => this.#ring(timer));
  }

  /** Takes the lease, loads the state, and begins to act; or says who has the lease. */
  static async open(deps: EngineDeps, options: EngineOptions): Promise<Engine | Held> {
    const lease = await deps.store.acquire(options.project, deps.owner, options.leaseMs);
    if (lease.type === 'held') return lease;
    await deps.failpoint('lease.after');
    try {
      const head = await soundHead(deps.store, options.project);
      const hostHead = await soundHead(deps.store, 'host');
      const loaded = await loadProject(deps.store, options.project);
      const clock = goingOnFrom(head.time, deps.clock);
      const engine = new Engine({ ...deps, clock }, options, lease.token, { ...loaded, head, hostHead });
      engine.#begin();
      return engine;
    } catch (error) {
      // A log that can not be read must not stay locked by a process that will not use it.
      await deps.store.release(options.project, lease.token).catch(() => {});
      throw error;
    }
  }

  get project(): Project {
    return this.#project;
  }

  get head(): Head {
    return this.#head;
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
    const clean = await cleaned(command, this.#deps.redact);
    return this.#enqueue({ id: id ?? this.#deps.chance.id('c'), actor, command: clean, kept: id !== undefined });
  }

  /** Resolves once the state, after some append, passes the test. */
  until(test: (project: Project) => boolean): Promise<void> {
    if (test(this.#project)) return Promise.resolve();
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
    this.#blobs.set(hash, clean);
    await this.#deps.failpoint('blob.after');
    return hash;
  }

  /** Starts nothing new and waits until what is under way has ended. */
  async quiesce(): Promise<void> {
    this.#granting = false;
    await Promise.race([this.#runner.idle(), this.failure]);
    await this.drain();
  }

  /** Effects of other tasks that are under way. */
  busyBesides(task: TaskId): number {
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
    if (this.#failure !== null) return;
    try {
      await this.#deps.anchor.rested(this.#options.project, this.#head);
    } finally {
      await this.#deps.failpoint('release.before');
      await this.#deps.store.release(this.#options.project, this.#token);
    }
  }

  /** Decides everything that waits; wakes that come meanwhile join. */
  drain(): Promise<void> {
    this.#draining ??= this.#drainAll();
    return this.#draining;
  }

  #begin(): void {
    const { store, clock } = this.#deps;
    const watcher = store.watch(() => {
      this.#inboxDirty = true;
      this.#wake();
    });
    this.#closing.push(() => watcher.close());
    let cancelRenewal = () => {};
    const renew = () => {
      cancelRenewal = clock.after(this.#options.leaseMs / 3, renew);
      // A new day has a new budget: time alone can free what waits.
      this.#grantDue = true;
      this.#wake();
      store.renew(this.#options.project, this.#token).then(
        (ours) => ours || this.#shut || this.#fail(new LeaseLost('another process has taken over this project')),
        (error) => this.#deps.log('warn', 'lease not renewed', { error: String(error) }),
      );
    };
    cancelRenewal = clock.after(this.#options.leaseMs / 3, renew);
    this.#closing.push(() => cancelRenewal());
    if (this.#options.act) {
      for (const task of this.#project.tasks.values()) this.#runner.inherit(wantedBy(this.#project, task.id).effects);
      for (const task of this.#project.tasks.values()) this.#reconcile(task.id);
    }
    this.#wake();
  }

  #wake(): void {
    if (this.#failure === null) this.drain().catch(() => {});
  }

  #ring(timer: Timer): void {
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

  async #commit(items: readonly Item[]): Promise<void> {
    const broughtIn: TaskId[] = [];
    for (const { command } of items) if (command.type !== 'rejected') broughtIn.push(...(await this.#bringIn(command)));
    const blobs = [...this.#blobs].map(([hash, content]) => ({ hash, content }));
    for (;;) {
      const batch = this.#decideAll(items);
      const own = this.#segment(this.#head, batch.own, batch.project);
      const host = batch.host.length > 0 || batch.countsOnHost ? this.#segment(this.#hostHead, batch.host, batch.project) : null;
      const drained = items.filter((item) => item.kept).map((item) => item.id);
      const receipts = batch.results.filter(({ item }) => item.kept).map(({ item, rejection }): Receipt => ({ id: item.id, seq: own.after.seq, rejection }));
      const { project } = this.#options;
      this.#grantDue = false;
      if (items.length === 0 && batch.own.length === 0) return;
      await this.#deps.failpoint('append.before');
      const result = await this.#deps.store.append({ project, token: this.#token, own: own.segment, host: host?.segment ?? null, blobs, drained, receipts, now: this.#deps.clock.now() });
      if (result.type === 'fenced') throw new LeaseLost('another process has taken over this project');
      if (result.type === 'conflict') {
        // Only the host's head may move under us: another project was charged. Look again and decide again.
        if (result.what !== 'host') throw new Error(`the log is not where this process left it (${result.what})`);
        await this.#reloadHost();
        continue;
      }
      this.#head = own.after;
      if (host !== null) this.#hostHead = host.after;
      for (const [stream, size] of [...own.sizes, ...(host?.sizes ?? [])]) this.#sizes.set(stream, size);
      this.#project = batch.project;
      for (const { hash } of blobs) this.#blobs.delete(hash);
      this.#deps.anchor.committed(project, this.#head);
      await this.#deps.failpoint('append.after');
      this.#follow(own.segment.events, broughtIn);
      for (const { item, rejection } of batch.results) item.answer(rejection === null ? null : rejected(rejection.code, rejection.message));
      return;
    }
  }

  #decideAll(items: readonly Item[]) {
    let project = this.#project;
    const own: Unplaced[] = [];
    const host: Unplaced[] = [];
    const results: { item: Item; rejection: Rejection | null }[] = [];
    const take = (envelope: Envelope, events: readonly NewEvent[]) => {
      const task = taskOf(envelope.command);
      for (const event of events) {
        project = evolve(project, event);
        const trace = (task === null ? undefined : project.tasks.get(task)?.trace) ?? envelope.id;
        const unplaced = { stream: event.stream, type: storedType(event.type), data: event.data as Json, actor: actorText(envelope.actor), cause: envelope.id, trace, time: event.time };
        (streamKind(event.stream) === 'host' ? host : own).push(unplaced);
      }
    };
    for (const item of items) {
      if (item.command.type === 'rejected') {
        results.push({ item, rejection: item.command });
        continue;
      }
      const envelope = this.#envelope(item.id, item.actor, item.command);
      const decision = this.#decide(project, envelope);
      if (decision.type === 'decided') take(envelope, decision.events);
      results.push({ item, rejection: decision.type === 'rejected' ? decision : null });
    }
    if (this.#granting) {
      const envelope = this.#grant();
      const decision = this.#decide(project, envelope);
      if (decision.type === 'decided') take(envelope, decision.events);
    }
    // What is granted on the strength of the day's budget holds only if the host is still as it was known here.
    const countsOnHost = project.board.limits.budget.day_microusd !== null && own.some((event) => event.type === ATTEMPT_STARTED);
    return { project, own, host, results, countsOnHost };
  }

  /** A defect in the mind must not stop the world: the command that met it is refused, with the error on record. */
  #decide(project: Project, envelope: Envelope) {
    try {
      return decide(project, envelope);
    } catch (error) {
      this.#deps.log('error', 'decide failed', { command: envelope.command.type, id: envelope.id, error: (error as Error).stack });
      return rejected('internal', `${envelope.command.type} met a defect in Supervisor: ${(error as Error).message}`);
    }
  }

  #envelope(id: string, actor: Actor, command: Command): Envelope {
    return { id, actor, command, at: Math.max(this.#deps.clock.now(), this.#head.time), dice: this.#deps.chance.dice() };
  }

  #grant(): Envelope {
    return this.#envelope('grant', { kind: 'engine', name: '' }, { type: 'board.grant' });
  }

  #segment(before: Head, events: readonly Unplaced[], project: Project): { segment: Segment; after: Head; sizes: ReadonlyMap<string, StreamSize> } {
    const { placed, head: after } = place(before, events, (stream) => this.#sizes.get(stream)?.version ?? 0);
    const touched = new Map<string, StreamSize>();
    for (const event of placed) {
      const size = touched.get(event.stream) ?? this.#sizes.get(event.stream) ?? { version: 0, tail: 0, snapshot: 0 };
      touched.set(event.stream, { ...size, version: event.version, tail: size.tail + bytesOf(event) });
    }
    const snapshots: Snapshot[] = [];
    const streams: StreamRow[] = [];
    for (const [stream, size] of touched) {
      const state = snapshotDue(size) ? snapshotOf(project, stream) : null;
      if (state !== null) {
        snapshots.push({ stream, version: size.version, reducer: reducerOf(stream), state });
        touched.set(stream, { version: size.version, tail: 0, snapshot: state.length });
      }
      streams.push(streamRow(project, stream, size.version));
    }
    return { segment: { before, events: placed, streams, snapshots }, after, sizes: touched };
  }

  /** After an append: tell who listens, start and stop effects, forget what is closed. */
  #follow(events: readonly StoredEvent[], broughtIn: readonly TaskId[]): void {
    const tasks = new Set<TaskId>();
    for (const { stream } of events) if (streamKind(stream) === 'task') tasks.add(stream.slice('task/'.length) as TaskId);
    // New limits move every timer that hangs on one.
    if (events.some(({ type }) => type === BOARD_CONFIGURED)) for (const id of this.#project.tasks.keys()) tasks.add(id as TaskId);
    for (const listener of [...this.#listeners]) listener(this.#project, events);
    if (this.#options.act) for (const id of tasks) this.#reconcile(id);
    for (const id of [...tasks, ...broughtIn]) {
      const task = this.#project.tasks.get(id);
      if (task === undefined || task.closed === null || task.notify) continue;
      this.#project = withoutTask(this.#project, id);
      this.#sizes.delete(taskStream(id));
    }
  }

  #reconcile(id: TaskId): void {
    const wanted = wantedBy(this.#project, id);
    this.#runner.replace(id, wanted.effects);
    this.#timers.replace(id, wanted.timers);
  }

  /** A command may speak of a task that was closed and forgotten: its stream is folded again. */
  async #bringIn(command: Command): Promise<TaskId[]> {
    const id = taskMeant(this.#project, command);
    if (id === null || this.#project.tasks.has(id)) return [];
    const loaded = await loadStream(this.#deps.store, this.#options.project, taskStream(id), this.#project);
    if (loaded.size.version === 0) return [];
    this.#project = loaded.project;
    this.#sizes.set(taskStream(id), loaded.size);
    return [id];
  }

  async #reloadHost(): Promise<void> {
    this.#hostHead = await soundHead(this.#deps.store, 'host');
    const { project, size } = await loadStream(this.#deps.store, 'host', 'host', this.#project);
    this.#project = project;
    this.#sizes.set('host', size);
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

/** An accepted proposal speaks of the task of the command that it holds. */
function taskMeant(project: Project, command: Command): TaskId | null {
  if (command.type !== 'proposal.accept') return taskOf(command);
  const task = project.proposals.get(command.proposal)?.command['task'];
  return typeof task === 'string' ? (task as TaskId) : null;
}

/** A clock that was set back goes on from where the log ended: time neither stands still nor do timers wait for it to catch up. */
function goingOnFrom(time: number, clock: Clock): Clock {
  const behind = Math.max(0, time - clock.now());
  return { now: () => clock.now() + behind, after: (ms, callback) => clock.after(ms, callback) };
}

function itemOf(row: InboxRow): Item {
  return { id: row.id, actor: parseActor(row.actor), command: parseCommand(row.command), kept: true, row: true, answer: () => {} };
}
