/** The log in one SQLite file: WAL, synchronous=FULL, one transaction per append. The default store. */
import { hashOf } from '../../../engine/ports/event-hash.ts';
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
  StoredEvent,
  StoreFile,
  StreamHistory,
  StreamRow,
} from '../../../engine/ports/store.ts';
import { StoreError, THIS_HOST } from '../../../engine/ports/store.ts';
import { GENESIS } from '../../../kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../../kernel/ids.ts';
import type { StreamKind } from '../../../mind/domain/events/define.ts';
import { addBoundary, boundaryId, boundaryOf, findBoundary, putBoundary } from './boundaries.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { healthOf } from './health.ts';
import { RowReader } from './row-reader.ts';
import * as rows from './rows.ts';
import { type BoundaryRow, bytes, Damage, type EventRow } from './rows.ts';
import { Book } from './segment-writer.ts';
import { addTally, tallyOf } from './tally.ts';

export type SqliteStoreOptions = ConnectionOptions & {
  /** Whether the process that took a lease is still alive. */
  readonly alive: (owner: ProcessIdentity) => boolean;
  /** Milliseconds on a clock that all processes of this machine share and that cannot be set. */
  readonly monotonic: () => number;
  /** Called inside transactions, where the crash tests kill the process. */
  readonly failpoint?: (name: string) => void;
};

export class SqliteStore implements StoreFile {
  readonly #options: SqliteStoreOptions;
  readonly #connection: Connection;
  readonly #rows: RowReader;

  private constructor(options: SqliteStoreOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
    this.#rows = new RowReader(connection);
  }

  static async open(options: SqliteStoreOptions): Promise<SqliteStore> {
    return new SqliteStore(options, await Connection.open(options));
  }

