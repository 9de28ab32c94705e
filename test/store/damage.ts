/** A small, closed log that has a bit of everything in it, and the questions that damage to it must not change in silence. */
import { statSync } from 'node:fs';
import { StoreError, THIS_HOST } from '../../src/engine/ports/store.ts';
import { verifyLog } from '../../src/engine/verify.ts';
import type { SqliteStore } from '../../src/hands/store/sqlite/store.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../src/kernel/ids.ts';
import { everythingIn, openFile, PROJECT } from '../support/stores.ts';
import { recordHistory } from './history.ts';
import { loadedState } from './state.ts';
import { Writer } from './writer.ts';

export const PAGE = 4096;

const KNOWN = {
  commands: ['c-done', 'c-refused', 'c-waiting', 'c-never'],
  blobs: ['a secret', 'tests of t-0 pass', 'never kept'].map((text) => sha256(text) as BlobHash),
};

/** Returns how many pages the file has. */
export async function makeSmallLog(file: string): Promise<number> {
  const store = await openFile(file);
  await recordHistory(store);
  await Writer.open(store, 'p-other' as ProjectId);
  const writer = await Writer.open(store);
  const command = (id: string) => ({ id, actor: 'operator:Zoë', command: { type: 'goal.set', text: `${id}\n🦊` } });
  await store.submit(PROJECT, ['c-done', 'c-refused', 'c-waiting'].map(command));
  await writer.append({
    ...{ blobs: ['a secret'], drained: ['c-done', 'c-refused'] },
    receipts: [
      { id: 'c-done', seq: writer.head.seq, rejection: null },
      { id: 'c-refused', seq: writer.head.seq, rejection: { code: 'no', message: 'not\nnow' } },
    ],
  });
  await store.forgetBlob(KNOWN.blobs[0] as BlobHash, 'held a key');
  await store.release(PROJECT, writer.token);
  await store.close();
  return statSync(file).size / PAGE;
}

export type Look = {
  /** What an engine would go on with, or the error that stopped it. */
  readonly state: string | StoreError;
  /** Everything that can be read, or the error that stopped it. */
  readonly reads: string | StoreError;
  /** What `verify` has to say. */
  readonly reported: readonly string[];
};

/** Opens, loads, reads and verifies, as far as each of them gets. Any error that is not a StoreError is thrown on. */
export async function lookAt(file: string): Promise<Look> {
  const store = await openFile(file, { patienceMs: 0 }).catch(onlyStoreError);
  if (store instanceof StoreError) return { state: store, reads: store, reported: [store.message] };
  try {
    const state = await loadedState(store).catch(onlyStoreError);
    const reads = await everythingIn(store, KNOWN).then(JSON.stringify, onlyStoreError);
    return { state, reads, reported: await reportsOf(store) };
  } finally {
    await store.close();
  }
}

/** What damage did without anybody being told; empty when all is as it should be. */
export function silentHarm(before: Look, after: Look): string[] {
  const harm: string[] = [];
  if (!(after.state instanceof StoreError) && after.state !== before.state) harm.push('a load gives another state');
  if (after.state instanceof StoreError && !REFUSALS.includes(after.state.code))
    harm.push(`a load ends with ${after.state}`);
  const changed = after.reads instanceof StoreError || after.reads !== before.reads;
  if (changed && after.reported.length === 0) harm.push('an answer has changed, and verify says nothing');
  return harm;
}

/** `unsupported`: the number that was hit is that of the schema. `read_only`: that of the file format. */
const REFUSALS: readonly string[] = ['corrupt', 'unsupported', 'read_only'];

async function reportsOf(store: SqliteStore): Promise<string[]> {
  const chain = [PROJECT, THIS_HOST].map(async (boundary) => {
    const { findings } = await verifyLog(store, boundary as ProjectId, []);
    return findings.map((finding) => finding.problem);
  });
  const reports = [...chain, store.integrity().then((lines) => [...lines])];
  const told = await Promise.all(reports.map((report) => report.catch((error) => [onlyStoreError(error).message])));
  return told.flat();
}

export function onlyStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  throw error;
}
