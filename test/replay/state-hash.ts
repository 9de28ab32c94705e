/** Folds a recorded history and prints the hash of the state: `node state-hash.ts FILE [--shuffle]`. */
import { readFileSync } from 'node:fs';
import { revive } from '../../src/engine/loading.ts';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import { canonicalJson } from '../../src/kernel/json.ts';
import { EMPTY_PROJECT, evolve } from '../../src/mind/domain/project.ts';

export type History = {
  readonly note: string;
  readonly state: string;
  readonly head: string;
  readonly events: readonly StoredEvent[];
  /** The log of the machine; the oldest history has none. */
  readonly host?: readonly StoredEvent[];
};

export function stateHash({ events, host: ofHost = [] }: Pick<History, 'events' | 'host'>): string {
  const folded = [...events, ...ofHost].map(revive).reduce(evolve, EMPTY_PROJECT);
  const { tasks, board, goal, proposals } = folded;
  // Parts of the state that came later are left out while they are empty: an old history has nothing in them.
  const { parked, ...charged } = folded.host;
  const host = parked.size === 0 ? charged : folded.host;
  // Through JSON, because that is how snapshots keep it; workflows are compiled, not kept.
  return sha256(canonicalJson(JSON.parse(JSON.stringify({ tasks, board, goal, proposals, host }))));
}

/** The same value with the keys of every object the other way round. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
}

if (process.argv[1] === import.meta.filename) {
  const history = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as History;
  const read = (events: readonly StoredEvent[]) =>
    process.argv.includes('--shuffle') ? (shuffled(events) as StoredEvent[]) : events;
  console.log(stateHash({ events: read(history.events), host: read(history.host ?? []) }));
}