  async openProject(project: ProjectId, facts: { readonly path: string; readonly root: string | null }): Promise<void> {
    const { sql, db } = this.#connection;
    await this.#connection.write(() => {
      const row = findBoundary(sql, project);
      if (row === null) return addBoundary(db, project, facts.path, facts.root);
      if (row.root !== null && facts.root !== null && row.root !== facts.root) {
        throw new StoreError(
          'wrong_project',
          `${facts.path} holds another repository than the one this log was started for (first commit ${row.root.slice(0, 12)}, now ${facts.root.slice(0, 12)})`,
        );
      }
      const root = row.root ?? facts.root;
      if (row.path !== facts.path || row.root !== root) putBoundary(sql, { ...row, path: facts.path, root });
    });
  }

  async knows(project: ProjectId): Promise<boolean> {
    return this.#connection.read(() => findBoundary(this.#connection.sql, project) !== null);
  }

  async head(boundary: Boundary): Promise<Head> {
    return this.#connection.read(() => rows.headOf(this.#boundary(boundary)));
  }

  async acquire(project: ProjectId, owner: ProcessIdentity, ttlMs: number): Promise<LeaseResult> {
    return this.#connection.write((): LeaseResult => {
      const row = this.#boundary(project);
      const holder = rows.ownerOf(row);
      if (holder !== null && !this.#expired(row, holder)) return { type: 'held', owner: holder };
      const token = row.token + 1;
      this.#put({ ...row, token, owner: JSON.stringify(owner), renewed: this.#now(), ttl: ttlMs });
      return { type: 'leased', token };
    });
  }

  async renew(project: ProjectId, token: number): Promise<boolean> {
    return this.#connection.write(() => {
      const row = this.#boundary(project);
      if (row.token !== token || row.owner === null) return false;
      this.#put({ ...row, renewed: this.#now() });
      return true;
    });
  }

  async release(project: ProjectId, token: number): Promise<void> {
    await this.#connection.write(() => {
      const row = this.#boundary(project);
      if (row.token === token && row.owner !== null) this.#put({ ...row, owner: null });
    });
  }

  async lease(project: ProjectId): Promise<LeaseState> {
    return this.#connection.read(() => {
      const row = this.#boundary(project);
      const owner = rows.ownerOf(row);
      return { token: row.token, owner, expired: owner === null || this.#expired(row, owner) };
    });
  }

  async append(batch: Append): Promise<AppendResult> {
    const { sql } = this.#connection;
    return this.#connection.write((): AppendResult => {
      const row = this.#boundary(batch.project);
      if (row.token !== batch.token || row.owner === null) return { type: 'fenced' };
      const own = new Book(sql, row);
      const host = batch.host === null ? null : { book: new Book(sql, this.#boundary(THIS_HOST)), segment: batch.host };
      const misfit = own.misfit(batch.own) ?? (host?.book.misfit(host.segment) ? THIS_HOST : null);
      if (misfit !== null) return { type: 'conflict', what: misfit };
      for (const { hash, content } of batch.blobs) {
        this.#options.failpoint?.('blob.inside');
        sql.addBlob.run(bytes(hash), content);
      }
      own.write(batch.own, { renewed: this.#now() });
      host?.book.write(host.segment);
      for (const id of batch.drained) sql.removeInbox.run(row.id, id);
      for (const { id, seq, rejection: why } of batch.receipts) {
        const receipt = {
          boundary: row.id,
          id,
          seq,
          rejection: why === null ? null : JSON.stringify(why),
          time: batch.now,
        };
        sql.addReceipt.run(row.id, id, seq, receipt.rejection, batch.now, rows.receiptSeal(receipt));
      }
      this.#options.failpoint?.('append.inside');
      return { type: 'appended' };
    });
  }

  async readStream(boundary: Boundary, stream: string, reducer: number): Promise<StreamHistory> {
    const { sql } = this.#connection;
    return this.#connection.readWhole(() => {
      const { id } = this.#boundary(boundary);
      const kept = sql.snapshot.get(id, stream, reducer);
      const snapshot =
        kept === undefined ? null : { stream, version: kept.version, reducer, state: rows.soundSnapshot(kept).state };
      const after = snapshot?.version ?? 0;
      const events = sql.streamEvents.all(id, stream, after, -1).map(checkedEvent);
      const due = sql.stream.get(id, stream)?.version ?? 0;
      if (after + events.length !== due || events.some((event, n) => event.version !== after + n + 1)) {
        throw new Damage(`stream ${stream} should have ${due} events, some are missing`);
      }
      return { snapshot, events };
    });
  }

  /** Works with a damaged head: events have their own proof, and `verify` has to see them. */
  async readLog(boundary: Boundary, after: number, limit: number): Promise<readonly StoredEvent[]> {
    const { sql } = this.#connection;
    return this.#connection.read(() => sql.log.all(boundaryId(sql, boundary), after, limit).map(rows.eventOf));
  }

  async readEvents(boundary: Boundary, stream: string, after: number, limit: number): Promise<readonly StoredEvent[]> {
    const { sql } = this.#connection;
    return this.#connection.read(() =>
      sql.streamEvents.all(boundaryId(sql, boundary), stream, after, limit).map(checkedEvent),
    );
  }

  async liveStreams(boundary: Boundary): Promise<readonly string[]> {
    return this.#connection.readWhole(() => {
      const { id, live } = this.#boundary(boundary);
      const names = this.#connection.sql.live.all(id).map((row) => row.name);
      const tally = names.reduce((sum, name) => addTally(sum, tallyOf(name)), 0);
      if (tally !== live) throw new Damage(`the list of live streams of ${boundary} is not complete`);
      return names;
    });
  }

  async rows(boundary: Boundary, query: RowQuery): Promise<RowPage> {
    return this.#connection.readWhole(() => this.#rows.page(this.#boundary(boundary).id, query));
  }

  async row(boundary: Boundary, stream: string): Promise<StreamRow | null> {
    return this.#connection.read(() => {
      const row = this.#connection.sql.row.get(this.#boundary(boundary).id, stream);
      return row === undefined ? null : rows.streamRowOf(row);
    });
  }

  async rowsNamed(
    boundary: Boundary,
    { prefix, after, limit }: { readonly prefix: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly StreamRow[]> {
    const { sql } = this.#connection;
    // The first name after another one is that name plus a NUL.
    const first = after === undefined ? prefix : `${after}\0`;
    return this.#connection.read(() =>
      sql.rowsNamed.all(this.#boundary(boundary).id, first, `${prefix}\u{10ffff}`, limit).map(rows.streamRowOf),
    );
  }

  async countRows(boundary: Boundary, kind: StreamKind): Promise<ReadonlyMap<string, number>> {
    const { sql } = this.#connection;
    return this.#connection.read(
      () => new Map(sql.countRows.all(this.#boundary(boundary).id, kind).map(({ status, count }) => [status, count])),
    );
  }

  async rebuild(boundary: Boundary, streams: readonly StreamRow[]): Promise<void> {
    await this.#connection.write(() => new Book(this.#connection.sql, this.#boundary(boundary)).rebuild(streams));
  }

  async submit(project: ProjectId, commands: readonly InboxRow[]): Promise<void> {
    await this.#connection.write(() => {
      const { id: boundary } = this.#boundary(project);
      for (const { id, actor, command } of commands) {
        const row = { boundary, id, actor, command: JSON.stringify(command) };
        this.#connection.sql.addInbox.run(boundary, id, actor, row.command, rows.inboxSeal(row));
      }
    });
  }

  async inbox(project: ProjectId, limit: number): Promise<readonly InboxRow[]> {
    return this.#connection.read(() =>
      this.#connection.sql.inbox.all(this.#boundary(project).id, limit).map(rows.soundInbox),
    );
  }

  async receipt(project: ProjectId, id: string): Promise<Receipt | null> {
    return this.#connection.read(() => {
      const row = this.#connection.sql.receipt.get(this.#boundary(project).id, id);
      return row === undefined ? null : rows.soundReceipt(row);
    });
  }

  watch(onChange: () => void): { close(): void } {
    return this.#connection.watch(onChange);
  }

  async blob(hash: BlobHash): Promise<BlobState> {
    return this.#connection.read((): BlobState => {
      const row = this.#connection.sql.blob.get(bytes(hash));
      return row === undefined ? { type: 'missing' } : rows.soundBlob(row);
    });
  }

  async forgetBlob(hash: BlobHash, reason: string): Promise<void> {
    const { sql, db } = this.#connection;
    // Deletion overwrites the content, also in free pages and in the WAL; appends use the cheaper mode.
    await this.#connection.read(() => db.exec('PRAGMA secure_delete=ON'));
    try {
      await this.#connection.write(() => sql.forgetBlob.run(reason, rows.tombstoneSeal(hash, reason), bytes(hash)));
    } finally {
      await this.#connection.read(() => db.exec('PRAGMA secure_delete=FAST; PRAGMA wal_checkpoint(TRUNCATE);'));
    }
  }

  async integrity(): Promise<readonly string[]> {
    return this.#connection.readWhole(() => healthOf(this.#connection.db));
  }

  async tidy(options: {
    readonly before: number;
    readonly dryRun: boolean;
  }): Promise<{ receipts: number; bytes: number }> {
    const { sql, db } = this.#connection;
    const receipts = await this.#connection.read(() => sql.oldReceipts.get(options.before)?.count ?? 0);
    const free = await this.#connection.read(() => sql.freeBytes.get()?.bytes ?? 0);
    if (!options.dryRun) {
      await this.#connection.write(() => sql.removeReceipts.run(options.before));
      await this.#connection.read(() => db.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);'));
    }
    return { receipts, bytes: free };
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #boundary(name: Boundary): BoundaryRow {
    return boundaryOf(this.#connection.sql, name);
  }

  #put(row: BoundaryRow): void {
    putBoundary(this.#connection.sql, row);
  }

  #expired(row: BoundaryRow, owner: ProcessIdentity): boolean {
    return !this.#options.alive(owner) || this.#now() - row.renewed > row.ttl;
  }

  #now(): number {
    return Math.round(this.#options.monotonic());
  }
}

/** An event read alone is checked against the previous hash: damage is never folded into state. */
function checkedEvent(row: EventRow & { prev: Uint8Array | null }): StoredEvent {
  const event = rows.eventOf(row);
  const sound = hashOf(row.prev === null ? GENESIS : rows.hex(row.prev), event) === event.hash;
  if (!sound) throw new Damage(`event ${event.seq} (${event.type} on ${event.stream}) does not match its hash`);
  return event;
}
