/** What every store promises about commands, their answers, and the texts beside the log. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InboxRow, Store } from '../../src/engine/ports/store.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../src/kernel/ids.ts';
import { BACKENDS, FACTS, type Fixture, PROJECT } from '../support/stores.ts';
import { Writer } from './writer.ts';

const row = (id: string, text = id): InboxRow => ({ id, actor: 'operator', command: { type: 'goal.set', text } });
const answered = (id: string, seq = 0) => ({ drained: [id], receipts: [{ id, seq, rejection: null }] });
const hashOf = (content: string) => sha256(content) as BlobHash;

describe.each(BACKENDS)('$name', ({ open }) => {
  let fixture: Fixture;
  let store: Store;
  beforeEach(async () => {
    fixture = await open();
    ({ store } = fixture);
    await store.openProject(PROJECT, FACTS);
  });
  afterEach(() => fixture.close());

  describe('the inbox', () => {
    test('takes commands without a lease and keeps the order they came in', async () => {
      await store.submit(PROJECT, [row('c-9'), row('c-1')]);
      await store.submit(PROJECT, [row('a-5')]);
      expect(await store.inbox(PROJECT, 10)).toEqual([row('c-9'), row('c-1'), row('a-5')]);
    });

    test('keeps its order when what came first was answered and more comes in', async () => {
      const writer = await Writer.open(store);
      await store.submit(PROJECT, [row('c-1'), row('c-2')]);
      await writer.append(answered('c-2'));
      await store.submit(PROJECT, [row('c-3')]);
      expect(await store.inbox(PROJECT, 10)).toEqual([row('c-1'), row('c-3')]);
      await writer.append(answered('c-1'));
      await writer.append(answered('c-3'));
      await store.submit(PROJECT, [row('c-4'), row('c-0')]);
      expect(await store.inbox(PROJECT, 10)).toEqual([row('c-4'), row('c-0')]);
    });

    test('gives at most as many as asked for', async () => {
      await store.submit(PROJECT, [row('c-1'), row('c-2'), row('c-3')]);
      expect(await store.inbox(PROJECT, 2)).toEqual([row('c-1'), row('c-2')]);
      expect(await store.inbox(PROJECT, 0)).toEqual([]);
    });

    test('keeps the first of two commands with one id', async () => {
      await store.submit(PROJECT, [row('c-1', 'first'), row('c-1', 'second')]);
      await store.submit(PROJECT, [row('c-1', 'third')]);
      expect(await store.inbox(PROJECT, 10)).toEqual([row('c-1', 'first')]);
    });

    test('does not take a command again that was answered', async () => {
      const writer = await Writer.open(store);
      await store.submit(PROJECT, [row('c-1')]);
      await writer.append({ own: [{ stream: 'goal' }], ...answered('c-1', 1) });
      await store.submit(PROJECT, [row('c-1'), row('c-2')]);
      expect(await store.inbox(PROJECT, 10)).toEqual([row('c-2')]);
      expect(await store.receipt(PROJECT, 'c-1')).toEqual({ id: 'c-1', seq: 1, rejection: null });
    });

    test('is one per project', async () => {
      const other = 'p-other' as ProjectId;
      await store.openProject(other, FACTS);
      await store.submit(PROJECT, [row('c-1')]);
      await store.submit(other, [row('c-1', 'theirs')]);
      const writer = await Writer.open(store);
      await writer.append(answered('c-1'));
      expect(await store.inbox(PROJECT, 10)).toEqual([]);
      expect(await store.inbox(other, 10)).toEqual([row('c-1', 'theirs')]);
      expect(await store.receipt(other, 'c-1')).toBeNull();
    });

    test('gives the reason why a command was rejected, and null for one without an answer', async () => {
      const writer = await Writer.open(store);
      await store.submit(PROJECT, [row('c-1'), row('c-2')]);
      const receipt = { id: 'c-1', seq: 0, rejection: { code: 'unknown_task', message: 'no task “x”\nhere' } };
      await writer.append({ drained: ['c-1'], receipts: [receipt] });
      expect(await store.receipt(PROJECT, 'c-1')).toEqual(receipt);
      expect(await store.receipt(PROJECT, 'c-2')).toBeNull();
    });

    test('of one handle is seen by another', async () => {
      const other = await fixture.another();
      await other.submit(PROJECT, [row('c-1')]);
      expect(await store.inbox(PROJECT, 10)).toEqual([row('c-1')]);
    });
  });

  // Secrets are taken out before a text comes here: the engine redacts, then hashes, then appends.
  describe('a blob', () => {
    test('is kept once, however often it comes', async () => {
      const writer = await Writer.open(store);
      await writer.append({ blobs: ['the same', 'the same', 'another'] });
      await writer.append({ blobs: ['the same'] });
      expect(await store.blob(hashOf('the same'))).toEqual({ type: 'content', content: 'the same' });
      expect(await store.blob(hashOf('another'))).toEqual({ type: 'content', content: 'another' });
    });

    test('that was never stored is missing, which is an answer and no error', async () => {
      expect(await store.blob(hashOf('never'))).toEqual({ type: 'missing' });
    });

    test('that is forgotten leaves a tombstone with the reason', async () => {
      const writer = await Writer.open(store);
      await writer.append({ blobs: ['a secret', 'no secret'] });
      await store.forgetBlob(hashOf('a secret'), 'held a key\nof the operator');
      expect(await store.blob(hashOf('a secret'))).toEqual({
        type: 'forgotten',
        reason: 'held a key\nof the operator',
      });
      expect(await store.blob(hashOf('no secret'))).toEqual({ type: 'content', content: 'no secret' });
    });

    test('that was forgotten does not come back by being written again', async () => {
      const writer = await Writer.open(store);
      await writer.append({ blobs: ['a secret'] });
      await store.forgetBlob(hashOf('a secret'), 'held a key');
      await writer.append({ blobs: ['a secret'] });
      expect(await store.blob(hashOf('a secret'))).toEqual({ type: 'forgotten', reason: 'held a key' });
    });

    test('that is missing cannot be forgotten, and stays missing', async () => {
      await store.forgetBlob(hashOf('never'), 'just in case');
      expect(await store.blob(hashOf('never'))).toEqual({ type: 'missing' });
    });
  });

  describe('a look-out', () => {
    test('is called soon after another handle wrote', async () => {
      const other = await fixture.another();
      const soon: boolean[] = [];
      for (let n = 0; n < 5; n += 1) {
        let close = () => {};
        const called = new Promise<void>((resolve) => {
          ({ close } = store.watch(resolve));
        });
        await other.submit(PROJECT, [row(`c-${n}`)]);
        // Which of two timers comes first does not depend on how busy the machine is.
        soon.push(await Promise.race([called.then(() => true), sleep(1000, false)]));
        await called;
        close();
      }
      expect(soon).toContain(true);
    });

    test('that was closed is not called any more, and a store can be closed under an open one', async () => {
      const other = await fixture.another();
      let calls = 0;
      const watching = store.watch(() => {
        calls += 1;
      });
      watching.close();
      const later = new Promise<void>((resolve) => {
        store.watch(resolve);
      });
      await other.submit(PROJECT, [row('c-1')]);
      await later;
      expect(calls).toBe(0);
      await store.close();
    });
  });
});
