/** Reading beside a process that appends: every answer is of one moment, and growth is never taken for damage. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkStretch } from '../../src/engine/chain.ts';
import { soundHead } from '../../src/engine/verified-head.ts';
import { verifyLog } from '../../src/engine/verify.ts';
import { GENESIS } from '../../src/kernel/hash.ts';
import { FACTS, openFile, PROJECT, temporaryDirectory } from '../support/stores.ts';
import { oneMore, recordHistory } from './history.ts';

const PROGRAM = resolve(import.meta.dirname, '../fixtures/programs/append-steadily.ts');
const OPENER = resolve(import.meta.dirname, '../fixtures/programs/open-log.ts');
const APPENDS = 300;
const dir = temporaryDirectory();
afterAll(() => dir.remove());

test('streams, lists, heads and the file itself look sound at every moment while another process writes', async () => {
  const file = join(dir.path, 'log.db');
  const store = await openFile(file);
  await store.openProject(PROJECT, FACTS);
  const writer = spawn(process.execPath, [PROGRAM, file, String(APPENDS)], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(writer, 'exit');
  let running = true;
  void ended.then(() => {
    running = false;
  });
  const seen = new Set<number>();
  while (running) {
    for (const stream of await store.liveStreams(PROJECT)) {
      const { snapshot, events } = await store.readStream(PROJECT, stream, 1);
      const first = (snapshot?.version ?? 0) + 1;
      expect(events.map((event) => event.version)).toEqual(events.map((_, n) => first + n));
    }
    const head = await soundHead(store, PROJECT);
    const log = await store.readLog(PROJECT, 0, head.seq);
    expect(checkStretch({ seq: 0, hash: GENESIS, time: 0 }, log)).toEqual(head);
    if (seen.size % 20 === 0) expect(await store.integrity()).toEqual([]);
    seen.add(head.seq);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await ended).toEqual([0, null]);
  expect(await store.head(PROJECT)).toMatchObject({ seq: APPENDS * 3 });
  // Else nothing happened while we looked.
  expect(seen.size).toBeGreaterThan(5);
  await store.close();
});

test('verify has nothing to find in a log that grows while it looks', async () => {
  const file = join(dir.path, 'engine.db');
  const store = await openFile(file);
  await recordHistory(store);
  const other = await openFile(file);
  let running = true;
  const writing = (async () => {
    for (let n = 0; n < 40; n += 1) await oneMore(store, `goal ${n}`);
    running = false;
  })();
  const seen = new Set<number>();
  while (running) {
    const { events, findings } = await verifyLog(other, PROJECT, []);
    expect(findings).toEqual([]);
    seen.add(events);
  }
  await writing;
  expect(seen.size).toBeGreaterThan(2);
  await store.close();
  await other.close();
});

test('processes that make the same log at once all get it', async () => {
  const file = join(dir.path, 'deep/down/together.db');
  const openers = Array.from({ length: 4 }, () =>
    spawn(process.execPath, [OPENER, file], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const told = await Promise.all(openers.map(async (opener) => String(await once(opener.stdout, 'data'))));
  expect(told).toEqual(openers.map(() => 'sound\n'));
});
