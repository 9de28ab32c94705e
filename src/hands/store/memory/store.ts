/** The log in memory, for the simulation and quick tests. Same guarantees, but nothing survives the process. */

import type {
  Append,
  AppendResult,
  BlobState,
  Boundary,
  Head,
  InboxRow,
  LeaseResult,
  LeaseState,
  ProcessIdentity,
  Receipt,
  RowPage,
  RowQuery,
  Segment,
  Snapshot,
  Store,
  StoredEvent,
  StreamHistory,
  StreamRow,
} from '../../../engine/ports/store.ts';
import { StoreError, THIS_HOST } from '../../../engine/ports/store.ts';
import { GENESIS } from '../../../kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../../kernel/ids.ts';
import type { StreamKind } from '../../../mind/domain/events/define.ts';
import { compareCursors, cursorOf, pageOf } from '../row-page.ts';
import { misfitOf } from '../segment-misfit.ts';

type Book = {
  head: Head;
  root: string | null;
  events: StoredEvent[];
  streams: Map<string, StreamRow>;
  snapshots: Map<string, Snapshot>;
  inbox: Map<string, InboxRow>;
  receipts: Map<string, Receipt>;
  lease: { token: number; owner: ProcessIdentity | null; renewed: number; ttl: number };
};

type MemoryStoreOptions = {
  /** A clock that never runs backwards; leases are measured on it. */
  readonly now: () => number;
  readonly alive?: (owner: ProcessIdentity) => boolean;
};

