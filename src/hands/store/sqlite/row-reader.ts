/** Reads one page of rows by index, however many rows there are. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { RowPage, RowQuery, StreamRow } from '../../../engine/ports/store.ts';
import { pageOf, sortOf } from '../row-page.ts';
import { type StreamTableRow, streamRowOf } from './rows.ts';
import { ROW, type Statement, type Statements } from './statements.ts';

export class RowReader {
  readonly #db: DatabaseSync;
  readonly #sql: Statements;
  readonly #prepared = new Map<string, Statement<StreamTableRow>>();

  constructor({ db, sql }: { readonly db: DatabaseSync; readonly sql: Statements }) {
    this.#db = db;
    this.#sql = sql;
  }

  /** An index holds each status in order; a page of several statuses is merged from one page of each. */
  page(boundary: number, query: RowQuery): RowPage {
    const statuses = query.status ?? this.#sql.statuses.all(boundary, query.kind).map(({ status }) => status);
    const rows = [...new Set(statuses)].flatMap((status) => this.#ofStatus(boundary, status, query));
    return pageOf(rows, query);
  }

  #ofStatus(boundary: number, status: string, query: RowQuery): StreamRow[] {
    const { text, values } = rowSelect(boundary, status, query);
    let statement = this.#prepared.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text) as unknown as Statement<StreamTableRow>;
      this.#prepared.set(text, statement);
    }
    return statement.all(...values).map(streamRowOf);
  }
}

/** One row more than fits on the page shows whether there is a next one. */
export function rowSelect(
  boundary: number,
  status: string,
  { kind, parent, line, asks, order, after = null, limit }: RowQuery,
): { readonly text: string; readonly values: SQLInputValue[] } {
  const { column, direction } = sortOf(order);
  const where = ['boundary = ?', 'kind = ?', 'status = ?'];
  const values: SQLInputValue[] = [boundary, kind, status];
  if (parent !== undefined) {
    where.push('parent = ?');
    values.push(parent);
  }
  if (line !== undefined) {
    where.push('line = ?');
    values.push(line);
  }
  if (asks === true) where.push('asks = 1');
  if (after !== null) {
    where.push(`(${column}, name) ${direction === 'ASC' ? '>' : '<'} (?, ?)`);
    values.push(after.at, after.stream);
  }
  values.push(limit + 1);
  const sort = `${column} ${direction}, name ${direction}`;
  return { text: `SELECT ${ROW} FROM stream WHERE ${where.join(' AND ')} ORDER BY ${sort} LIMIT ?`, values };
}
