/** The rows of projects and the host: where each log ends, and who may append. */
import type { DatabaseSync } from 'node:sqlite';
import type { Boundary } from '../../../engine/ports/store.ts';
import { StoreError, THIS_HOST } from '../../../engine/ports/store.ts';
import { GENESIS } from '../../../kernel/hash.ts';
import { type BoundaryRow, boundarySeal, bytes, Damage, soundBoundary } from './rows.ts';
import type { Statements } from './statements.ts';

export function boundaryOf(sql: Statements, name: Boundary): BoundaryRow {
  return findBoundary(sql, name) ?? unknown(name);
}

export function findBoundary(sql: Statements, name: Boundary): BoundaryRow | null {
  const row = lookUp(sql, name);
  return row === undefined ? null : soundBoundary(row);
}

/** The id that rows of a boundary carry, whatever happened to the boundary's own row. */
export function boundaryId(sql: Statements, name: Boundary): number {
  return lookUp(sql, name)?.id ?? unknown(name);
}

function lookUp(sql: Statements, name: Boundary): BoundaryRow | undefined {
  const row = sql.boundary.get(name);
  // A damaged index must not make a second, empty project of it.
  if (row === undefined && sql.boundaryByScan.get(name) !== undefined)
    throw new Damage(`its index does not know ${name}`);
  return row;
}

function unknown(name: Boundary): never {
  throw name === THIS_HOST
    ? new Damage('the host is not in it')
    : new StoreError('io', `project ${name} is not in this log`);
}

/** A boundary without any writes yet. */
export function addBoundary(db: DatabaseSync, name: string, path: string, root: string | null): void {
  const id = Number(db.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM boundary').get()?.id);
  const empty = { seq: 0, hash: bytes(GENESIS), time: 0, live: 0, token: 0, owner: null, renewed: 0, ttl: 0 };
  const row = { id, name, path, root, ...empty };
  const columns = Object.keys({ ...row, seal: null });
  db.prepare(`INSERT INTO boundary (${columns}) VALUES (${columns.map((column) => `:${column}`)})`).run({
    ...row,
    seal: boundarySeal(row),
  });
}

export function putBoundary(sql: Statements, row: BoundaryRow): void {
  const { id, path, root, seq, hash, time, live, token, owner, renewed, ttl } = row;
  sql.putBoundary.run(path, root, seq, hash, time, live, token, owner, renewed, ttl, boundarySeal(row), id);
}
