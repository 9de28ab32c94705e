/** What every store promises, tried on each of them: projects, appends, fences, reads. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkStretch } from '../../src/engine/chain.ts';
import { type Store, StoreError, THIS_HOST } from '../../src/engine/ports/store.ts';
import { GENESIS, sha256 } from '../../src/kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../src/kernel/ids.ts';
import { BACKENDS, everythingIn, FACTS, type Fixture, PROJECT } from '../support/stores.ts';
import { REFUSALS, segmentOf } from './refusals.ts';
import { endOf, Writer } from './writer.ts';

describe.each(BACKENDS)('$name', ({ open }) => {
  let fixture: Fixture;
  let store: Store;
  beforeEach(async () => {
    fixture = await open();
    ({ store } = fixture);
  });
  afterEach(() => fixture.close());

  describe('a project', () => {
    test('may be opened twice; the second time changes nothing', async () => {
      const writer = await Writer.open(store);
      await writer.append({ own: [{ stream: 'task/a' }] });
      const before = await everythingIn(store);
      await store.openProject(PROJECT, FACTS);
      await store.openProject(PROJECT, { ...FACTS, path: '/moved/here' });
      expect(await everythingIn(store)).toEqual(before);
    });

    test('with another first commit is refused, and stays as it was', async () => {
      await store.openProject(PROJECT, FACTS);
      const before = await everythingIn(store);
      const other = store.openProject(PROJECT, { path: '/elsewhere', root: 'b'.repeat(40) });
      await expect(other).rejects.toMatchObject({ name: 'StoreError', code: 'wrong_project', retryable: false });
      expect(await everythingIn(store)).toEqual(before);
      await store.openProject(PROJECT, FACTS);
    });

    test('that was a shallow clone at first is bound to its first commit once that is known', async () => {
      await store.openProject(PROJECT, { path: '/somewhere', root: null });
      await store.openProject(PROJECT, FACTS);
      await store.openProject(PROJECT, { path: '/somewhere', root: null });
      const other = store.openProject(PROJECT, { path: '/somewhere', root: 'b'.repeat(40) });
      await expect(other).rejects.toBeInstanceOf(StoreError);
    });

    test('begins with an empty log', async () => {
      await store.openProject(PROJECT, FACTS);
      const nothing = {
        head: { seq: 0, hash: GENESIS, time: 0 },
        log: [],
        rows: [],
        counts: {},
        live: [],
        histories: [],
      };
      expect(await everythingIn(store)).toMatchObject({ inbox: [], project: nothing, host: nothing });
    });
  });

  describe('an append', () => {
    test('writes several streams and the host in one go, and moves both heads', async () => {
      const writer = await Writer.open(store);
      const own = [{ stream: 'task/a' }, { stream: 'board' }, { stream: 'task/a' }, { stream: 'goal' }];
      const batch = await writer.append({ own, host: [{ stream: 'host' }], closed: ['goal'] });
      const { project, host } = await everythingIn(store);
      expect(project).toMatchObject({ head: endOf(batch.own), log: batch.own.events, live: ['board', 'task/a'] });
      expect(project.rows).toEqual([...batch.own.streams].sort((a, b) => (a.stream < b.stream ? -1 : 1)));
      expect(host).toMatchObject({ head: endOf(segmentOf(batch.host)), log: batch.host?.events, live: ['host'] });
      expect(checkStretch({ seq: 0, hash: GENESIS, time: 0 }, project.log)).toEqual(project.head);
    });

    test('gives back every text as it was written, so that the hashes still fit', async () => {
      const writer = await Writer.open(store);
      const texts = [
        'a\nb\r\n\tc',
        'käse 漢字 🦊 \u2028\u{10ffff}',
        'nul \0 byte',
        'it\'s "quoted" \\n; DROP TABLE',
        'x'.repeat(100_000),
        '',
      ];
      const batch = await writer.append({
        own: texts.map((text) => ({
          stream: 'task/a',
          data: { text, deep: [{ [text.slice(0, 9)]: text }] },
          actor: `operator:${text.slice(0, 9)}`,
        })),
        blobs: texts,
      });
      const log = await store.readLog(PROJECT, 0, 100);
      expect(log).toEqual(batch.own.events);
      expect(checkStretch(batch.own.before, log)).toEqual(await store.head(PROJECT));
      for (const { hash, content } of batch.blobs) expect(await store.blob(hash)).toEqual({ type: 'content', content });
    });

    test('of half a character is stored as something whole that still fits its hash', async () => {
      const writer = await Writer.open(store);
      const half = 'half \ud83e';
      await store.submit(PROJECT, [{ id: half, actor: half, command: { text: half } }]);
      await writer.append({
        own: [{ stream: 'task/a', actor: half, cause: half, trace: half, data: { half } }],
        blobs: [half],
      });
      const { events } = await store.readStream(PROJECT, 'task/a', 1);
      expect(events.map((event) => event.data)).toEqual([{ half }]);
      expect(checkStretch({ seq: 0, hash: GENESIS, time: 0 }, events)).toEqual(await store.head(PROJECT));
      expect(await store.blob(sha256(half) as BlobHash)).toMatchObject({ type: 'content' });
      expect(await store.inbox(PROJECT, 9)).toMatchObject([{ command: { text: half } }]);
    });

    test('of two projects at once moves the host one after the other: the second has to look again', async () => {
      const first = await Writer.open(store);
      const second = await Writer.open(store, 'p-other' as ProjectId);
      const late = second.batch({ own: [{ stream: 'task/a' }], host: [{ stream: 'host' }] });
      await first.append({ own: [{ stream: 'task/a' }], host: [{ stream: 'host' }] });
      expect(await second.send(late)).toEqual({ type: 'conflict', what: 'host' });
      second.hostHead = await store.head(THIS_HOST);
      second.versions.set('host', 1);
      await second.append({ own: [{ stream: 'task/a' }], host: [{ stream: 'host' }] });
      expect((await store.readLog(THIS_HOST, 0, 10)).map((event) => event.version)).toEqual([1, 2]);
      expect(await store.head(PROJECT)).toEqual(first.head);
    });

    test('without events may still answer commands and keep blobs', async () => {
      const writer = await Writer.open(store);
      await store.submit(PROJECT, [{ id: 'c-1', actor: 'operator', command: {} }]);
      const rejection = { code: 'unknown_task', message: 'no task\nof that name' };
      await writer.append({ drained: ['c-1'], receipts: [{ id: 'c-1', seq: 0, rejection }], blobs: ['kept'] });
      expect(await store.head(PROJECT)).toEqual({ seq: 0, hash: GENESIS, time: 0 });
      expect(await store.receipt(PROJECT, 'c-1')).toEqual({ id: 'c-1', seq: 0, rejection });
    });
  });

  describe('an append is refused whole', () => {
    test.each(REFUSALS)('$when', async ({ spoil, expected }) => {
      const writer = await Writer.open(store);
      const command = { id: 'c-1', actor: 'operator', command: { type: 'goal.set' } };
      await store.submit(PROJECT, [command]);
      await writer.append({ own: [{ stream: 'task/a' }, { stream: 'board' }], host: [{ stream: 'host' }] });
      const snapshot = { stream: 'task/a', version: 2, reducer: 1, state: '{}' };
      const answer = { drained: ['c-1'], receipts: [{ id: 'c-1', seq: 4, rejection: null }] };
      const whole = writer.batch({
        ...{ own: [{ stream: 'task/a' }, { stream: 'task/b' }], host: [{ stream: 'host' }] },
        ...{ snapshots: [snapshot], blobs: ['new'], ...answer },
      });
      const spoiled = (await spoil(whole, fixture)) ?? whole;
      const known = { commands: ['c-1'], blobs: [sha256('new') as BlobHash] };
      const before = await everythingIn(store, known);
      expect(await store.append(spoiled)).toEqual(expected);
      expect(await everythingIn(store, known)).toEqual(before);
    });

    test('but a refusal does no harm: the right one goes through after it', async () => {
      const writer = await Writer.open(store);
      const right = writer.batch({ own: [{ stream: 'task/a' }] });
      expect(await store.append({ ...right, token: 99 })).toEqual({ type: 'fenced' });
      expect(await writer.send(right)).toEqual({ type: 'appended' });
    });
  });

  describe('a read', () => {
    test('of a stream gives the newest snapshot and what came after it', async () => {
      const writer = await Writer.open(store);
      const at = (version: number) => ({ stream: 'task/a', version, reducer: 1, state: `{"at":"${version}\n"}` });
      await writer.append({ own: [{ stream: 'task/a' }, { stream: 'board' }], snapshots: [at(1)] });
      const second = await writer.append({ own: [{ stream: 'task/a' }], snapshots: [at(2)] });
      const third = await writer.append({ own: [{ stream: 'board' }, { stream: 'task/a' }, { stream: 'task/a' }] });
      const events = third.own.events.filter((event) => event.stream === 'task/a');
      expect(await store.readStream(PROJECT, 'task/a', 1)).toEqual({ snapshot: at(2), events });
      expect(second.own.events).toHaveLength(1);
    });

    test('ignores a snapshot by another version of the reducer and gives all events', async () => {
      const writer = await Writer.open(store);
      const snapshot = { stream: 'task/a', version: 2, reducer: 1, state: '{}' };
      const batch = await writer.append({ own: [{ stream: 'task/a' }, { stream: 'task/a' }], snapshots: [snapshot] });
      expect(await store.readStream(PROJECT, 'task/a', 2)).toEqual({ snapshot: null, events: batch.own.events });
      expect(await store.readStream(PROJECT, 'task/none', 1)).toEqual({ snapshot: null, events: [] });
    });

    test('of live streams begins with workflows and leaves out what is closed', async () => {
      const writer = await Writer.open(store);
      const names = ['task/b', 'goal', 'workflow/z', 'task/a', 'board', 'workflow/c', 'proposal/p', 'task/closed'];
      await writer.append({ own: names.map((stream) => ({ stream })), closed: ['task/closed'] });
      const live = ['workflow/c', 'workflow/z', 'board', 'goal', 'proposal/p', 'task/a', 'task/b'];
      expect(await store.liveStreams(PROJECT)).toEqual(live);
      await writer.append({ own: [{ stream: 'task/a' }, { stream: 'task/closed' }], closed: ['task/a'] });
      expect(await store.liveStreams(PROJECT)).toEqual([...live.filter((name) => name !== 'task/a'), 'task/closed']);
      const tasks = (await store.rowsNamed(PROJECT, { prefix: 'task/', limit: 9 })).map((row) => [
        row.stream,
        row.version,
        row.live,
      ]);
      expect(tasks).toEqual([
        ['task/a', 2, false],
        ['task/b', 1, true],
        ['task/closed', 2, true],
      ]);
    });

    test('of the log goes page by page, without gaps or repeats', async () => {
      const writer = await Writer.open(store);
      for (let n = 0; n < 5; n += 1) await writer.append({ own: [{ stream: 'task/a' }, { stream: `task/${n}` }] });
      const whole = await store.readLog(PROJECT, 0, 1_000);
      expect(whole.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      const pages = [
        await store.readLog(PROJECT, 0, 4),
        await store.readLog(PROJECT, 4, 4),
        await store.readLog(PROJECT, 8, 4),
      ];
      expect(pages.map((page) => page.length)).toEqual([4, 4, 2]);
      expect(pages.flat()).toEqual(whole);
      expect(await store.readLog(PROJECT, 10, 4)).toEqual([]);
    });
  });
});
