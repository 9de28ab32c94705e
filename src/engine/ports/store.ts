/**
 * The log and the tables around it, as the engine needs them. Memory and SQLite pass one contract suite; Postgres will
 * later. Every store gives these guarantees:
 * - `append` is atomic over all its parts. It refuses everything if the lease token is not the current one (`fenced`),
 *   or if a head or stream is not where the caller thinks (`conflict`). When it resolves with `appended`, the facts are
 *   durable.
 * - A project's sequence numbers have no gaps, and each event's hash covers its content and everything before it.
 * - `submit` is durable when it resolves. It keeps the same id once, even after the row was drained.
 * - At most one lease per project is current; tokens only grow.
 */

import type { BlobHash, HostId, ProjectId } from '../../kernel/ids.ts';
import type { Json } from '../../kernel/json.ts';
import type { StreamKind } from '../../mind/domain/events/define.ts';

/** The second boundary: facts about this machine. It has a head, but no lease. */
export const THIS_HOST = 'host' as HostId;

export type Boundary = ProjectId | HostId;

export type StoredEvent = {
  readonly seq: number;
  readonly stream: string;
  readonly version: number;
  /** Name and version: `task.created.1`. */
  readonly type: string;
  readonly data: Json;
  readonly actor: string;
  /** The inbox id of the command that caused it. */
  readonly cause: string;
  readonly trace: string;
  readonly time: number;
  readonly hash: string;
};

/** The end of a boundary's log. */
export type Head = { readonly seq: number; readonly hash: string; readonly time: number };

/** The identity of a process. A pid alone is not enough: pids are reused, and all of them after a boot. */
export type ProcessIdentity = {
  readonly pid: number;
  readonly started: string;
  readonly boot: string;
  readonly host: string;
};

export type LeaseState = { readonly token: number; readonly owner: ProcessIdentity | null; readonly expired: boolean };

export type LeaseResult =
  | { readonly type: 'leased'; readonly token: number }
  | { readonly type: 'held'; readonly owner: ProcessIdentity };

export type Snapshot = {
  readonly stream: string;
  readonly version: number;
  readonly reducer: number;
  readonly state: string;
};

/** The projection row of one stream: columns that lists select and sort by, and a small summary. */
export type StreamRow = {
  readonly stream: string;
  readonly version: number;
  /** Live streams are loaded at start. */
  readonly live: boolean;
  readonly kind: StreamKind;
  /** Empty for kinds without one, such as a goal. */
  readonly status: string;
  readonly parent: string | null;
  readonly line: string | null;
  /** True if it asks a person something. */
  readonly asks: boolean;
  readonly updated: number;
  readonly rank: number;
  readonly summary: Json;
};

/** Highest rank first (tasks: the newest), lowest rank first, or latest change first. The stream's name breaks ties. */
export type RowOrder = 'newest' | 'oldest' | 'updated';

export type RowQuery = {
  readonly kind: StreamKind;
  /** Only rows with one of these; absent for all rows. */
  readonly status?: readonly string[];
  readonly parent?: string;
  readonly line?: string;
  /** Only rows that ask a person something. */
  readonly asks?: true;
  /** Default: newest. Each status has an index in each order; parent and line have one by rank. */
  readonly order?: RowOrder;
  /** The end of the previous page. */
  readonly after?: RowCursor | null;
  readonly limit: number;
};

/** The last row of a page: its rank or time of update, and its stream. */
export type RowCursor = { readonly at: number; readonly stream: string };

/** `next` is null when there are no more rows. */
export type RowPage = { readonly rows: readonly StreamRow[]; readonly next: RowCursor | null };

export type InboxRow = { readonly id: string; readonly actor: string; readonly command: Json };

export type Receipt = {
  readonly id: string;
  readonly seq: number;
  readonly rejection: { readonly code: string; readonly message: string } | null;
};

export type Segment = {
  readonly before: Head;
  readonly events: readonly StoredEvent[];
  readonly streams: readonly StreamRow[];
  readonly snapshots: readonly Snapshot[];
};

export type Append = {
  readonly project: ProjectId;
  readonly token: number;
  readonly own: Segment;
  readonly host: Segment | null;
  readonly blobs: readonly { readonly hash: BlobHash; readonly content: string }[];
  /** Inbox rows that this append answers and removes. */
  readonly drained: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly now: number;
};

