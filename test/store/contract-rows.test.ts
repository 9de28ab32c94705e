/** Lists: every store gives the same pages, and SQLite reads each by an index. */
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RowCursor, RowQuery, Store, StreamRow } from '../../src/engine/ports/store.ts';
import { rowSelect } from '../../src/hands/store/sqlite/row-reader.ts';
import { prepare } from '../../src/hands/store/sqlite/statements.ts';
import { BACKENDS, FACTS, type Fixture, openFile, PROJECT, temporaryDirectory } from '../support/stores.ts';
import { Writer } from './writer.ts';

const KINDS = ['task', 'proposal'] as const;
const STATUSES = ['queued', 'running', 'accepted', ''] as const;
const NAMES = [null, 'a', 'b'] as const;
const ORDERS = ['newest', 'oldest', 'updated', undefined] as const;

const rowFacts = fc.record({
  kind: fc.constantFrom(...KINDS),
  status: fc.constantFrom(...STATUSES),
  parent: fc.constantFrom(...NAMES),
  line: fc.constantFrom(...NAMES),
  asks: fc.boolean(),
  updated: fc.integer({ min: 0, max: 5 }),
  rank: fc.integer({ min: 0, max: 5 }),
});
type RowFacts = Pick<StreamRow, 'kind' | 'status' | 'parent' | 'line' | 'asks' | 'updated' | 'rank'>;

const queries = fc.record(
  {
    kind: fc.constantFrom(...KINDS),
    status: fc.subarray([...STATUSES, 'failed']),
    parent: fc.constantFrom('a', 'b'),
    line: fc.constantFrom('a', 'b'),
    asks: fc.constant(true as const),
    order: fc.constantFrom(...(['newest', 'oldest', 'updated'] as const)),
    limit: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: ['kind', 'limit'] },
);

const rowsOf = (facts: readonly RowFacts[]): StreamRow[] =>
  facts.map((one, n) => ({
    ...one,
    stream: `${one.kind}/${String((n * 7) % 100).padStart(2, '0')}`,
    version: 1,
    live: false,
    summary: { n },
  }));

/** The whole list, the plain way. */
function listed(
  rows: readonly StreamRow[],
  { kind, status, parent, line, asks, order = 'newest' }: RowQuery,
): StreamRow[] {
  const sign = order === 'oldest' ? 1 : -1;
  const at = (row: StreamRow) => (order === 'updated' ? row.updated : row.rank);
  return rows
    .filter((row) => row.kind === kind && (status ?? [row.status]).includes(row.status))
    .filter((row) => (parent ?? row.parent) === row.parent && (line ?? row.line) === row.line)
    .filter((row) => asks === undefined || row.asks)
    .sort((a, b) => sign * (at(a) - at(b) || (a.stream < b.stream ? -1 : 1)));
}

async function pages(store: Store, query: RowQuery): Promise<StreamRow[][]> {
  const found: StreamRow[][] = [];
  for (let after: RowCursor | null = null; ; ) {
    const { rows, next } = await store.rows(PROJECT, { ...query, after });
    found.push([...rows]);
    if (next === null) return found;
    after = next;
  }
}

