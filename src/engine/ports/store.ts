/**
 * The log and what surrounds it, as the engine needs it. Memory, SQLite and later Postgres pass one contract suite.
 *
 * Guarantees every store gives:
 * - `append` is atomic over all its parts and refused whole when the lease token is not the current one (`fenced`) or when
 *   a head or stream is not where the caller thinks (`conflict`). When it resolves with `appended`, the facts are durable.
 * - Sequence numbers of a project have no gaps and each event's hash covers its content and everything before it.
 * - `submit` is durable when it resolves; the same id is kept once, also after it was drained.
 * - At most one lease per project is current; tokens only grow.
 */

import type { BlobHash, HostId, ProjectId } from '../../kernel/ids.ts';
import type { Json } from '../../kernel/json.ts';
import type { StreamKind } from '../../mind/domain/events/define.ts';

/** The second boundary: what belongs to this machine. It has a head, but no lease. */
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
  /** Inbox id of the command that caused it. */
  readonly cause: string;
  readonly trace: string;
  readonly time: number;
  readonly hash: string;
};

/** Where a boundary's log ends. */
export type Head = { readonly seq: number; readonly hash: string; readonly time: number };

/** Identity of a process: a pid alone is reused, and a boot later everything is. */
export type Owner = { readonly pid: number; readonly started: string; readonly boot: string; readonly host: string };

export type LeaseState = { readonly token: number; readonly owner: Owner | null; readonly expired: boolean };

export type LeaseResult =
  | { readonly type: 'leased'; readonly token: number }
  | { readonly type: 'held'; readonly owner: Owner };

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
  /** A person is asked something. */
  readonly asks: boolean;
  readonly updated: number;
  readonly rank: number;
  readonly summary: Json;
};

/** Highest rank first (tasks: the newest), lowest rank first, or latest change first. The name of the stream breaks ties. */
export type RowOrder = 'newest' | 'oldest' | 'updated';

export type RowQuery = {
  readonly kind: StreamKind;
  /** Rows with any of these; absent: all rows. */
  readonly status?: readonly string[];
  readonly parent?: string;
  readonly line?: string;
  /** Only rows of what asks a person. */
  readonly asks?: true;
  /** Default: newest. Each status has an index in each order; so have parent and line by rank. */
  readonly order?: RowOrder;
  /** Where the page before ended. */
  readonly after?: RowCursor | null;
  readonly limit: number;
};

/** The last row of a page: its rank, or when it was updated, and its stream. */
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
  /** Inbox rows this append answers; they are removed with it. */
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

/** What `verify` found; the first bad place is named. */
export type ChainFinding = { readonly seq: number; readonly problem: string };

export interface Store {
  /** Makes the boundary known; a second call is harmless. Refuses when the recorded first commit is another one. */
  openProject(project: ProjectId, facts: { readonly path: string; readonly root: string | null }): Promise<void>;
  /** Whether anything was ever written for this project. */
  knows(project: ProjectId): Promise<boolean>;
  head(boundary: Boundary): Promise<Head>;

  acquire(project: ProjectId, owner: Owner, ttlMs: number): Promise<LeaseResult>;
  /** False when the lease is no longer ours. */
  renew(project: ProjectId, token: number): Promise<boolean>;
  release(project: ProjectId, token: number): Promise<void>;
  lease(project: ProjectId): Promise<LeaseState>;

  append(batch: Append): Promise<AppendResult>;
  /** The newest snapshot by this reducer, and what came after it. */
  readStream(boundary: Boundary, stream: string, reducer: number): Promise<StreamHistory>;
  readLog(boundary: Boundary, after: number, limit: number): Promise<readonly StoredEvent[]>;
  /** Events of one stream behind version `after`, without its snapshot. */
  readEvents(boundary: Boundary, stream: string, after: number, limit: number): Promise<readonly StoredEvent[]>;
  liveStreams(boundary: Boundary): Promise<readonly string[]>;

  /** How faces and packets list things. Reads one page by index, however many rows there are. */
  rows(boundary: Boundary, query: RowQuery): Promise<RowPage>;
  row(boundary: Boundary, stream: string): Promise<StreamRow | null>;
  /** Rows by name, in order of their names: what begins with a prefix, or all rows for `verify`, page by page. */
  rowsNamed(
    boundary: Boundary,
    range: { readonly prefix: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly StreamRow[]>;
  /** How many rows of a kind have each status; no row is read for it. */
  countRows(boundary: Boundary, kind: StreamKind): Promise<ReadonlyMap<string, number>>;
  /** Replaces all projection rows; for a rebuild from the log. */
  rebuild(boundary: Boundary, rows: readonly StreamRow[]): Promise<void>;

  submit(project: ProjectId, rows: readonly InboxRow[]): Promise<void>;
  inbox(project: ProjectId, limit: number): Promise<readonly InboxRow[]>;
  receipt(project: ProjectId, id: string): Promise<Receipt | null>;
  /** Calls back soon after another process wrote anything; until closed. */
  watch(onChange: () => void): { close(): void };

  blob(hash: BlobHash): Promise<BlobState>;
  /** Deletes the content and leaves a tombstone: the log still says that it was, no longer what. */
  forgetBlob(hash: BlobHash, reason: string): Promise<void>;

  close(): Promise<void>;
}

/** A store in a file, which needs care now and then. */
export interface StoreFile extends Store {
  /** What is wrong with the file itself; empty when it is sound. The log in it is checked by `verify`. */
  integrity(): Promise<readonly string[]>;
  /** Removes receipts older than `before` and gives the space back; returns what was, or would be, removed. */
  tidy(options: { readonly before: number; readonly dryRun: boolean }): Promise<{
    readonly receipts: number;
    readonly bytes: number;
  }>;
}

/** A store could not do its work. `retryable` says whether the same call may succeed later. */
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
