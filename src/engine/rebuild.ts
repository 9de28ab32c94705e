/** Folds a whole log into its projections: for `verify`, to compare, and for a rebuild, to replace them. */
import { EMPTY_PROJECT, type Project } from '../mind/domain/project.ts';
import { evolve } from '../mind/domain/streams.ts';
import { revive } from './loading.ts';
import type { Boundary, Store, StoredEvent, StreamRow } from './ports/store.ts';
import { streamRow } from './stream-row.ts';

/** The result of folding a log so far: the state, and the version of each stream. */
export type Fold = { readonly project: Project; readonly versions: ReadonlyMap<string, number> };

const PAGE = 1_000;

/** The projection rows that the log gives, sorted by name. Memory grows with the number of tasks ever made. */
export async function projectionsOf(store: Store, boundary: Boundary): Promise<StreamRow[]> {
  const folding = startFold();
  for await (const page of pagesOf(store, boundary, 0)) for (const event of page) folding.add(event);
  return rowsOf(folding.fold);
}

/** The same from events in memory: for a log that is migrated while it is opened. */
export function projectionsFrom(events: Iterable<StoredEvent>): StreamRow[] {
  const folding = startFold();
  for (const event of events) folding.add(event);
  return rowsOf(folding.fold);
}

/** The log after `after`, page by page. */
export async function* pagesOf(
  store: Store,
  boundary: Boundary,
  after: number,
  size = PAGE,
): AsyncGenerator<readonly StoredEvent[]> {
  for (let seq = after; ; ) {
    const page = await store.readLog(boundary, seq, size);
    if (page.length === 0) return;
    yield page;
    seq = page.at(-1)?.seq ?? seq;
  }
}

/** A fold in progress. */
export function startFold(): { add(event: StoredEvent): void; readonly fold: Fold } {
  const versions = new Map<string, number>();
  let project = EMPTY_PROJECT;
  return {
    add(event) {
      project = evolve(project, revive(event));
      versions.set(event.stream, event.version);
    },
    get fold() {
      return { project, versions };
    },
  };
}

export function rowsOf({ project, versions }: Fold): StreamRow[] {
  const names = [...versions.keys()].sort();
  return names.map((stream) => streamRow(project, stream, versions.get(stream) ?? 0));
}
