/** OF-07: the files beside the database are gone or cut. What is left opens, and what is missing is known from an anchor. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Head, StoredEvent } from '../../src/engine/ports/store.ts';
import { verifyLog } from '../../src/engine/verify.ts';
import { openFile, PROJECT, scratchDirectory, temporaryDirectory } from '../support/stores.ts';
import { cuts, type Disk, diskOf, isPrefix, putDisk } from './disk.ts';
import { oneMore, recordHistory } from './history.ts';
import { loadedState } from './state.ts';

const dir = temporaryDirectory();
const scratch = scratchDirectory();
let disk: Disk;
let head: Head;
let whole: readonly StoredEvent[];
let state: string;
/** How long the WAL was before the newest append. */
let newest: number;

beforeAll(async () => {
  const file = join(dir.path, 'log.db');
  // Something is in the database itself; the rest, copied while the log was open, is in the WAL.
  const first = await openFile(file);
  await recordHistory(first);
  await first.close();
  const store = await openFile(file);
  for (let n = 0; n < 3; n += 1) await oneMore(store, `goal ${n}\n`.repeat(100));
  newest = diskOf(file).wal.length;
  await oneMore(store, 'the newest');
  disk = diskOf(file);
  head = await store.head(PROJECT);
  whole = await store.readLog(PROJECT, 0, 100_000);
  state = await loadedState(store);
  await store.close();
});
afterAll(() => {
  dir.remove();
  scratch.remove();
});

/** What is left of the log, and what `verify` says to it with the anchor of the newest append. */
async function left(files: Partial<Disk>): Promise<{ events: number; truncated: boolean; problems: string[] }> {
  const store = await openFile(putDisk(scratch.path, files));
  try {
    const log = await store.readLog(PROJECT, 0, 100_000);
    const { findings } = await verifyLog(store, PROJECT, [{ source: 'sidecar', ...head }]);
    const told = findings.map((finding) => finding.problem);
    const truncated = told.some((problem) => problem.startsWith('log_truncated'));
    const problems = [...told.filter((problem) => !problem.startsWith('log_truncated')), ...(await store.integrity())];
    if (!isPrefix(log, whole)) problems.push('not a prefix');
    await loadedState(store);
    return { events: log.length, truncated, problems };
  } finally {
    await store.close();
  }
}

describe('OF-07:', () => {
  test('all files together give everything', async () => {
    expect(await left(disk)).toEqual({ events: whole.length, truncated: false, problems: [] });
  });

  test('without the -wal the log ends earlier, is consistent, and verify says log_truncated', async () => {
    const found = await left({ db: disk.db });
    expect(found).toEqual({ events: expect.any(Number), truncated: true, problems: [] });
    expect(found.events).toBeLessThan(whole.length);
    expect(found.events).toBeGreaterThan(0);
  });

  test('with a -wal that is cut anywhere the log is a prefix, and verify says log_truncated exactly when something is missing', async () => {
    const lengths = new Set<number>();
    for (const at of cuts(0, disk.wal.length)) {
      const found = await left({ db: disk.db, wal: disk.wal.subarray(0, at) });
      expect({ at, ...found }).toEqual({
        at,
        events: found.events,
        truncated: found.events < whole.length,
        problems: [],
      });
      lengths.add(found.events);
    }
    expect(Math.max(...lengths)).toBe(whole.length);
    expect(lengths.size).toBeGreaterThan(3);
  });

  test('with a byte of the -wal flipped anywhere it is the same: what SQLite no longer believes is known to be missing', async () => {
    for (let at = 0; at < disk.wal.length; at += 701) {
      const wal = Buffer.from(disk.wal);
      wal[at] = (wal[at] as number) ^ 1;
      const found = await left({ db: disk.db, wal });
      expect({ at, ...found }).toEqual({
        at,
        events: found.events,
        truncated: found.events < whole.length,
        problems: [],
      });
    }
  });

  test('with the newest append cut off, the anchor alone tells', async () => {
    const files = { db: disk.db, wal: disk.wal.subarray(0, newest) };
    const store = await openFile(putDisk(scratch.path, files));
    expect((await verifyLog(store, PROJECT, [])).findings).toEqual([]);
    await store.close();
    expect(await left(files)).toMatchObject({ truncated: true, problems: [] });
  });

  test('without the -shm nothing is missing, and the state is the same', async () => {
    expect(await left({ db: disk.db, wal: disk.wal })).toEqual({
      events: whole.length,
      truncated: false,
      problems: [],
    });
    const store = await openFile(putDisk(scratch.path, { db: disk.db, wal: disk.wal }));
    expect(await loadedState(store)).toBe(state);
    await store.close();
  });

  test('a -wal of another log is not taken for ours', async () => {
    const other = join(dir.path, 'other.db');
    const stranger = await openFile(other);
    await recordHistory(stranger);
    const { wal } = diskOf(other);
    await stranger.close();
    expect(await left({ db: disk.db, wal })).toMatchObject({ truncated: true, problems: [] });
  });
});
