/** OF-03: power loss. What the disk holds after it is any prefix of what was written since the last sync, its end torn. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Head, StoredEvent } from '../../src/engine/ports/store.ts';
import type { SqliteStore } from '../../src/hands/store/sqlite/store.ts';
import { openFile, PROJECT, scratchDirectory, temporaryDirectory } from '../support/stores.ts';
import { cuts, type Disk, diskOf, SECTOR, wrongAfter } from './disk.ts';
import { oneMore, recordHistory } from './history.ts';

const dir = temporaryDirectory();
const scratch = scratchDirectory();
afterAll(() => {
  dir.remove();
  scratch.remove();
});

/** What may have become of the WAL, if its writes stopped arriving at some place. */
const ENDS = {
  'cut off': (wal: Buffer, at: number) => wal.subarray(0, at),
  'cut off, the last sector zeros': (wal: Buffer, at: number) => torn(wal, at, 0),
  'cut off, the last sector garbage': (wal: Buffer, at: number) => torn(wal, at, 0xa5),
  'made longer, but never filled': (wal: Buffer, at: number) => Buffer.from(wal).fill(0, at),
  'written out of order, one sector lost': (wal: Buffer, at: number) =>
    Buffer.from(wal).fill(0, at, Math.min(at + SECTOR, wal.length)),
};

function torn(wal: Buffer, at: number, filler: number): Buffer {
  const from = Math.floor(Math.max(at - 1, 0) / SECTOR) * SECTOR;
  return Buffer.concat([wal.subarray(0, from), Buffer.alloc(at - from, filler)]);
}

describe('OF-03: power is lost', () => {
  let store: SqliteStore;
  let acknowledged: Head;
  let before: Disk;
  let after: Disk;
  let whole: readonly StoredEvent[];
  const file = join(dir.path, 'log.db');

  beforeAll(async () => {
    const first = await openFile(file);
    await recordHistory(first);
    await first.close();
    store = await openFile(file);
    for (let n = 0; n < 3; n += 1) await oneMore(store, `an append that was acknowledged\n${n}`);
    acknowledged = await store.head(PROJECT);
    before = diskOf(file);
    await oneMore(store, 'the append that power was lost in\n'.repeat(300));
    after = diskOf(file);
    whole = await store.readLog(PROJECT, 0, 100_000);
  });
  afterAll(() => store.close());

  test('the test sees what it has to: an append that grows the log beyond what was acknowledged', () => {
    expect(after.wal.length).toBeGreaterThan(before.wal.length + 10 * SECTOR);
    expect(after.wal.subarray(0, before.wal.length)).toEqual(before.wal);
    expect(whole.length).toBe(acknowledged.seq + 1);
  });

  test.each(Object.entries(ENDS))(
    'in an append, the WAL %s: nothing acknowledged is lost, nothing half-written is read',
    async (_, end) => {
      for (const at of cuts(before.wal.length, after.wal.length)) {
        // Acknowledged bytes stay, also in a sector that is written again behind them (SQLite counts on that: psow).
        const wal = Buffer.concat([before.wal, end(after.wal, at).subarray(before.wal.length)]);
        const wrong = await wrongAfter(scratch.path, { db: after.db, wal }, acknowledged, whole);
        expect({ at, wrong }).toEqual({ at, wrong: [] });
      }
    },
  );

  test('the checker can fail: without the sync (synchronous=OFF) an acknowledged event is lost, and it says so', async () => {
    const lost: string[] = [];
    for (const at of cuts(before.wal.length - 60 * SECTOR, before.wal.length - 1)) {
      const disk = { db: before.db, wal: before.wal.subarray(0, at) };
      lost.push(...(await wrongAfter(scratch.path, disk, acknowledged, whole)));
    }
    expect(lost).toContainEqual(expect.stringMatching(/^acknowledged event \d+ is lost$/));
    expect(lost).toContainEqual(expect.stringMatching(/^log_truncated: acknowledged has seen/));
    expect(lost).not.toContain('the log is not a prefix of what was written');
  });
});

describe('OF-03: power is lost around a checkpoint', () => {
  const file = join(dir.path, 'checkpoint.db');
  let old: Disk;
  let checkpointed: Disk;
  let restarted: Disk;
  let heads: Head[];
  let whole: readonly StoredEvent[];

  beforeAll(async () => {
    const store = await openFile(file);
    await recordHistory(store);
    old = diskOf(file);
    heads = [await store.head(PROJECT)];
    const other = new DatabaseSync(file);
    other.exec('PRAGMA wal_checkpoint(FULL)');
    checkpointed = diskOf(file);
    await oneMore(store, 'written over the start of the WAL');
    restarted = diskOf(file);
    heads.push(await store.head(PROJECT));
    whole = await store.readLog(PROJECT, 0, 100_000);
    other.close();
    await store.close();
  });

  test('while pages are copied: any of them may have arrived, some of them torn', async () => {
    const pages = checkpointed.db.length / 4096;
    const older = Buffer.concat([old.db, Buffer.alloc(checkpointed.db.length - old.db.length)]);
    for (let arrived = 0; arrived <= pages; arrived += 1) {
      const db = Buffer.from(checkpointed.db);
      // Pages behind `arrived` are old, the one at it is half old, and every seventh was written out of order.
      for (let page = arrived; page < pages; page += 1) {
        if (page % 7 === 3) continue;
        const from = page * 4096 + (page === arrived ? 2048 : 0);
        older.copy(db, from, from, (page + 1) * 4096);
      }
      expect({ arrived, wrong: await wrongAfter(scratch.path, { db, wal: old.wal }, heads[0] as Head, whole) }).toEqual(
        {
          arrived,
          wrong: [],
        },
      );
    }
  });

  test('while the WAL begins anew: its old content behind the cut is never taken for new', async () => {
    expect(restarted.wal.length).toBe(checkpointed.wal.length);
    expect(restarted.wal.subarray(0, 32)).not.toEqual(checkpointed.wal.subarray(0, 32));
    for (let at = 0; at <= restarted.wal.length && at < 60 * SECTOR; at += SECTOR) {
      const wal = Buffer.concat([restarted.wal.subarray(0, at), checkpointed.wal.subarray(at)]);
      expect({
        at,
        wrong: await wrongAfter(scratch.path, { db: checkpointed.db, wal }, heads[0] as Head, whole),
      }).toEqual({
        at,
        wrong: [],
      });
    }
    expect(await wrongAfter(scratch.path, { db: restarted.db, wal: restarted.wal }, heads[1] as Head, whole)).toEqual(
      [],
    );
  });
});
