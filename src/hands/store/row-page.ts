/** The order of rows and the end of a page, the same in every store. */
import type { RowCursor, RowOrder, RowPage, RowQuery, StreamRow } from '../../engine/ports/store.ts';

/** The column and direction of an order. */
export function sortOf(order: RowOrder = 'newest'): {
  readonly column: 'rank' | 'updated';
  readonly direction: 'ASC' | 'DESC';
} {
  return { column: order === 'updated' ? 'updated' : 'rank', direction: order === 'oldest' ? 'ASC' : 'DESC' };
}

export const cursorOf = (row: StreamRow, order?: RowOrder): RowCursor => ({
  at: row[sortOf(order).column],
  stream: row.stream,
});

/** Below 0 if the first comes before the second. */
export function compareCursors(a: RowCursor, b: RowCursor, order?: RowOrder): number {
  const rising = a.at - b.at || (a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : 0);
  return sortOf(order).direction === 'ASC' ? rising : -rising;
}

/** Sorts rows and cuts them to one page. A store may pass more rows than fit, but fewer only if it has no more. */
export function pageOf(rows: readonly StreamRow[], { order, limit }: RowQuery): RowPage {
  const sorted = rows.toSorted((a, b) => compareCursors(cursorOf(a, order), cursorOf(b, order), order));
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: last === undefined || sorted.length <= limit ? null : cursorOf(last, order) };
}
