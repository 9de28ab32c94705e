/** Migrates a log of an older version, inside the caller's transaction. Events are never changed. */
import type { DatabaseSync } from 'node:sqlite';
import type { Boundary, StoredEvent, StreamRow } from '../../../engine/ports/store.ts';
import { boundaryOf } from './boundaries.ts';
import { type EventRow, eventOf } from './rows.ts';
import { Book } from './segment-writer.ts';
import { prepare, type Statements } from './statements.ts';

/** Makes the projection rows from the events of one boundary. */
export type RowsFrom = (events: Iterable<StoredEvent>) => readonly StreamRow[];

/**
 * Replaces the table instead of altering it, so that a running process of the older version cannot write rows without
 * the new columns. Its next append fails, and its task continues with `resume`.
 */
export function migrate(db: DatabaseSync, schema: string, rowsFrom: RowsFrom | null): void {
  const columns = db.prepare("SELECT name FROM pragma_table_info('stream')").all();
  if (!columns.some(({ name }) => name === 'kind')) {
    db.exec('DROP INDEX stream_live; ALTER TABLE stream RENAME TO stream_1;');
    db.exec(schema);
    db.exec(`INSERT INTO stream ${FROM_SUMMARIES}; DROP TABLE stream_1;`);
  }
  if (columns.some(({ name }) => name === 'kind') && !columns.some(({ name }) => name === 'asks')) {
    db.exec('CREATE TEMP TABLE stream_2 AS SELECT * FROM stream; DROP TABLE stream; DELETE FROM stream_count;');
    db.exec(schema);
    db.exec(`INSERT INTO stream (${ROW_2}, asks) SELECT ${ROW_2}, 0 FROM stream_2; DROP TABLE stream_2;`);
  }
  if (rowsFrom === null) return;
  const sql = prepare(db);
  for (const { id, name } of db.prepare('SELECT id, name FROM boundary').all()) {
    const made = madeAnew(db, sql, { id: Number(id), name: name as Boundary }, rowsFrom);
    made?.book.rebuild(made.rows);
  }
}

/** Returns null for a damaged log: its rows stay, and `verify` names the damage. */
function madeAnew(
  db: DatabaseSync,
  sql: Statements,
  { id, name }: { readonly id: number; readonly name: Boundary },
  rowsFrom: RowsFrom,
): { readonly book: Book; readonly rows: readonly StreamRow[] } | null {
  try {
    const events = db.prepare('SELECT * FROM event WHERE boundary = ? ORDER BY seq').iterate(id);
    const rows = rowsFrom(events.map((row) => eventOf(row as unknown as EventRow)));
    return { book: new Book(sql, boundaryOf(sql, name)), rows };
  } catch {
    return null;
  }
}

/** The columns of schema 2. */
const ROW_2 = 'boundary, name, version, live, kind, status, parent, line, updated, rank, summary';

/** As many columns as the summaries of schema 1 can fill. */
const FROM_SUMMARIES = `
  SELECT boundary, name, version, live, iif(instr(name, '/'), substr(name, 1, instr(name, '/') - 1), name),
    CAST(coalesce(said ->> 'status', '') AS TEXT), NULL, NULL, 0,
    CAST(coalesce(said ->> 'updated_at', 0) AS INTEGER), CAST(coalesce(said ->> 'created_at', 0) AS INTEGER), summary
  FROM (SELECT *, iif(json_valid(summary), summary, '{}') AS said FROM stream_1)`;
