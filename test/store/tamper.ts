/** Changes a log behind Supervisor's back, with nothing but SQL: what an editor, a bad disk or an attacker may do to it. */
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { hashOf } from '../../src/engine/ports/event-hash.ts';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import {
  type BoundaryRow,
  boundarySeal,
  bytes,
  type EventRow,
  eventOf,
  type SnapshotRow,
  snapshotSeal,
} from '../../src/hands/store/sqlite/rows.ts';
import { GENESIS } from '../../src/kernel/hash.ts';
import { PROJECT } from '../support/stores.ts';

/** A copy of a closed log, changed. */
export function tampered(file: string, copy: string, change: (db: DatabaseSync) => void): string {
  copyFileSync(file, copy);
  const db = new DatabaseSync(copy);
  change(db);
  db.close();
  return copy;
}

export function boundaryRow(db: DatabaseSync): BoundaryRow {
  return db.prepare('SELECT * FROM boundary WHERE name = ?').get(PROJECT) as unknown as BoundaryRow;
}

/** Edits the head and seals it again: this is no accident. */
export function editHead(db: DatabaseSync, change: Partial<BoundaryRow>): void {
  const row = { ...boundaryRow(db), ...change };
  db.prepare('UPDATE boundary SET seq = ?, hash = ?, live = ?, seal = ? WHERE id = ?').run(
    ...[row.seq, row.hash, row.live, boundarySeal(row), row.id],
  );
}

export function editSnapshot(db: DatabaseSync, change: (state: string) => string): void {
  const row = db.prepare('SELECT * FROM snapshot').get() as unknown as SnapshotRow;
  const edited = { ...row, state: change(row.state) };
  db.prepare('UPDATE snapshot SET state = ?, seal = ?').run(edited.state, snapshotSeal(edited));
}

/** Rewrites events and everything that proves them: hashes, head and seals all fit again. */
export function rewrite(db: DatabaseSync, change: (event: StoredEvent) => StoredEvent): void {
  const { id } = boundaryRow(db);
  const rows = db.prepare('SELECT * FROM event WHERE boundary = ? ORDER BY seq').all(id) as unknown as EventRow[];
  db.prepare('DELETE FROM event WHERE boundary = ?').run(id);
  const insert = db.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  let previous = GENESIS;
  for (const row of rows) {
    const event = change(eventOf(row));
    previous = hashOf(previous, event);
    const { seq, stream, version, type, data, actor, cause, trace, time } = event;
    insert.run(id, seq, stream, version, type, JSON.stringify(data), actor, cause, trace, time, bytes(previous));
  }
  editHead(db, { hash: bytes(previous) });
}
