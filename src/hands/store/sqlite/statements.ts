/** Every SQL statement of the store, prepared once, with the type of its rows. */
import type { DatabaseSync, SQLInputValue, StatementResultingChanges } from 'node:sqlite';

export type BoundaryRow = {
  id: number;
  root: string | null;
  seq: number;
  hash: Uint8Array;
  time: number;
  token: number;
  owner: string | null;
  renewed: number;
  ttl: number;
};
export type EventRow = {
  seq: number;
  stream: string;
  version: number;
  type: string;
  data: string;
  actor: string;
  cause: string;
  trace: string;
  time: number;
  hash: Uint8Array;
};

export type Statement<Row> = {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  run(...values: SQLInputValue[]): StatementResultingChanges;
};

export type Statements = ReturnType<typeof prepare>;

export function prepare(db: DatabaseSync) {
  // The row types below restate the select lists; SQLite's own typing is STRICT tables.
  const sql = <Row = never>(text: string) => db.prepare(text) as unknown as Statement<Row>;
  const EVENT = 'e.seq, e.stream, e.version, e.type, e.data, e.actor, e.cause, e.trace, e.time, e.hash';
  return {
    begin: sql('BEGIN IMMEDIATE'),
    commit: sql('COMMIT'),
    rollback: sql('ROLLBACK'),
    dataVersion: sql<{ data_version: number }>('PRAGMA data_version'),
    integrity: sql<{ integrity_check: string }>('PRAGMA integrity_check'),
    freeBytes: sql<{ bytes: number }>('SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size'),

    boundary: sql<BoundaryRow>('SELECT id, root, seq, hash, time, token, owner, renewed, ttl FROM boundary WHERE name = ?'),
    addBoundary: sql('INSERT OR IGNORE INTO boundary (name, path, root, hash) VALUES (?, ?, ?, ?)'),
    seen: sql('UPDATE boundary SET path = ?1, root = coalesce(root, ?2) WHERE name = ?3 AND (path <> ?1 OR root IS NULL)'),
    moveHead: sql('UPDATE boundary SET seq = ?, hash = ?, time = max(time, ?) WHERE id = ?'),
    lease: sql('UPDATE boundary SET token = ?, owner = ?, renewed = ?, ttl = ? WHERE id = ?'),
    renew: sql('UPDATE boundary SET renewed = ? WHERE id = ? AND token = ? AND owner IS NOT NULL'),
    release: sql('UPDATE boundary SET owner = NULL WHERE id = ? AND token = ?'),

    addEvent: sql('INSERT INTO event (boundary, seq, stream, version, type, data, actor, cause, trace, time, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    log: sql<EventRow>(`SELECT ${EVENT} FROM event e WHERE e.boundary = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`),
    streamEvents: sql<EventRow & { prev: Uint8Array | null }>(
      `SELECT ${EVENT}, p.hash AS prev FROM event e LEFT JOIN event p ON p.boundary = e.boundary AND p.seq = e.seq - 1 WHERE e.boundary = ? AND e.stream = ? AND e.version > ? ORDER BY e.version`,
    ),

    putStream: sql('INSERT INTO stream (boundary, name, version, live, summary) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version, live = excluded.live, summary = excluded.summary'),
    streamVersion: sql<{ version: number }>('SELECT version FROM stream WHERE boundary = ? AND name = ?'),
    live: sql<{ name: string }>("SELECT name FROM stream WHERE boundary = ? AND live = 1 ORDER BY name NOT LIKE 'workflow/%', name"),
    streams: sql<{ name: string; version: number; live: number; summary: string }>('SELECT name, version, live, summary FROM stream WHERE boundary = ? AND name >= ? AND name < ? ORDER BY name'),
    clearStreams: sql('DELETE FROM stream WHERE boundary = ?'),
    clearSnapshots: sql('DELETE FROM snapshot WHERE boundary = ?'),
    snapshot: sql<{ version: number; state: string; digest: Uint8Array }>('SELECT version, state, digest FROM snapshot WHERE boundary = ? AND stream = ? AND reducer = ?'),
    putSnapshot: sql('INSERT OR REPLACE INTO snapshot (boundary, stream, version, reducer, state, digest) VALUES (?, ?, ?, ?, ?, ?)'),

    addInbox: sql('INSERT OR IGNORE INTO inbox (boundary, id, actor, command) SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM receipt WHERE boundary = ? AND id = ?)'),
    inbox: sql<{ id: string; actor: string; command: string }>('SELECT id, actor, command FROM inbox WHERE boundary = ? ORDER BY place LIMIT ?'),
    removeInbox: sql('DELETE FROM inbox WHERE boundary = ? AND id = ?'),
    receipt: sql<{ seq: number; rejection: string | null }>('SELECT seq, rejection FROM receipt WHERE boundary = ? AND id = ?'),
    addReceipt: sql('INSERT OR REPLACE INTO receipt (boundary, id, seq, rejection, time) VALUES (?, ?, ?, ?, ?)'),
    oldReceipts: sql<{ count: number }>('SELECT count(*) AS count FROM receipt WHERE time < ?'),
    removeReceipts: sql('DELETE FROM receipt WHERE time < ?'),

    blob: sql<{ content: string | null; forgotten: string | null }>('SELECT content, forgotten FROM blob WHERE hash = ?'),
    addBlob: sql('INSERT OR IGNORE INTO blob (hash, content) VALUES (?, ?)'),
    forgetBlob: sql('UPDATE blob SET content = NULL, forgotten = ? WHERE hash = ?'),
  };
}
