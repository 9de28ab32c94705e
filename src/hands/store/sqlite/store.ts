/** The log in one SQLite file: WAL, synchronous=FULL, one transaction per append. The default store. */
import type { DatabaseSync } from 'node:sqlite';
import { checkStretch } from '../../../engine/chain.ts';
import type { Append, AppendResult, BlobState, Boundary, Head, InboxRow, LeaseResult, LeaseState, Owner, Receipt, Segment, Store, StoredEvent, StreamHistory, StreamRow } from '../../../engine/ports/store.ts';
import { StoreError } from '../../../engine/ports/store.ts';
import { GENESIS, sha256 } from '../../../kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../../kernel/ids.ts';
import type { Json } from '../../../kernel/json.ts';
import { isBusy, translated } from './errors.ts';
import { openDatabase } from './open.ts';
import { type BoundaryRow, type EventRow, prepare, type Statements } from './statements.ts';

export type SqliteStoreOptions = {
  readonly file: string;
  /** Whether the process that took a lease still lives. */
  readonly alive: (owner: Owner) => boolean;
  /** Milliseconds on a clock all processes of this machine share and nobody sets. */
  readonly monotonic: () => number;
  /** How long to wait for another process's lock before giving up. */
  readonly patienceMs?: number;
  /** Called inside transactions, where the crash matrix wants to strike. */
  readonly failpoint?: (name: string) => void;
  readonly readOnly?: boolean;
};

/** How often the file is asked whether another process wrote: 3 us a question (measured 2026-11), seen within 50 ms. */
const POLL_MS = 15;

export class SqliteStore implements Store {
  readonly #options: SqliteStoreOptions;
  readonly #db: DatabaseSync;
  readonly #sql: Statements;

  private constructor(options: SqliteStoreOptions, db: DatabaseSync) {
    this.#options = options;
    this.#db = db;
    this.#sql = prepare(db);
  }

  static async open(options: SqliteStoreOptions): Promise<SqliteStore> {
    const db = await patiently(options, () => openDatabase(options.file, options.readOnly === true));
    try {
      return new SqliteStore(options, db);
    } catch (error) {
      db.close();
      throw translated(error, options.file);
    }
  }

