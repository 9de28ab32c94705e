/** Every SQL statement of the store, prepared once, with the type of its rows. */
import type { DatabaseSync, SQLInputValue, StatementResultingChanges } from 'node:sqlite';
import type { BlobRow, BoundaryRow, EventRow, InboxTableRow, ReceiptRow, SnapshotRow, StreamTableRow } from './rows.ts';

export type Statement<Row> = {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  run(...values: SQLInputValue[]): StatementResultingChanges;
};

/** The columns of a projection row. */
export const ROW = 'name, version, live, kind, status, parent, line, asks, updated, rank, summary';
const BOUNDARY = 'id, name, path, root, seq, hash, time, live, token, owner, renewed, ttl, seal';

export type Statements = ReturnType<typeof prepare>;

export function prepare(db: DatabaseSync) {
  const sql = <Row = never>(text: string) => db.prepare(text) as unknown as Statement<Row>;
  return {
    ...transactions(sql),
    ...log(sql),
    ...streams(sql),
    ...inbox(sql),
    ...blobs(sql),
  };
}

/** Prepares one statement. Its row type repeats the select list; SQLite's own typing is STRICT tables. */
type Sql = <Row = never>(text: string) => Statement<Row>;

function transactions(sql: Sql) {
  return {
    begin: sql('BEGIN IMMEDIATE'),
    beginRead: sql('BEGIN'),
    commit: sql('COMMIT'),
    rollback: sql('ROLLBACK'),
    dataVersion: sql<{ data_version: number }>('PRAGMA data_version'),
    freeBytes: sql<{ bytes: number }>(
      'SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size',
    ),
  };
}

const EVENT = 'e.seq, e.stream, e.version, e.type, e.data, e.actor, e.cause, e.trace, e.time, e.hash';

/** The heads of the boundaries, and their events. */
function log(sql: Sql) {
  return {
    boundary: sql<BoundaryRow>(`SELECT ${BOUNDARY} FROM boundary WHERE name = ?`),
    // Reads the table itself and not its index.
    boundaryByScan: sql<BoundaryRow>(`SELECT ${BOUNDARY} FROM boundary WHERE +name = ?`),
    putBoundary: sql(
      'UPDATE boundary SET path = ?, root = ?, seq = ?, hash = ?, time = ?, live = ?, token = ?, owner = ?, renewed = ?, ttl = ?, seal = ? WHERE id = ?',
    ),

    addEvent: sql(
      'INSERT INTO event (boundary, seq, stream, version, type, data, actor, cause, trace, time, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    log: sql<EventRow>(`SELECT ${EVENT} FROM event e WHERE e.boundary = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`),
    streamEvents: sql<EventRow & { prev: Uint8Array | null }>(
      `SELECT ${EVENT}, p.hash AS prev FROM event e LEFT JOIN event p ON p.boundary = e.boundary AND p.seq = e.seq - 1 WHERE e.boundary = ? AND e.stream = ? AND e.version > ? ORDER BY e.version LIMIT ?`,
    ),
  };
}

/** Projections and snapshots. */
function streams(sql: Sql) {
  return {
    putStream: sql(
      `INSERT INTO stream (boundary, ${ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version, live = excluded.live, status = excluded.status, parent = excluded.parent, line = excluded.line, asks = excluded.asks, updated = excluded.updated, rank = excluded.rank, summary = excluded.summary`,
    ),
    // Changes no index: most appends leave the columns of a row as they are, or change only its time.
    keepColumns: sql('UPDATE stream SET version = ?, summary = ? WHERE boundary = ? AND name = ?'),
    keepPlace: sql('UPDATE stream SET version = ?, summary = ?, updated = ? WHERE boundary = ? AND name = ?'),
    stream: sql<Omit<StreamTableRow, 'summary'>>(
      'SELECT name, version, live, kind, status, parent, line, asks, updated, rank FROM stream WHERE boundary = ? AND name = ?',
    ),
    live: sql<{ name: string }>(
      "SELECT name FROM stream WHERE boundary = ? AND live = 1 ORDER BY name NOT LIKE 'workflow/%', name",
    ),
    row: sql<StreamTableRow>(`SELECT ${ROW} FROM stream WHERE boundary = ? AND name = ?`),
    rowsNamed: sql<StreamTableRow>(
      `SELECT ${ROW} FROM stream WHERE boundary = ? AND name >= ? AND name < ? ORDER BY name LIMIT ?`,
    ),
    countRows: sql<{ status: string; count: number }>(
      'SELECT status, count FROM stream_count WHERE boundary = ? AND kind = ? AND count > 0',
    ),
    // Steps from one status to the next by index, however many rows each has.
    statuses: sql<{ status: string }>(
      'WITH RECURSIVE found (status) AS (SELECT min(status) FROM stream WHERE boundary = ?1 AND kind = ?2 UNION ALL SELECT (SELECT min(status) FROM stream WHERE boundary = ?1 AND kind = ?2 AND stream.status > found.status) FROM found WHERE found.status IS NOT NULL) SELECT status FROM found WHERE status IS NOT NULL',
    ),
    clearStreams: sql('DELETE FROM stream WHERE boundary = ?'),
    clearCounts: sql('DELETE FROM stream_count WHERE boundary = ?'),
    clearSnapshots: sql('DELETE FROM snapshot WHERE boundary = ?'),
    snapshot: sql<SnapshotRow>(
      'SELECT boundary, stream, version, reducer, state, seal FROM snapshot WHERE boundary = ? AND stream = ? AND reducer = ?',
    ),
    putSnapshot: sql(
      'INSERT OR REPLACE INTO snapshot (boundary, stream, version, reducer, state, seal) VALUES (?, ?, ?, ?, ?, ?)',
    ),
  };
}

/** Waiting commands, and the receipts of answered ones. */
function inbox(sql: Sql) {
  return {
    addInbox: sql(
      'INSERT OR IGNORE INTO inbox (boundary, id, actor, command, seal) SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM receipt WHERE boundary = ?1 AND id = ?2)',
    ),
    inbox: sql<InboxTableRow>(
      'SELECT boundary, id, actor, command, seal FROM inbox WHERE boundary = ? ORDER BY place LIMIT ?',
    ),
    removeInbox: sql('DELETE FROM inbox WHERE boundary = ? AND id = ?'),
    receipt: sql<ReceiptRow>(
      'SELECT boundary, id, seq, rejection, time, seal FROM receipt WHERE boundary = ? AND id = ?',
    ),
    addReceipt: sql(
      'INSERT OR REPLACE INTO receipt (boundary, id, seq, rejection, time, seal) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    oldReceipts: sql<{ count: number }>('SELECT count(*) AS count FROM receipt WHERE time < ?'),
    removeReceipts: sql('DELETE FROM receipt WHERE time < ?'),
  };
}

function blobs(sql: Sql) {
  return {
    blob: sql<BlobRow>('SELECT hash, content, forgotten, seal FROM blob WHERE hash = ?'),
    addBlob: sql('INSERT OR IGNORE INTO blob (hash, content) VALUES (?, ?)'),
    forgetBlob: sql('UPDATE blob SET content = NULL, forgotten = ?, seal = ? WHERE hash = ?'),
  };
}
