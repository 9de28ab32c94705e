/**
 * Returns the end of a log, but only if its last event and its anchor agree: nothing may build on a damaged or
 * truncated log.
 */
import { GENESIS } from '../kernel/hash.ts';
import { type Boundary, type Head, type Store, StoreError } from './ports/store.ts';

export async function soundHead(
  store: Store,
  boundary: Boundary,
  anchor: Pick<Head, 'seq' | 'hash'> | null = null,
): Promise<Head> {
  const head = await store.head(boundary);
  if (!(await holds(store, boundary, head)))
    throw unsound(boundary, `it should end with event ${head.seq}, which is missing or another one`);
  if (anchor !== null && anchor.seq > head.seq)
    throw unsound(boundary, `log_truncated: it ends with event ${head.seq}, but event ${anchor.seq} was written`);
  if (anchor !== null && !(await holds(store, boundary, anchor)))
    throw unsound(boundary, `event ${anchor.seq} is not the one that was written`);
  return head;
}

/** Whether the event at this place has this hash. */
async function holds(store: Store, boundary: Boundary, { seq, hash }: Pick<Head, 'seq' | 'hash'>): Promise<boolean> {
  if (seq === 0) return hash === GENESIS;
  const [event] = await store.readLog(boundary, seq - 1, 1);
  return event?.seq === seq && event.hash === hash;
}

export function unsound(boundary: Boundary, what: string): StoreError {
  const without = what.startsWith('log_truncated')
    ? '; to go on without the lost end: `supervisor verify --reanchor`'
    : '';
  return new StoreError(
    'corrupt',
    `the log of ${boundary} is damaged: ${what}. Nothing was changed; keep the file, restore it from a backup, and see \`supervisor verify\`${without}`,
  );
}
