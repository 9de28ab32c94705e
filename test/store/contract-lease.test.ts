/** What every store promises about leases: one holder at a time, and tokens that only grow. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/engine/ports/store.ts';
import type { ProjectId } from '../../src/kernel/ids.ts';
import { BACKENDS, FACTS, type Fixture, ownerOf, PROJECT } from '../support/stores.ts';
import { Writer } from './writer.ts';

const TTL = 30_000;

describe.each(BACKENDS)('$name: a lease', ({ open }) => {
  let fixture: Fixture;
  let store: Store;
  let other: Store;
  beforeEach(async () => {
    fixture = await open();
    ({ store } = fixture);
    other = await fixture.another();
    await store.openProject(PROJECT, FACTS);
  });
  afterEach(() => fixture.close());

  test('has no owner at first', async () => {
    expect(await store.lease(PROJECT)).toEqual({ token: 0, owner: null, expired: true });
  });

  test('has one holder, and the others learn who', async () => {
    expect(await store.acquire(PROJECT, ownerOf(1), TTL)).toEqual({ type: 'leased', token: 1 });
    expect(await other.acquire(PROJECT, ownerOf(2), TTL)).toEqual({ type: 'held', owner: ownerOf(1) });
    expect(await other.lease(PROJECT)).toEqual({ token: 1, owner: ownerOf(1), expired: false });
  });

  test('is one per project', async () => {
    const neighbour = 'p-other' as ProjectId;
    await store.openProject(neighbour, FACTS);
    await store.acquire(PROJECT, ownerOf(1), TTL);
    expect(await store.acquire(neighbour, ownerOf(2), TTL)).toEqual({ type: 'leased', token: 1 });
  });

  test('is held to the last moment and can be taken over after it', async () => {
    await store.acquire(PROJECT, ownerOf(1), TTL);
    fixture.clock.now += TTL;
    expect(await other.acquire(PROJECT, ownerOf(2), TTL)).toMatchObject({ type: 'held' });
    fixture.clock.now += 1;
    expect(await other.lease(PROJECT)).toMatchObject({ expired: true });
    expect(await other.acquire(PROJECT, ownerOf(2), TTL)).toEqual({ type: 'leased', token: 2 });
  });

  test('that is renewed, or used for an append, lasts on', async () => {
    const writer = await Writer.open(store);
    fixture.clock.now += 50_000;
    expect(await store.renew(PROJECT, writer.token)).toBe(true);
    fixture.clock.now += 50_000;
    await writer.append({ own: [{ stream: 'task/a' }] });
    fixture.clock.now += 50_000;
    expect(await other.acquire(PROJECT, ownerOf(2), TTL)).toMatchObject({ type: 'held' });
  });

  test('of a process that is gone is taken over at once', async () => {
    await store.acquire(PROJECT, ownerOf(1), TTL);
    fixture.dead.add(1);
    expect(await other.lease(PROJECT)).toMatchObject({ expired: true });
    expect(await other.acquire(PROJECT, ownerOf(2), TTL)).toEqual({ type: 'leased', token: 2 });
  });

  test('that was taken over can neither be renewed nor given back by the one who lost it', async () => {
    await store.acquire(PROJECT, ownerOf(1), TTL);
    fixture.clock.now += TTL + 1;
    await other.acquire(PROJECT, ownerOf(2), TTL);
    expect(await store.renew(PROJECT, 1)).toBe(false);
    await store.release(PROJECT, 1);
    expect(await other.lease(PROJECT)).toEqual({ token: 2, owner: ownerOf(2), expired: false });
  });

  test('that was given back is free, is not renewed, and its token is never given out again', async () => {
    const tokens: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const lease = await store.acquire(PROJECT, ownerOf(n), TTL);
      if (lease.type === 'leased') tokens.push(lease.token);
      await store.release(PROJECT, lease.type === 'leased' ? lease.token : 0);
      expect(await store.renew(PROJECT, n + 1)).toBe(false);
    }
    expect(tokens).toEqual([1, 2, 3]);
    expect(await store.lease(PROJECT)).toEqual({ token: 3, owner: null, expired: true });
  });

  test('protects the log: a process that lost it is fenced, and the holder continues where the log ends', async () => {
    const first = await Writer.open(store);
    await first.append({ own: [{ stream: 'task/a' }] });
    fixture.dead.add(1);
    const second = await Writer.open(other, PROJECT, ownerOf(2));
    expect(await store.append(first.batch({ own: [{ stream: 'task/a' }] }))).toEqual({ type: 'fenced' });
    await second.append({ own: [{ stream: 'task/a' }] });
    expect((await store.readLog(PROJECT, 0, 10)).map((event) => event.version)).toEqual([1, 2]);
  });
});
