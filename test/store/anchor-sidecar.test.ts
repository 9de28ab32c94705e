/** The sidecar: where the log ended, kept beside it, cheap enough for every append and safe against a torn write. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Head } from '../../src/engine/ports/store.ts';
import { verifyLog } from '../../src/engine/verify.ts';
import { SidecarAnchor } from '../../src/hands/anchor/sidecar.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { ProjectId } from '../../src/kernel/ids.ts';
import { openFile, PROJECT, temporaryDirectory } from '../support/stores.ts';
import { oneMore, recordHistory } from './history.ts';

const head = (seq: number): Head => ({ seq, hash: sha256(`event ${seq}`), time: 1_700_000_000_000 + seq });

describe('the sidecar', () => {
  let dir: ReturnType<typeof temporaryDirectory>;
  let anchors: string;
  let file: string;
  let sidecar: SidecarAnchor;
  beforeEach(() => {
    dir = temporaryDirectory();
    anchors = join(dir.path, 'state/anchors');
    file = join(anchors, `${PROJECT}.head`);
    sidecar = new SidecarAnchor(anchors);
  });
  afterEach(() => {
    sidecar.close();
    dir.remove();
  });

  const again = (): Head | null => new SidecarAnchor(anchors).read(PROJECT);

  test('says null before anything was written', () => {
    expect(sidecar.read(PROJECT)).toBeNull();
  });

  test('gives back the newest head, also to another process', () => {
    for (const seq of [1, 2, 3, 7]) {
      sidecar.committed(PROJECT, head(seq));
      expect(sidecar.read(PROJECT)).toEqual(head(seq));
    }
    expect(again()).toEqual(head(7));
  });

  test('keeps projects apart, in a directory that no other user can write', () => {
    const other = 'p-other' as ProjectId;
    sidecar.committed(PROJECT, head(5));
    sidecar.committed(other, head(9));
    expect([sidecar.read(PROJECT), sidecar.read(other)]).toEqual([head(5), head(9)]);
    expect(statSync(anchors).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, readFileSync(join(anchors, `${other}.head`)));
    expect(again()).toBeNull();
  });

  test('continues after a restart without writing over the newest', () => {
    for (const seq of [1, 2, 3]) {
      const next = new SidecarAnchor(anchors);
      const before = next.read(PROJECT);
      next.committed(PROJECT, head(seq));
      next.close();
      const both = readFileSync(file, 'latin1');
      if (before !== null) expect(both).toContain(before.hash);
      expect(again()).toEqual(head(seq));
    }
  });

  test('torn anywhere in its newest record gives the one before', () => {
    sidecar.committed(PROJECT, head(41));
    const old = readFileSync(file);
    sidecar.committed(PROJECT, head(42));
    const whole = readFileSync(file);
    const start = 4096;
    const line = whole.subarray(start, start + 256);
    expect(line.toString()).toMatch(/^supervisor head 1 42 /);
    for (let at = 0; at < 256; at += 1) {
      // Only so many bytes arrived; behind them is what was there before, or nothing.
      writeFileSync(file, Buffer.concat([whole.subarray(0, start + at), old.subarray(start + at)]));
      expect(again()).toEqual(head(41));
      writeFileSync(file, Buffer.from(whole).fill(0, start + at));
      expect(again()).toEqual(head(41));
    }
  });

  test('with a flipped byte in a record never gives a head that was not written', () => {
    sidecar.committed(PROJECT, head(41));
    sidecar.committed(PROJECT, head(42));
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += at === 255 ? 4096 - 255 : 1) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(file, bytes);
      expect([head(41), head(42)]).toContainEqual(again());
    }
  });

  test('with nothing but garbage or zeros in it says null, and can be written again', () => {
    mkdirSync(anchors, { recursive: true });
    writeFileSync(file, Buffer.alloc(8192, 0xa5));
    expect(sidecar.read(PROJECT)).toBeNull();
    sidecar.committed(PROJECT, head(1));
    expect(again()).toEqual(head(1));
  });

  test('keeps the proof of a log that was cut until the log has passed it', () => {
    sidecar.committed(PROJECT, head(99));
    sidecar.committed(PROJECT, head(100));
    for (const seq of [95, 96, 97]) sidecar.committed(PROJECT, head(seq));
    expect(again()).toEqual(head(100));
    sidecar.committed(PROJECT, head(101));
    expect(again()).toEqual(head(101));
  });

  test('that cannot be written reports it and stops no append', () => {
    const told: string[] = [];
    const failing = new SidecarAnchor(anchors, {
      failed: (project, error) => told.push(`${project}: ${error.message}`),
    });
    mkdirSync(file, { recursive: true });
    expect(() => failing.read(PROJECT)).toThrow(/EISDIR/);
    failing.committed(PROJECT, head(1));
    expect(told).toEqual([expect.stringMatching(/^p-test: EISDIR/)]);
    rmSync(file, { recursive: true });
    failing.committed(PROJECT, head(2));
    expect(again()).toEqual(head(2));
    failing.close();
  });

  test('shows verify that the newest append is gone', async () => {
    const log = join(dir.path, 'log.db');
    const store = await openFile(log);
    await recordHistory(store);
    const copy = join(dir.path, 'copy.db');
    writeFileSync(copy, readFileSync(log));
    writeFileSync(`${copy}-wal`, readFileSync(`${log}-wal`));
    await oneMore(store, 'the newest');
    sidecar.committed(PROJECT, await store.head(PROJECT));
    await store.close();
    const restored = await openFile(copy);
    const anchor = { source: 'sidecar', ...(again() ?? head(0)) };
    const { findings } = await verifyLog(restored, PROJECT, [anchor]);
    expect(findings.map((finding) => finding.problem)).toEqual([
      expect.stringMatching(/^log_truncated: sidecar has seen event/),
    ]);
    await restored.close();
  });
});
