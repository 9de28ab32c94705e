/** What the checker knows: every append as the store took it, folded into a state that forgets nothing; and every promise given. */

import { revive } from '../../src/engine/loading.ts';
import type { Append, Store, StoredEvent } from '../../src/engine/ports/store.ts';
import type { ProjectId } from '../../src/kernel/ids.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { Rejection } from '../../src/kernel/result.ts';
import { EMPTY_PROJECT, type Project } from '../../src/mind/domain/project.ts';
import { taskStream } from '../../src/mind/domain/stream-name.ts';
import { evolve } from '../../src/mind/domain/streams.ts';
import { check } from './check.ts';
import type { Outside } from './hands.ts';
import { APPEND_INVARIANTS, BEGINNING_INVARIANTS, EVENT_INVARIANTS } from './invariants.ts';
import { type SimProcess, wrapStore } from './process.ts';
import type { World } from './world.ts';

/** A command that somebody sent, and what the sender was told. */
export type Submission = {
  readonly id: string;
  readonly actor: string;
  readonly command: Json;
  /** The process it was handed to, or null for the inbox. */
  readonly process: SimProcess | null;
  /** `unknown` until an answer came; an inbox only says that it has it. */
  answer: 'unknown' | 'kept' | 'done' | Rejection;
};

/** One project, seen from outside. */
export class Site {
  readonly project: ProjectId;
  /** The fold of its log. Unlike an engine's state it keeps closed tasks. */
  model: Project = EMPTY_PROJECT;
  readonly events: StoredEvent[] = [];
  /** Number of the append that brought each event. */
  readonly appendOf = new Map<number, number>();
  /** In which append each cause was first decided. */
  readonly decidedIn = new Map<string, number>();
  readonly submissions: Submission[] = [];
  /** Rows of the inbox that wait, and ids that have a receipt. */
  readonly waiting = new Set<string>();
  readonly answered = new Set<string>();
  /** What was told as spent, per attempt; and how much of it was charged. */
  readonly charged = new Map<string, { readonly microusd: number; readonly tokens: number }>();
  readonly versions = new Map<string, number>();
  /** When the newest append was taken, or the lease: from then on its time has certainly run. */
  runsSince = 0;
  /** What the log says is meant to be done: kind of effect and token, per stream. */
  readonly intents = new Set<string>();

  constructor(project: ProjectId) {
    this.project = project;
  }
}

/** More than it takes from the lease to the first look at the clock. */
const OPENING_MS = 20_000;

/** After so many findings a schedule has nothing to add. */
const ENOUGH = 10;

export class History {
  readonly world: World;
  readonly outside: Outside;
  readonly sites = new Map<ProjectId, Site>();
  readonly hostEvents: StoredEvent[] = [];
  /** Every state the host ever was in: an engine may know an older one, but none that never was. */
  readonly hostStates = new Set<string>([JSON.stringify(EMPTY_PROJECT.host)]);
  readonly problems: string[] = [];
  readonly happened = new Map<string, number>();
  /** The process that took the lease of a project last. */
  readonly holder = new Map<ProjectId, string>();
  appends = 0;

  constructor(world: World, outside: Outside) {
    this.world = world;
    this.outside = outside;
    outside.began = (process, effect, signal) =>
      check(BEGINNING_INVARIANTS, { history: this, process, effect, signal });
  }

  count(what: string, times = 1): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + times);
  }

  /** An invariant does not hold. */
  blame(invariant: string, detail: string | null): void {
    if (detail === null) return;
    this.world.trace('CHECK', `${invariant}: ${detail}`);
    this.problems.push(`${invariant}: ${detail}`);
    if (this.problems.length === ENOUGH) this.world.halt();
  }

  /** The same store, with every append and every change of lease looked at. */
  witness(store: Store): Store {
    return wrapStore(store, (perform) => perform(), {
      watch: (onChange) => store.watch(onChange),
      append: async (batch) => {
        const lease = await store.lease(batch.project);
        const result = await store.append(batch);
        this.count(result.type === 'conflict' ? `conflict: ${result.what}` : `append ${result.type}`);
        check(APPEND_INVARIANTS, { history: this, site: this.site(batch.project), batch, lease, result });
        if (result.type === 'appended') this.#take(batch);
        return result;
      },
      submit: async (project, rows) => {
        await store.submit(project, rows);
        const { waiting, answered } = this.site(project);
        for (const { id } of rows) if (!answered.has(id)) waiting.add(id);
      },
      acquire: async (project, owner, ttlMs) => {
        const before = await store.lease(project);
        const result = await store.acquire(project, owner, ttlMs);
        if (result.type === 'leased' && before.owner !== null) this.count('take-over');
        if (result.type === 'leased') this.holder.set(project, owner.started);
        if (result.type === 'leased') this.site(project).runsSince = this.world.now;
        this.world.trace(
          owner.started,
          result.type === 'leased' ? `takes the lease (token ${result.token})` : 'finds the lease held',
        );
        return result;
      },
    });
  }

  /** The time at least, as the engine of the project has it: an engine's clock never runs behind its log. */
  timeAt({ events, runsSince }: Site): number {
    return (events.at(-1)?.time ?? 0) + Math.max(0, this.world.now - runsSince - OPENING_MS);
  }

  site(project: ProjectId): Site {
    const site = this.sites.get(project) ?? new Site(project);
    this.sites.set(project, site);
    return site;
  }

  #take(batch: Append): void {
    this.appends += 1;
    const site = this.site(batch.project);
    site.runsSince = this.world.now;
    this.count('snapshot', batch.own.snapshots.length);
    for (const id of batch.drained) site.waiting.delete(id);
    for (const { id } of batch.receipts) site.answered.add(id);
    for (const stored of batch.host?.events ?? []) {
      this.hostEvents.push(stored);
      this.count(`event ${revive(stored).type}`);
      for (const other of this.sites.values()) other.model = evolve(other.model, revive(stored));
      this.hostStates.add(JSON.stringify(site.model.host));
    }
    for (const stored of batch.own.events) {
      const event = revive(stored);
      const before = site.model;
      const after = evolve(before, event);
      this.world.trace(
        batch.project,
        () => `#${stored.seq} ${stored.stream} ${stored.type} ${brief(stored.data)} (${stored.cause})`,
      );
      this.count(`event ${event.type}`);
      check(EVENT_INVARIANTS, { history: this, site, stored, event, before, after });
      site.model = after;
      site.events.push(stored);
      site.versions.set(stored.stream, stored.version);
      if (event.type === 'attempt.started') site.intents.add(`${stored.stream} worker.run ${event.data.token}`);
      if (event.type === 'attempt.produced') site.intents.add(`${stored.stream} gate.run ${event.data.token}`);
      if (event.type === 'line.gating' || event.type === 'line.rechecking')
        site.intents.add(`${taskStream(event.data.task)} gate.run ${event.data.token} of ${stored.stream}`);
      if (event.type === 'effect.started') site.intents.add(`${stored.stream} ${event.data.kind} ${event.data.token}`);
      site.appendOf.set(stored.seq, this.appends);
    }
  }
}

function brief(data: Json): string {
  const text = JSON.stringify(data);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
