/** OF-05: another process holds the lock. We wait without standing still, and when patience ends we say who it is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SqliteStore } from '../../src/hands/store/sqlite/store.ts';
import { openFile, PROJECT, temporaryDirectory } from '../support/stores.ts';
import { Writer } from './writer.ts';

const PROGRAM = resolve(import.meta.dirname, '../fixtures/programs/hold-lock.ts');

describe('OF-05: while another process holds the lock', () => {
  let dir: ReturnType<typeof temporaryDirectory>;
  let file: string;
  let store: SqliteStore;
  let writer: Writer;
  let holder: ChildProcess;

  beforeEach(async () => {
    dir = temporaryDirectory();
    file = join(dir.path, 'log.db');
    store = await openFile(file);
    writer = await Writer.open(store);
    await writer.append({ own: [{ stream: 'task/a' }] });
    holder = spawn(process.execPath, [PROGRAM, file], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(holder.stdout ?? holder, 'data');
  });
  afterEach(async () => {
    holder.kill();
    await store.close();
    dir.remove();
  });

  test('an append waits, the event loop goes on, and it succeeds after the release', async () => {
    let ticks = 0;
    let settled = false;
    const ticked = new Promise<void>((enough) => {
      const timer = setInterval(() => {
        ticks += 1;
        if (ticks < 20) return;
        clearInterval(timer);
        enough();
      }, 5);
    });
    const appending = writer.append({ own: [{ stream: 'task/a' }], blobs: ['kept'] }).then(() => {
      settled = true;
    });
    await ticked;
    expect(settled).toBe(false);
    holder.stdin?.end();
    await appending;
    expect((await store.readLog(PROJECT, 0, 10)).map((event) => event.version)).toEqual([1, 2]);
  });

  test('commands wait their turn too, and none is lost', async () => {
    const other = await openFile(file);
    const sent = ['c-1', 'c-2', 'c-3'].map((id) => other.submit(PROJECT, [{ id, actor: 'operator', command: {} }]));
    await new Promise((resolve) => setImmediate(resolve));
    holder.stdin?.end();
    await Promise.all(sent);
    expect((await store.inbox(PROJECT, 10)).map((row) => row.id).sort()).toEqual(['c-1', 'c-2', 'c-3']);
    await other.close();
  });

  test('reading goes on', async () => {
    expect(await store.head(PROJECT)).toMatchObject({ seq: 1 });
    expect((await store.readStream(PROJECT, 'task/a', 1)).events).toHaveLength(1);
  });

  test('a short patience ends with an error that names the process, can be tried again, and wrote nothing', async () => {
    const hasty = await openFile(file, { patienceMs: 50 });
    const batch = writer.batch({ own: [{ stream: 'task/a' }] });
    const appending = hasty.append(batch);
    await expect(appending).rejects.toMatchObject({
      ...{ name: 'StoreError', code: 'locked', retryable: true },
      message: expect.stringMatching(new RegExp(`log\\.db is locked by pid ${holder.pid}; wait`)),
    });
    expect(await hasty.head(PROJECT)).toMatchObject({ seq: 1 });
    holder.stdin?.end();
    await once(holder, 'exit');
    expect(await hasty.append(batch)).toEqual({ type: 'appended' });
    await hasty.close();
  });

  test('a stopped holder is named as such: waiting for it would not help', async () => {
    const hasty = await openFile(file, { patienceMs: 50 });
    holder.kill('SIGSTOP');
    const { pid } = holder;
    await expect(hasty.append(writer.batch({ own: [{ stream: 'task/a' }] }))).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`by pid ${pid}, and pid ${pid} is stopped; let it go on (kill -CONT ${pid})`),
    });
    holder.kill('SIGCONT');
    await hasty.close();
  });

  test('a log can be opened', async () => {
    const opened = await openFile(file, { patienceMs: 50 });
    expect(await opened.lease(PROJECT)).toMatchObject({ token: 1 });
    await opened.close();
  });
});