export type AppendResult =
  | { readonly type: 'appended' }
  | { readonly type: 'fenced' }
  | { readonly type: 'conflict'; readonly what: string };

export type StreamHistory = { readonly snapshot: Snapshot | null; readonly events: readonly StoredEvent[] };

export type BlobState =
  | { readonly type: 'content'; readonly content: string }
  | { readonly type: 'forgotten'; readonly reason: string }
  | { readonly type: 'missing' };

/** A finding of `verify`, with the first bad place. */
export type ChainFinding = { readonly seq: number; readonly problem: string };

export interface Store {
  /** Registers the project; repeating it is harmless. Refuses if the recorded first commit is another one. */
  openProject(project: ProjectId, facts: { readonly path: string; readonly root: string | null }): Promise<void>;
  /** Whether anything was ever written for this project. */
  knows(project: ProjectId): Promise<boolean>;
  head(boundary: Boundary): Promise<Head>;

  acquire(project: ProjectId, owner: ProcessIdentity, ttlMs: number): Promise<LeaseResult>;
  /** Returns false if the lease is no longer ours. */
  renew(project: ProjectId, token: number): Promise<boolean>;
  release(project: ProjectId, token: number): Promise<void>;
  lease(project: ProjectId): Promise<LeaseState>;

  append(batch: Append): Promise<AppendResult>;
  /** The newest snapshot of this reducer, and the events after it. */
  readStream(boundary: Boundary, stream: string, reducer: number): Promise<StreamHistory>;
  readLog(boundary: Boundary, after: number, limit: number): Promise<readonly StoredEvent[]>;
  /** Events of one stream after version `after`, without its snapshot. */
  readEvents(boundary: Boundary, stream: string, after: number, limit: number): Promise<readonly StoredEvent[]>;
  liveStreams(boundary: Boundary): Promise<readonly string[]>;

  /** The way for faces and packets to list things: reads one page by index, however many rows exist. */
  rows(boundary: Boundary, query: RowQuery): Promise<RowPage>;
  row(boundary: Boundary, stream: string): Promise<StreamRow | null>;
  /** Rows sorted by name, page by page: those with a prefix, or all of them for `verify`. */
  rowsNamed(
    boundary: Boundary,
    range: { readonly prefix: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly StreamRow[]>;
  /** How many rows of a kind have each status, without reading a row. */
  countRows(boundary: Boundary, kind: StreamKind): Promise<ReadonlyMap<string, number>>;
  /** Replaces all projection rows, for a rebuild from the log. */
  rebuild(boundary: Boundary, rows: readonly StreamRow[]): Promise<void>;

  submit(project: ProjectId, rows: readonly InboxRow[]): Promise<void>;
  inbox(project: ProjectId, limit: number): Promise<readonly InboxRow[]>;
  receipt(project: ProjectId, id: string): Promise<Receipt | null>;
  /** Calls back soon after another process has written anything, until closed. */
  watch(onChange: () => void): { close(): void };

  blob(hash: BlobHash): Promise<BlobState>;
  /** Deletes the content and leaves a tombstone: the log still shows that it existed, but not what it was. */
  forgetBlob(hash: BlobHash, reason: string): Promise<void>;

  close(): Promise<void>;
}

/** A store in a file, which needs maintenance. */
export interface StoreFile extends Store {
  /** Lists the problems of the file itself; empty if it is sound. `verify` checks the log inside. */
  integrity(): Promise<readonly string[]>;
  /** Removes receipts older than `before` and frees the space; returns what was, or would be, removed. */
  tidy(options: { readonly before: number; readonly dryRun: boolean }): Promise<{
    readonly receipts: number;
    readonly bytes: number;
  }>;
}

/** A store operation failed. `retryable` says whether the same call may succeed later. */
type StoreErrorCode =
  | 'absent'
  | 'locked'
  | 'disk_full'
  | 'corrupt'
  | 'read_only'
  | 'unsupported'
  | 'wrong_project'
  | 'io';

export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreError';
    this.code = code;
  }

  get retryable(): boolean {
    return this.code === 'locked';
  }
}
