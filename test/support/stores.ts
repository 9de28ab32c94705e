/** Every backend of the store, ready for tests: one contract suite is looped over them. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Boundary,
  type ProcessIdentity,
  type Store,
  type StreamRow,
  THIS_HOST,
} from '../../src/engine/ports/store.ts';
import { MemoryStore } from '../../src/hands/store/memory/store.ts';
import { SqliteStore, type SqliteStoreOptions } from '../../src/hands/store/sqlite/store.ts';
import type { BlobHash, ProjectId } from '../../src/kernel/ids.ts';

export const PROJECT = 'p-test' as ProjectId;
export const FACTS = { path: '/somewhere', root: 'a'.repeat(40) };

/** A store with the knobs that tests turn. */
export type Fixture = {
  readonly store: Store;
  /** Another handle on the same log, as another process would have it. */
  another(): Promise<Store>;
  /** The clock that leases are measured on; it stands still unless moved. */
  readonly clock: { now: number };
  /** Pids of processes that are gone. */
  readonly dead: Set<number>;
  close(): Promise<void>;
};

export type Backend = { readonly name: string; open(): Promise<Fixture> };

export const BACKENDS: readonly Backend[] = [
  { name: 'memory', open: openMemory },
  { name: 'SQLite', open: openSqlite },
];

async function openMemory(): Promise<Fixture> {
  const { clock, dead } = knobs();
  const store = new MemoryStore({ now: () => clock.now, alive: ({ pid }) => !dead.has(pid) });
  // Memory is not shared between processes: the second handle is the same one.
  return { store, another: async () => store, clock, dead, close: () => store.close() };
}

async function openSqlite(): Promise<Fixture> {
  const { clock, dead } = knobs();
  const dir = temporaryDirectory();
  const handles: Store[] = [];
  const another = async () => {
    const options = { alive: ({ pid }: ProcessIdentity) => !dead.has(pid), monotonic: () => clock.now };
    const store = await SqliteStore.open({ file: join(dir.path, 'log.db'), ...options });
    handles.push(store);
    return store;
  };
  const store = await another();
  const close = async () => {
    for (const handle of handles) await handle.close();
    dir.remove();
  };
  return { store, another, clock, dead, close };
}

function knobs(): Pick<Fixture, 'clock' | 'dead'> {
  return { clock: { now: 1_000 }, dead: new Set() };
}

export function ownerOf(pid: number): ProcessIdentity {
  return { pid, started: '1', boot: 'this one', host: 'here' };
}

export type Directory = { readonly path: string; remove(): void };

/** A directory on a real disk where there is one: what is synced here is synced for real. */
export function temporaryDirectory(): Directory {
  return directoryIn(tmpdir());
}

/** For thousands of copies that are only opened and thrown away: in memory, where the system has such a place. */
export function scratchDirectory(): Directory {
  return directoryIn(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
}

function directoryIn(parent: string): Directory {
  const path = mkdtempSync(join(parent, 'supervisor-store-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A SQLite store on a given file, with a clock that stands still. */
export function openFile(file: string, options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  return SqliteStore.open({ file, alive: () => true, monotonic: () => 1_000, ...options });
}

/** All that a store answers: when two of these are equal, nothing that anybody can read has changed. */
export async function everythingIn(
  store: Store,
  known: {
    readonly commands?: readonly string[];
    readonly blobs?: readonly BlobHash[];
    readonly reducer?: number;
  } = {},
) {
  const { commands = [], blobs = [], reducer = 1 } = known;
  return {
    lease: await store.lease(PROJECT),
    inbox: await store.inbox(PROJECT, 1_000),
    receipts: await Promise.all(commands.map((id) => store.receipt(PROJECT, id))),
    blobs: await Promise.all(blobs.map((hash) => store.blob(hash))),
    project: await boundaryIn(store, PROJECT, reducer),
    host: await boundaryIn(store, THIS_HOST, reducer),
  };
}

/** Every row, by name; in pages so small that most tests need several. */
export async function allRows(store: Store, boundary: Boundary, prefix = ''): Promise<StreamRow[]> {
  const rows: StreamRow[] = [];
  for (;;) {
    const last = rows.at(-1)?.stream;
    const page = await store.rowsNamed(boundary, { prefix, limit: 3, ...(last === undefined ? {} : { after: last }) });
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

async function boundaryIn(store: Store, boundary: Boundary, reducer: number) {
  const rows = await allRows(store, boundary);
  const histories = await Promise.all(rows.map(({ stream }) => store.readStream(boundary, stream, reducer)));
  const log = await store.readLog(boundary, 0, 100_000);
  const counts = Object.fromEntries(await store.countRows(boundary, 'task'));
  return { head: await store.head(boundary), log, rows, counts, live: await store.liveStreams(boundary), histories };
}