  async openProject(project: ProjectId, facts: { readonly path: string; readonly root: string | null }): Promise<void> {
    await this.#write(() => {
      this.#sql.addBoundary.run(project, facts.path, facts.root, bytes(GENESIS));
      const { root } = this.#boundary(project);
      if (root !== null && facts.root !== null && root !== facts.root) {
        throw new StoreError('wrong_project', `${facts.path} holds another repository than the one this log was started for (first commit ${root.slice(0, 12)}, now ${facts.root.slice(0, 12)})`);
      }
      this.#sql.seen.run(facts.path, facts.root, project);
    });
  }

  async head(boundary: Boundary): Promise<Head> {
    return this.#read(() => headOf(this.#boundary(boundary)));
  }

  async acquire(project: ProjectId, owner: Owner, ttlMs: number): Promise<LeaseResult> {
    return this.#write((): LeaseResult => {
      const row = this.#boundary(project);
      const holder = ownerOf(row);
      if (holder !== null && !this.#expired(row, holder)) return { type: 'held', owner: holder };
      this.#sql.lease.run(row.token + 1, JSON.stringify(owner), this.#now(), ttlMs, row.id);
      return { type: 'leased', token: row.token + 1 };
    });
  }

  async renew(project: ProjectId, token: number): Promise<boolean> {
    return this.#write(() => this.#sql.renew.run(this.#now(), this.#boundary(project).id, token).changes === 1);
  }

  async release(project: ProjectId, token: number): Promise<void> {
    await this.#write(() => this.#sql.release.run(this.#boundary(project).id, token));
  }

  async lease(project: ProjectId): Promise<LeaseState> {
    return this.#read(() => {
      const row = this.#boundary(project);
      const owner = ownerOf(row);
      return { token: row.token, owner, expired: owner === null || this.#expired(row, owner) };
    });
  }

  async append(batch: Append): Promise<AppendResult> {
    return this.#write((): AppendResult => {
      const row = this.#boundary(batch.project);
      if (row.token !== batch.token || row.owner === null) return { type: 'fenced' };
      const host = batch.host === null ? null : this.#boundary('host');
      if (!fits(row, batch.own)) return { type: 'conflict', what: 'head' };
      if (host !== null && batch.host !== null && !fits(host, batch.host)) return { type: 'conflict', what: 'host' };
      for (const { hash, content } of batch.blobs) {
        this.#options.failpoint?.('blob.inside');
        this.#sql.addBlob.run(bytes(hash), content);
      }
      this.#writeSegment(row.id, batch.own);
      if (host !== null && batch.host !== null) this.#writeSegment(host.id, batch.host);
      for (const id of batch.drained) this.#sql.removeInbox.run(row.id, id);
      for (const { id, seq, rejection } of batch.receipts) {
        this.#sql.addReceipt.run(row.id, id, seq, rejection === null ? null : JSON.stringify(rejection), batch.now);
      }
      this.#sql.renew.run(this.#now(), row.id, batch.token);
      this.#options.failpoint?.('append.inside');
      return { type: 'appended' };
    });
  }

  async readStream(boundary: Boundary, stream: string, reducer: number): Promise<StreamHistory> {
    return this.#read(() => {
      const { id } = this.#boundary(boundary);
      const kept = this.#sql.snapshot.get(id, stream, reducer);
      if (kept !== undefined && sha256(kept.state) !== hex(kept.digest)) {
        throw this.#damaged(`the snapshot of ${stream} does not match its digest`);
      }
      const snapshot = kept === undefined ? null : { stream, version: kept.version, reducer, state: kept.state };
      const rows = this.#sql.streamEvents.all(id, stream, snapshot?.version ?? 0);
      const events = rows.map((row) => this.#checked(row));
      const last = this.#sql.streamVersion.get(id, stream)?.version ?? 0;
      if (last !== (events.at(-1)?.version ?? snapshot?.version ?? 0)) throw this.#damaged(`stream ${stream} should have ${last} events`);
      return { snapshot, events };
    });
  }

  async readLog(boundary: Boundary, after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#read(() => this.#sql.log.all(this.#boundary(boundary).id, after, limit).map(eventOf));
  }

  async liveStreams(boundary: Boundary): Promise<readonly string[]> {
    return this.#read(() => this.#sql.live.all(this.#boundary(boundary).id).map((row) => row.name));
  }

  async streams(boundary: Boundary, prefix: string): Promise<readonly StreamRow[]> {
    return this.#read(() => this.#sql.streams.all(this.#boundary(boundary).id, prefix, `${prefix}\u{10ffff}`).map(streamRowOf));
  }

  async rebuild(boundary: Boundary, rows: readonly StreamRow[]): Promise<void> {
    await this.#write(() => {
      const { id } = this.#boundary(boundary);
      this.#sql.clearStreams.run(id);
      this.#sql.clearSnapshots.run(id);
      for (const row of rows) this.#sql.putStream.run(id, row.stream, row.version, row.live ? 1 : 0, JSON.stringify(row.summary));
    });
  }

  async submit(project: ProjectId, rows: readonly InboxRow[]): Promise<void> {
    await this.#write(() => {
      const { id: boundary } = this.#boundary(project);
      for (const { id, actor, command } of rows) this.#sql.addInbox.run(boundary, id, actor, JSON.stringify(command), boundary, id);
    });
  }

  async inbox(project: ProjectId, limit: number): Promise<readonly InboxRow[]> {
    return this.#read(() =>
      this.#sql.inbox.all(this.#boundary(project).id, limit).map(({ id, actor, command }) => ({ id, actor, command: JSON.parse(command) as Json })),
    );
  }

  async receipt(project: ProjectId, id: string): Promise<Receipt | null> {
    return this.#read(() => {
      const row = this.#sql.receipt.get(this.#boundary(project).id, id);
      return row === undefined ? null : { id, seq: row.seq, rejection: row.rejection === null ? null : JSON.parse(row.rejection) };
    });
  }

  watch(onChange: () => void): { close(): void } {
    let seen = this.#sql.dataVersion.get()?.data_version;
    const poll = setInterval(() => {
      const version = this.#sql.dataVersion.get()?.data_version;
      if (version === seen) return;
      seen = version;
      onChange();
    }, POLL_MS);
    return { close: () => clearInterval(poll) };
  }

  async blob(hash: BlobHash): Promise<BlobState> {
    return this.#read((): BlobState => {
      const row = this.#sql.blob.get(bytes(hash));
      if (row === undefined) return { type: 'missing' };
      if (row.content === null) return { type: 'forgotten', reason: row.forgotten ?? '' };
      if (sha256(row.content) !== hash) throw this.#damaged(`blob ${hash} does not match its hash`);
      return { type: 'content', content: row.content };
    });
  }

  async forgetBlob(hash: BlobHash, reason: string): Promise<void> {
    await this.#write(() => this.#sql.forgetBlob.run(reason, bytes(hash)));
  }

  /** What only this store has: the file's own health, for `verify`. Empty when it is sound. */
  async integrity(): Promise<readonly string[]> {
    return this.#read(() => this.#sql.integrity.all().map((row) => row.integrity_check).filter((line) => line !== 'ok'));
  }

  /** Removes what nothing needs any more and gives the space back; returns what was (or would be) removed. */
  async tidy(options: { readonly before: number; readonly dryRun: boolean }): Promise<{ receipts: number; bytes: number }> {
    const receipts = await this.#read(() => this.#sql.oldReceipts.get(options.before)?.count ?? 0);
    const free = await this.#read(() => this.#sql.freeBytes.get()?.bytes ?? 0);
    if (!options.dryRun) {
      await this.#write(() => this.#sql.removeReceipts.run(options.before));
      await patiently(this.#options, () => this.#db.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);'));
    }
    return { receipts, bytes: free };
  }

  async close(): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }

  #writeSegment(boundary: number, { events, streams, snapshots }: Segment): void {
    for (const { seq, stream, version, type, data, actor, cause, trace, time, hash } of events) {
      this.#sql.addEvent.run(boundary, seq, stream, version, type, JSON.stringify(data), actor, cause, trace, time, bytes(hash));
    }
    for (const { stream, version, live, summary } of streams) this.#sql.putStream.run(boundary, stream, version, live ? 1 : 0, JSON.stringify(summary));
    for (const { stream, version, reducer, state } of snapshots) this.#sql.putSnapshot.run(boundary, stream, version, reducer, state, bytes(sha256(state)));
    const last = events.at(-1);
    if (last !== undefined) this.#sql.moveHead.run(last.seq, bytes(last.hash), last.time, boundary);
  }

  /** An event read on its own is checked against the hash of the one before it: damage is never folded into state. */
  #checked(row: EventRow & { prev: Uint8Array | null }): StoredEvent {
    const event = eventOf(row);
    const found = checkStretch({ seq: event.seq - 1, hash: row.prev === null ? GENESIS : hex(row.prev), time: 0 }, [event]);
    if ('problem' in found) throw this.#damaged(found.problem);
    return event;
  }

  #damaged(problem: string): StoreError {
    return new StoreError('corrupt', `the log ${this.#options.file} is damaged: ${problem}. Nothing was changed; keep the file, restore it from a backup, and see \`supervisor verify\``);
  }

  #boundary(name: Boundary): BoundaryRow {
    const row = this.#sql.boundary.get(name);
    if (row === undefined) throw new StoreError('io', `project ${name} is not in this log`);
    return row;
  }

  #expired(row: BoundaryRow, owner: Owner): boolean {
    return !this.#options.alive(owner) || this.#now() - row.renewed > row.ttl;
  }

  #now(): number {
    return Math.round(this.#options.monotonic());
  }

  async #read<T>(work: () => T): Promise<T> {
    return patiently(this.#options, work);
  }

  /** One write transaction; when the other side is busy, wait without blocking this process. */
  async #write<T>(work: () => T): Promise<T> {
    return patiently(this.#options, () => {
      this.#sql.begin.run();
      try {
        const result = work();
        this.#sql.commit.run();
        return result;
      } catch (error) {
        // A full disk may have rolled back by itself.
        if (this.#db.isTransaction) this.#sql.rollback.run();
        throw error;
      }
    });
  }
}

async function patiently<T>({ file, patienceMs = 10_000 }: SqliteStoreOptions, work: () => T): Promise<T> {
  const patience = performance.now() + patienceMs;
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > patience) throw translated(error, file);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

const bytes = (hash: string): Uint8Array => Buffer.from(hash, 'hex');
const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');
const headOf = (row: BoundaryRow): Head => ({ seq: row.seq, hash: hex(row.hash), time: row.time });
const ownerOf = (row: BoundaryRow): Owner | null => (row.owner === null ? null : (JSON.parse(row.owner) as Owner));
const fits = (row: BoundaryRow, { before }: Segment): boolean => row.seq === before.seq && hex(row.hash) === before.hash;

function eventOf(row: EventRow): StoredEvent {
  const { seq, stream, version, type, actor, cause, trace, time } = row;
  return { seq, stream, version, type, data: JSON.parse(row.data) as Json, actor, cause, trace, time, hash: hex(row.hash) };
}

function streamRowOf(row: { name: string; version: number; live: number; summary: string }): StreamRow {
  return { stream: row.name, version: row.version, live: row.live === 1, summary: JSON.parse(row.summary) as Json };
}
