/** Projections are the log, seen from one side: written with it, and always to be had from it again. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Store, THIS_HOST } from '../../src/engine/ports/store.ts';
import { projectionsOf } from '../../src/engine/rebuild.ts';
import { verifyLog } from '../../src/engine/verify.ts';
import { allRows, BACKENDS, type Fixture, PROJECT } from '../support/stores.ts';
import { oneMore, recordHistory } from './history.ts';
import { loadedState } from './state.ts';

describe.each(BACKENDS)('$name: the projections', ({ open }) => {
  let fixture: Fixture;
  let store: Store;
  beforeEach(async () => {
    fixture = await open();
    ({ store } = fixture);
    await recordHistory(store);
  });
  afterEach(() => fixture.close());

  test('change with every append', async () => {
    const before = [await store.row(PROJECT, 'goal')];
    await oneMore(store, 'another goal');
    const after = [await store.row(PROJECT, 'goal')];
    expect([before, after]).toMatchObject([[{ stream: 'goal', version: 1 }], [{ stream: 'goal', version: 2 }]]);
  });

  test.each([PROJECT, THIS_HOST])('of %s are what the log gives', async (boundary) => {
    const rows = await allRows(store, boundary);
    expect(rows.length).toBeGreaterThan(0);
    expect(await projectionsOf(store, boundary)).toEqual(rows);
  });

  test('that got lost come back from the log, and a load gives the same state as before', async () => {
    const before = {
      rows: await allRows(store, PROJECT),
      live: await store.liveStreams(PROJECT),
      state: await loadedState(store),
    };
    await store.rebuild(PROJECT, []);
    expect(await allRows(store, PROJECT)).toEqual([]);
    await store.rebuild(PROJECT, await projectionsOf(store, PROJECT));
    const after = {
      rows: await allRows(store, PROJECT),
      live: await store.liveStreams(PROJECT),
      state: await loadedState(store),
    };
    expect(after).toEqual(before);
    expect((await verifyLog(store, PROJECT, [])).findings).toEqual([]);
    await oneMore(store, 'and it goes on');
    expect((await verifyLog(store, PROJECT, [])).findings).toEqual([]);
  });

  test('of an empty log are none', async () => {
    const empty = await open();
    expect(await projectionsOf(empty.store, THIS_HOST)).toEqual([]);
    expect(await verifyLog(empty.store, THIS_HOST, [])).toMatchObject({ events: 0, findings: [] });
    await empty.close();
  });
});
