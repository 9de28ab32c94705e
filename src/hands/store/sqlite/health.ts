/**
 * Checks the file itself, for `verify`: SQLite's structures, and every row with a seal. The log inside is checked
 * elsewhere.
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  type BlobRow,
  type BoundaryRow,
  Damage,
  type InboxTableRow,
  type ReceiptRow,
  type SnapshotRow,
  soundBlob,
  soundBoundary,
  soundInbox,
  soundReceipt,
  soundSnapshot,
} from './rows.ts';

/** All problems; empty if the file is sound. */
export function healthOf(db: DatabaseSync): string[] {
  const structure = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  return [
    ...structure.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    ...db
      .prepare(MISCOUNTED)
      .all()
      .map(({ kind, status }) => `the count of ${kind} rows that are "${status}" is wrong`),
    ...unsound(db, 'boundary', (row) => soundBoundary(row as BoundaryRow)),
    ...unsound(db, 'snapshot', (row) => soundSnapshot(row as SnapshotRow)),
    ...unsound(db, 'inbox', (row) => soundInbox(row as InboxTableRow)),
    ...unsound(db, 'receipt', (row) => soundReceipt(row as ReceiptRow)),
    ...unsound(db, 'blob', (row) => soundBlob(row as BlobRow)),
  ];
}

const COUNTED = 'SELECT boundary, kind, status, count(*) FROM stream GROUP BY boundary, kind, status';
const KEPT = 'SELECT boundary, kind, status, count FROM stream_count WHERE count <> 0';
const MISCOUNTED = `SELECT DISTINCT kind, status FROM
  (SELECT * FROM (${COUNTED} EXCEPT ${KEPT}) UNION ALL SELECT * FROM (${KEPT} EXCEPT ${COUNTED}))`;

function* unsound(db: DatabaseSync, table: string, check: (row: unknown) => void): Generator<string> {
  for (const row of db.prepare(`SELECT * FROM ${table}`).iterate()) {
    try {
      check(row);
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      yield error.message;
    }
  }
}
