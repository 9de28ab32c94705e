/** What a disk holds of a log at one moment, and whether a log that is opened from it keeps its promises. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Head, StoredEvent } from '../../src/engine/ports/store.ts';
import { verifyLog } from '../../src/engine/verify.ts';
import { openFile, PROJECT } from '../support/stores.ts';

export const SECTOR = 512;

export type Disk = { readonly db: Buffer; readonly wal: Buffer; readonly shm?: Buffer };

export function diskOf(file: string): Disk {
  return { db: readFileSync(file), wal: readFileSync(`${file}-wal`), shm: readFileSync(`${file}-shm`) };
}

/** Puts the files of a log into a directory, and nothing else that may have been there. */
export function putDisk(dir: string, { db, wal, shm }: Partial<Disk>): string {
  const file = join(dir, 'found.db');
  for (const [suffix, content] of [
    ['', db],
    ['-wal', wal],
    ['-shm', shm],
  ] as const) {
    if (content !== undefined) writeFileSync(`${file}${suffix}`, content);
    else if (existsSync(`${file}${suffix}`)) rmSync(`${file}${suffix}`);
  }
  return file;
}

/**
 * Opens what the disk holds and says everything that is wrong with it: nothing, if the log is a prefix of `whole`, holds all
 * that was acknowledged, and verifies.
 */
export async function wrongAfter(
  dir: string,
  disk: Disk,
  acknowledged: Head,
  whole: readonly StoredEvent[],
): Promise<string[]> {
  const store = await openFile(putDisk(dir, { db: disk.db, wal: disk.wal }));
  try {
    const log = await store.readLog(PROJECT, 0, 100_000);
    const wrong = [...(await store.integrity())];
    if (!isPrefix(log, whole)) wrong.push('the log is not a prefix of what was written');
    if (log.length < acknowledged.seq) wrong.push(`acknowledged event ${log.length + 1} is lost`);
    const { findings } = await verifyLog(store, PROJECT, [{ source: 'acknowledged', ...acknowledged }]);
    return [...wrong, ...findings.map((finding) => finding.problem)];
  } finally {
    await store.close();
  }
}

export function isPrefix(log: readonly StoredEvent[], whole: readonly StoredEvent[]): boolean {
  return JSON.stringify(log) === JSON.stringify(whole.slice(0, log.length));
}

/** Every place to cut between two lengths: sector by sector, and one byte beside either end. */
export function cuts(from: number, to: number): number[] {
  const places = new Set([from, from + 1, to - 1, to]);
  for (let at = Math.ceil(from / SECTOR) * SECTOR; at <= to; at += SECTOR) places.add(at);
  return [...places].sort((a, b) => a - b);
}
