/** A process that is killed while it creates the log leaves a half-done change; readers can still open the log. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { SqliteStore } from '../../src/hands/store/sqlite/store.ts';

const dir = mkdtempSync(join(tmpdir(), 'supervisor-store-'));
afterAll(() => rmSync(dir, { recursive: true }));

const open = (file: string, readOnly: boolean) =>
  SqliteStore.open({ file, readOnly, alive: () => false, monotonic: () => 0 });

/** More than the cache holds, so that the file itself is changed before the kill, as when pages are written for the first time. */
function killedWhileWriting(file: string): void {
  const program = `
    import { DatabaseSync } from 'node:sqlite';
    const db = new DatabaseSync(${JSON.stringify(file)});
    db.exec('PRAGMA journal_mode=DELETE; PRAGMA cache_size=2; BEGIN; CREATE TABLE half (x);');
    for (let n = 0; n < 50; n += 1) db.exec('INSERT INTO half VALUES (zeroblob(5000))');
    process.kill(process.pid, 'SIGKILL');`;
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', program]).signal).toBe('SIGKILL');
  expect(existsSync(`${file}-journal`)).toBe(true);
}

test('before there was anything: there is no log yet', async () => {
  const file = join(dir, 'new.db');
  killedWhileWriting(file);
  // Without that, a reader is turned away (control).
  const reader = new DatabaseSync(file, { readOnly: true });
  expect(() => reader.prepare('SELECT count(*) FROM sqlite_schema').get()).toThrow(/readonly/);
  reader.close();
  await expect(open(file, true)).rejects.toMatchObject({ code: 'absent' });
  await (await open(file, false)).close();
  await (await open(file, true)).close();
});

test('afterwards: what was there before is there', async () => {
  const file = join(dir, 'old.db');
  await (await open(file, false)).close();
  killedWhileWriting(file);
  const store = await open(file, true);
  expect(await store.integrity()).toEqual([]);
  await store.close();
});