export class MemoryStore implements Store {
  readonly #books = new Map<Boundary, Book>();
  readonly #blobs = new Map<BlobHash, BlobState>();
  readonly #watchers = new Set<() => void>();
  readonly #options: MemoryStoreOptions;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
  }

  async openProject(project: ProjectId, facts: { readonly path: string; readonly root: string | null }): Promise<void> {
    const book = this.#book(project);
    if (book.root !== null && facts.root !== null && book.root !== facts.root) {
      throw new StoreError(
        'wrong_project',
        `${facts.path} is another repository than the one this log was started for`,
      );
    }
    book.root ??= facts.root;
  }

  async knows(project: ProjectId): Promise<boolean> {
    return this.#books.has(project);
  }

  async head(boundary: Boundary): Promise<Head> {
    return this.#book(boundary).head;
  }

  async acquire(project: ProjectId, owner: ProcessIdentity, ttlMs: number): Promise<LeaseResult> {
    const { lease } = this.#book(project);
    if (lease.owner !== null && !this.#expired(lease)) return { type: 'held', owner: lease.owner };
    lease.token += 1;
    lease.owner = owner;
    lease.renewed = this.#options.now();
    lease.ttl = ttlMs;
    return { type: 'leased', token: lease.token };
  }

  async renew(project: ProjectId, token: number): Promise<boolean> {
    const { lease } = this.#book(project);
    if (lease.token !== token || lease.owner === null) return false;
    lease.renewed = this.#options.now();
    return true;
  }

  async release(project: ProjectId, token: number): Promise<void> {
    const { lease } = this.#book(project);
    if (lease.token === token) lease.owner = null;
    this.#tell();
  }

  async lease(project: ProjectId): Promise<LeaseState> {
    const { lease } = this.#book(project);
    return { token: lease.token, owner: lease.owner, expired: lease.owner === null || this.#expired(lease) };
  }

  async append(batch: Append): Promise<AppendResult> {
    const book = this.#book(batch.project);
    const host = this.#book(THIS_HOST);
    if (book.lease.token !== batch.token || book.lease.owner === null) return { type: 'fenced' };
    const misfit = misfitIn(book, batch.own) ?? (batch.host === null ? null : misfitIn(host, batch.host) && THIS_HOST);
    if (misfit !== null) return { type: 'conflict', what: misfit };
    write(book, batch.own);
    if (batch.host !== null) write(host, batch.host);
    for (const { hash, content } of batch.blobs)
      if (!this.#blobs.has(hash)) this.#blobs.set(hash, { type: 'content', content });
    for (const id of batch.drained) book.inbox.delete(id);
    for (const receipt of batch.receipts) book.receipts.set(receipt.id, receipt);
    book.lease.renewed = this.#options.now();
    this.#tell();
    return { type: 'appended' };
  }

  async readStream(boundary: Boundary, stream: string, reducer: number): Promise<StreamHistory> {
    const book = this.#book(boundary);
    const kept = book.snapshots.get(stream);
    const snapshot = kept?.reducer === reducer ? kept : null;
    return {
      snapshot,
      events: book.events.filter((event) => event.stream === stream && event.version > (snapshot?.version ?? 0)),
    };
  }

  async readLog(boundary: Boundary, after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#book(boundary).events.slice(after, after + limit);
  }

  async readEvents(boundary: Boundary, stream: string, after: number, limit: number): Promise<readonly StoredEvent[]> {
    const { events } = this.#book(boundary);
    return events.filter((event) => event.stream === stream && event.version > after).slice(0, limit);
  }

  async liveStreams(boundary: Boundary): Promise<readonly string[]> {
    return [...this.#book(boundary).streams.values()]
      .filter((row) => row.live)
      .map((row) => row.stream)
      .sort(workflowsFirst);
  }

  async rows(boundary: Boundary, query: RowQuery): Promise<RowPage> {
    const { kind, status, parent, line, asks, order, after = null } = query;
    const rows = [...this.#book(boundary).streams.values()].filter(
      (row) =>
        row.kind === kind &&
        (status === undefined || status.includes(row.status)) &&
        (parent === undefined || row.parent === parent) &&
        (line === undefined || row.line === line) &&
        (asks === undefined || row.asks) &&
        (after === null || compareCursors(cursorOf(row, order), after, order) > 0),
    );
    return pageOf(rows, query);
  }

  async row(boundary: Boundary, stream: string): Promise<StreamRow | null> {
    return this.#book(boundary).streams.get(stream) ?? null;
  }

  async rowsNamed(
    boundary: Boundary,
    { prefix, after = '', limit }: { readonly prefix: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly StreamRow[]> {
    const rows = [...this.#book(boundary).streams.values()];
    return rows
      .filter(({ stream }) => stream.startsWith(prefix) && stream > after)
      .sort((a, b) => (a.stream < b.stream ? -1 : 1))
      .slice(0, limit);
  }

  async countRows(boundary: Boundary, kind: StreamKind): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const row of this.#book(boundary).streams.values())
      if (row.kind === kind) counts.set(row.status, (counts.get(row.status) ?? 0) + 1);
    return counts;
  }

  async rebuild(boundary: Boundary, rows: readonly StreamRow[]): Promise<void> {
    const book = this.#book(boundary);
    book.streams = new Map(rows.map((row) => [row.stream, row]));
    book.snapshots = new Map();
  }

  async submit(project: ProjectId, rows: readonly InboxRow[]): Promise<void> {
    const book = this.#book(project);
    for (const row of rows) if (!book.inbox.has(row.id) && !book.receipts.has(row.id)) book.inbox.set(row.id, row);
    this.#tell();
  }

  async inbox(project: ProjectId, limit: number): Promise<readonly InboxRow[]> {
    return [...this.#book(project).inbox.values()].slice(0, limit);
  }

  async receipt(project: ProjectId, id: string): Promise<Receipt | null> {
    return this.#book(project).receipts.get(id) ?? null;
  }

  watch(onChange: () => void): { close(): void } {
    this.#watchers.add(onChange);
    return { close: () => this.#watchers.delete(onChange) };
  }

  async blob(hash: BlobHash): Promise<BlobState> {
    return this.#blobs.get(hash) ?? { type: 'missing' };
  }

  async forgetBlob(hash: BlobHash, reason: string): Promise<void> {
    if (this.#blobs.has(hash)) this.#blobs.set(hash, { type: 'forgotten', reason });
  }

  async close(): Promise<void> {
    this.#watchers.clear();
  }

  #book(boundary: Boundary): Book {
    let book = this.#books.get(boundary);
    if (book === undefined) {
      book = {
        head: { seq: 0, hash: GENESIS, time: 0 },
        root: null,
        events: [],
        streams: new Map(),
        snapshots: new Map(),
        inbox: new Map(),
        receipts: new Map(),
        lease: { token: 0, owner: null, renewed: 0, ttl: 0 },
      };
      this.#books.set(boundary, book);
    }
    return book;
  }

  #expired({ owner, renewed, ttl }: Book['lease']): boolean {
    return this.#options.now() - renewed > ttl || (owner !== null && this.#options.alive?.(owner) === false);
  }

  #tell(): void {
    for (const watcher of this.#watchers) queueMicrotask(watcher);
  }
}

function misfitIn(book: Book, segment: Segment): string | null {
  return misfitOf(segment, book.head, (stream) => book.streams.get(stream)?.version ?? 0);
}

function write(book: Book, { events, streams, snapshots }: Segment): void {
  book.events.push(...events);
  for (const row of streams) book.streams.set(row.stream, row);
  for (const snapshot of snapshots) book.snapshots.set(snapshot.stream, snapshot);
  const last = events.at(-1);
  if (last !== undefined) book.head = { seq: last.seq, hash: last.hash, time: Math.max(book.head.time, last.time) };
}

/** Loading order: workflows first, because a task's state needs its workflow; then by name, for determinism. */
function workflowsFirst(a: string, b: string): number {
  const rank = (stream: string) => `${stream.startsWith('workflow/') ? 0 : 1}${stream}`;
  return rank(a) < rank(b) ? -1 : 1;
}
