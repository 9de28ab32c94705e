/**
 * A log of the version before opens, in place. `log-schema-1.db.gz` was written by the last version with schema 1:
 * the history of history.ts, with one task landed; `log-schema-2.db.gz` by the last one with schema 2, by history.ts as well.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { type Boundary, type StoredEvent, StoreError, THIS_HOST } from '../../src/engine/ports/store.ts';
import { projectionsFrom } from '../../src/engine/rebuild.ts';
import { verifyLog } from '../../src/engine/verify.ts';
import { allRows, openFile, PROJECT, temporaryDirectory } from '../support/stores.ts';
import { oneMore } from './history.ts';

const dir = temporaryDirectory();
afterAll(() => dir.remove());
const SAMPLE = join(import.meta.dirname, '../fixtures/stores/log-schema-1.db.gz');
const SAMPLE_2 = join(import.meta.dirname, '../fixtures/stores/log-schema-2.db.gz');
const rowsFrom = async () => projectionsFrom;

function older(name: string, change?: (db: DatabaseSync) => void, sample = SAMPLE): string {
  const file = join(dir.path, name);
  writeFileSync(file, gunzipSync(readFileSync(sample)));
  if (change !== undefined) inside(file, change);
  return file;
}

function inside<T>(file: string, look: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file);
  try {
    return look(db);
  } finally {
    db.close();
  }
}

const schemaVersion = (file: string) =>
  inside(file, (db) => Number(Object.values(db.prepare('PRAGMA user_version').get() ?? {})[0]));
const tables = (file: string) =>
  inside(file, (db) => db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()).map(({ name, sql }) => [
    name,
    String(sql).replaceAll(/ *--.*$/gm, ''),
  ]);
const events = (file: string) => inside(file, (db) => db.prepare('SELECT * FROM event').all());

async function findingsIn(file: string): Promise<unknown[]> {
  const store = await openFile(file, { rowsFrom });
  const found: unknown[] = [...(await store.integrity())];
  for (const boundary of [PROJECT, THIS_HOST]) found.push(...(await verifyLog(store, boundary, [])).findings);
  await store.close();
  return found;
}

test.each([
  { way: 'to write', readOnly: false },
  { way: 'to read', readOnly: true },
])('opened $way it has the new tables, the same events, and the rows that they give', async ({ way, readOnly }) => {
  const file = older(`${way}.db`);
  const before = events(file);
  const store = await openFile(file, { readOnly, rowsFrom });
  const accepted = await store.rows(PROJECT, { kind: 'task', status: ['accepted'], line: 'main', limit: 9 });
  expect(accepted.rows.map(({ stream }) => stream)).toEqual(['task/t-3', 'task/t-0']);
  const landed = accepted.rows.map(({ summary }) => (summary as { landed: unknown }).landed);
  expect(landed).toEqual([null, { onto: 'main', commit: 'e'.repeat(40) }]);
  await store.close();
  expect(await findingsIn(file)).toEqual([]);
  expect(events(file)).toEqual(before);
  const fresh = join(dir.path, `fresh-${way}.db`);
  await (await openFile(fresh)).close();
  expect(tables(file)).toEqual(tables(fresh));
});

test('it continues, and verifies', async () => {
  const file = older('goes-on.db');
  const store = await openFile(file, { rowsFrom });
  await oneMore(store, 'another goal');
  await store.close();
  expect(await findingsIn(file)).toEqual([]);
});

test('a kill in the middle leaves it as it was, and the next one begins anew', async () => {
  const file = older('killed.db');
  const source = join(import.meta.dirname, '../../src/hands/store/sqlite/store.ts');
  const program = `
    const { SqliteStore } = await import(${JSON.stringify(source)});
    const rowsFrom = async () => () => process.kill(process.pid, 'SIGKILL');
    await SqliteStore.open({ file: ${JSON.stringify(file)}, alive: () => true, monotonic: () => 0, rowsFrom });`;
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', program]).signal).toBe('SIGKILL');
  expect(schemaVersion(file)).toBe(1);
  expect(await findingsIn(file)).toEqual([]);
  expect(schemaVersion(file)).toBe(3);
});

test('a log that cannot be folded opens all the same, with what its summaries tell, and is found out', async () => {
  const file = older('damaged.db', (db) => db.exec("UPDATE event SET data = '{' WHERE seq = 7"));
  const store = await openFile(file, { rowsFrom });
  const { rows } = await store.rows(PROJECT, { kind: 'task', status: ['accepted'], order: 'updated', limit: 9 });
  expect(rows.map(({ stream, updated }) => [stream, updated > 1_700_000_000_000])).toEqual([
    ['task/t-0', true],
    ['task/t-3', true],
  ]);
  expect(await allRows(store, PROJECT)).toContainEqual(
    expect.objectContaining({ stream: 'board', kind: 'board', status: '' }),
  );
  await expect(store.liveStreams(PROJECT)).resolves.toContain('task/t-2');
  await store.close();
  expect(await findingsIn(file)).not.toEqual([]);
});

test('a head that is damaged is no reason to lose the rest', async () => {
  const file = older('head.db', (db) => db.exec("UPDATE boundary SET seq = seq + 1 WHERE name <> 'host'"));
  const store = await openFile(file, { rowsFrom });
  await expect(store.head(PROJECT)).rejects.toBeInstanceOf(StoreError);
  expect((await store.readLog(PROJECT, 0, 5)).length).toBe(5);
  expect((await verifyLog(store, THIS_HOST as Boundary, [])).findings).toEqual([]);
  await store.close();
});

test('two processes that open it at once migrate it once', async () => {
  const file = older('twice.db');
  let made = 0;
  const counted = async () => (all: Iterable<StoredEvent>) => {
    made += 1;
    return projectionsFrom(all);
  };
  const [one, two] = await Promise.all([openFile(file, { rowsFrom: counted }), openFile(file, { rowsFrom: counted })]);
  await one.close();
  await two.close();
  // Once for the project, once for the host.
  expect(made).toBe(2);
  expect(await findingsIn(file)).toEqual([]);
});

test('a process of the version before, still at work, can write no row without its columns', async () => {
  const file = older('beside.db');
  const db = new DatabaseSync(file);
  const put = db.prepare(
    'INSERT INTO stream (boundary, name, version, live, summary) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version, live = excluded.live, summary = excluded.summary',
  );
  await (await openFile(file, { rowsFrom })).close();
  expect(() => put.run(2, 'task/t-0', 99, 1, '{}')).toThrow(/NOT NULL/);
  db.close();
  expect(await findingsIn(file)).toEqual([]);
});

test('a log of schema 2 keeps its events and counts, its rows say who is asked, and a process of that version writes none', async () => {
  const file = older('schema-2.db', undefined, SAMPLE_2);
  const before = events(file);
  const counts = (): unknown => inside(file, (db) => db.prepare('SELECT * FROM stream_count WHERE count > 0').all());
  const counted = counts();
  const db = new DatabaseSync(file);
  const put = db.prepare(
    'INSERT INTO stream (boundary, name, version, live, kind, status, parent, line, updated, rank, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const store = await openFile(file, { rowsFrom });
  expect((await store.rows(PROJECT, { kind: 'task', asks: true, limit: 9 })).rows).toEqual([]);
  expect((await store.rows(PROJECT, { kind: 'task', limit: 9 })).rows.length).toBeGreaterThan(4);
  await store.close();
  expect(() => put.run(2, 'task/t-x', 1, 1, 'task', 'queued', null, null, 0, 0, '{}')).toThrow(/NOT NULL.*asks/);
  db.close();
  expect(schemaVersion(file)).toBe(3);
  expect(events(file)).toEqual(before);
  expect(counts()).toEqual(counted);
  expect(await findingsIn(file)).toEqual([]);
  const fresh = join(dir.path, 'fresh-schema-2.db');
  await (await openFile(fresh)).close();
  expect(tables(file)).toEqual(tables(fresh));
});
