/** What the checker looks at, and how it asks every invariant about it. */
import type { Engine } from '../../src/engine/engine.ts';
import type { Append, AppendResult, LeaseState, Store, StoredEvent } from '../../src/engine/ports/store.ts';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import type { Effect } from '../../src/mind/domain/work.ts';
import type { History, Site } from './history.ts';
import type { SimProcess } from './process.ts';

/** What an invariant found, or null when it holds. */
export type Finding = string | null;

/** An event as the store took it, and the state before and after it. */
export type SeenEvent = {
  readonly history: History;
  readonly site: Site;
  readonly stored: StoredEvent;
  readonly event: NewEvent;
  readonly before: Project;
  readonly after: Project;
};

/** An append, the lease as it was, and what the store said to it. */
export type SeenAppend = {
  readonly history: History;
  readonly site: Site;
  readonly batch: Append;
  readonly lease: LeaseState;
  readonly result: AppendResult;
};

/** A hand that begins to act. */
export type Beginning = {
  readonly history: History;
  readonly process: SimProcess;
  readonly effect: Effect;
  readonly signal: AbortSignal;
};

/** A project when the schedule is over, at rest or in the middle of everything. */
export type End = {
  readonly history: History;
  readonly site: Site;
  readonly store: Store;
  readonly engine: Engine | null;
};

type Invariant<Seen> = (seen: Seen) => Finding | Promise<Finding>;

export function check<Seen extends { readonly history: History }>(
  invariants: readonly ((seen: Seen) => Finding)[],
  seen: Seen,
): void {
  for (const invariant of invariants) seen.history.blame(invariant.name, invariant(seen));
}

export async function checkLast(invariants: readonly Invariant<End>[], end: End): Promise<void> {
  for (const invariant of invariants) end.history.blame(invariant.name, await invariant(end));
}