describe.each(BACKENDS)('$name: rows', ({ open }) => {
  let fixture: Fixture;
  let store: Store;
  beforeEach(async () => {
    fixture = await open();
    ({ store } = fixture);
    await store.openProject(PROJECT, FACTS);
  });
  afterEach(() => fixture.close());

  test('come in pages that are together exactly the filtered and sorted list', async () => {
    const lists = fc.array(rowFacts, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(lists, fc.array(queries, { minLength: 1, maxLength: 12 }), async (facts, asked) => {
        const rows = rowsOf(facts);
        await store.rebuild(PROJECT, rows);
        for (const query of asked) {
          const found = await pages(store, query);
          expect(found.flat()).toEqual(listed(rows, query));
          for (const page of found.slice(0, -1)) expect(page.length).toBe(query.limit);
          if (found.length > 1) expect(found.at(-1)).not.toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('are counted by status, each kind for itself', async () => {
    const facts = { kind: 'task', parent: null, line: null, asks: false, updated: 0, rank: 0 } as const;
    const statuses = ['queued', 'accepted', 'queued'];
    const other = { ...facts, kind: 'proposal', status: 'queued' } as const;
    await store.rebuild(PROJECT, rowsOf([...statuses.map((status) => ({ ...facts, status })), other]));
    expect(Object.fromEntries(await store.countRows(PROJECT, 'task'))).toEqual({ queued: 2, accepted: 1 });
    expect(Object.fromEntries(await store.countRows(PROJECT, 'goal'))).toEqual({});
  });

  test('are found by their name, and by the beginning of it', async () => {
    const writer = await Writer.open(store);
    const names = ['goal', 'task/t-1', 'task/t-1a', 'task/t-1b', 'task/t-2'];
    await writer.append({ own: names.map((stream) => ({ stream })) });
    expect(await store.row(PROJECT, 'task/t-1')).toMatchObject({ stream: 'task/t-1', kind: 'task', version: 1 });
    expect(await store.row(PROJECT, 'task/t-')).toBeNull();
    const named = async (range: Parameters<Store['rowsNamed']>[1]) =>
      (await store.rowsNamed(PROJECT, range)).map(({ stream }) => stream);
    expect(await named({ prefix: 'task/t-1', limit: 2 })).toEqual(['task/t-1', 'task/t-1a']);
    expect(await named({ prefix: 'task/t-1', after: 'task/t-1', limit: 9 })).toEqual(['task/t-1a', 'task/t-1b']);
    expect(await named({ prefix: '', after: 'task/t-1', limit: 9 })).toEqual(['task/t-1a', 'task/t-1b', 'task/t-2']);
    expect(await named({ prefix: 'task/t-3', limit: 9 })).toEqual([]);
  });

  test('change with an append: a task is listed under its new status, and no longer under the old one', async () => {
    const writer = await Writer.open(store);
    const append = (status: string) =>
      writer.append({ own: [{ stream: 'task/a' }], rows: { 'task/a': { status, line: 'main' } } });
    const listedAs = async (query: Partial<RowQuery>) =>
      (await store.rows(PROJECT, { kind: 'task', limit: 9, ...query })).rows.map(({ status }) => status);
    await append('queued');
    expect(await listedAs({ status: ['queued'] })).toEqual(['queued']);
    await append('running');
    expect(await listedAs({ status: ['queued'] })).toEqual([]);
    expect(await listedAs({ line: 'main' })).toEqual(['running']);
    expect(await listedAs({ line: 'other' })).toEqual([]);
    expect(Object.fromEntries(await store.countRows(PROJECT, 'task'))).toEqual({ running: 1 });
  });

  test('of one stream: its events are read from any version on', async () => {
    const writer = await Writer.open(store);
    for (let n = 0; n < 4; n += 1) await writer.append({ own: [{ stream: 'task/a' }, { stream: 'task/b' }] });
    const read = async (after: number, limit: number) =>
      (await store.readEvents(PROJECT, 'task/a', after, limit)).map(({ stream, version }) => [stream, version]);
    expect(await read(2, 9)).toEqual([
      ['task/a', 3],
      ['task/a', 4],
    ]);
    expect(await read(0, 1)).toEqual([['task/a', 1]]);
    expect(await read(4, 9)).toEqual([]);
  });

  test('a project is known once something was written for it', async () => {
    expect(await store.knows(PROJECT)).toBe(true);
    expect(await store.knows('p-none' as typeof PROJECT)).toBe(false);
  });
});

test('SQLite reads every page by an index, without sorting', async () => {
  const dir = temporaryDirectory();
  const store = await openFile(`${dir.path}/log.db`);
  const db = new DatabaseSync(`${dir.path}/log.db`);
  const plan = (sql: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail));
  for (const order of ORDERS) {
    for (const after of [null, { at: 1, stream: 'task/a' }]) {
      const query = { kind: 'task', limit: 20, after, ...(order === undefined ? {} : { order }) } as const;
      const shapes: RowQuery[] =
        order === 'updated'
          ? [query]
          : [query, { ...query, parent: 'x' }, { ...query, line: 'x' }, { ...query, asks: true }];
      for (const shape of shapes) {
        const [step, ...more] = plan(rowSelect(1, 'queued', shape).text);
        const index = shape.parent
          ? 'parent'
          : shape.line
            ? 'line'
            : shape.asks
              ? 'asks'
              : order === 'updated'
                ? 'updated'
                : 'rank';
        expect(step).toMatch(new RegExp(`^SEARCH stream USING INDEX stream_${index} \\(`));
        expect(more).toEqual([]);
      }
    }
  }
  const statements = prepare(db);
  for (const name of ['row', 'rowsNamed', 'countRows', 'statuses', 'log', 'streamEvents'] as const) {
    const { sourceSQL } = statements[name] as unknown as { readonly sourceSQL: string };
    expect(plan(sourceSQL).join('\n'), name).not.toMatch(/SCAN (stream\w*|e|p)\b|TEMP B-TREE/);
  }
  db.close();
  await store.close();
  dir.remove();
});
