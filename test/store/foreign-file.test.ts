/** Files that are not ours to write to: of a newer Supervisor, of another program, on a disk that loses data, or not there. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { loadProject } from '../../src/engine/loading.ts';
import { StoreError } from '../../src/engine/ports/store.ts';
import { networkDisk } from '../../src/hands/store/sqlite/open.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { BlobHash } from '../../src/kernel/ids.ts';
import { FACTS, openFile, PROJECT, temporaryDirectory } from '../support/stores.ts';
import { Writer } from './writer.ts';

const dir = temporaryDirectory();
afterAll(() => dir.remove());
const fileOf = (name: string): string => join(dir.path, name);

async function made(name: string): Promise<string> {
  const store = await openFile(fileOf(name));
  await store.close();
  return fileOf(name);
}

function exec(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

async function refusal(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof StoreError) return error;
  throw new Error(`not refused: ${error}`);
}

describe('a log is refused', () => {
  test('when its schema is newer: upgrade', async () => {
    const file = await made('newer.db');
    exec(file, 'PRAGMA user_version = 99');
    const before = readFileSync(file);
    for (const readOnly of [false, true]) {
      const { code, message } = await refusal(openFile(file, { readOnly }));
      expect({ code, message }).toEqual({
        code: 'unsupported',
        message: expect.stringMatching(/written by a newer Supervisor.*upgrade this one$/),
      });
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('when it holds an event this version does not know: upgrade', async () => {
    const store = await openFile(fileOf('event.db'));
    const writer = await Writer.open(store);
    await writer.append({ own: [{ stream: 'board', type: 'board.rearranged.7' }] });
    const { code, message } = await refusal(loadProject(store, PROJECT));
    expect({ code, message }).toEqual({
      code: 'unsupported',
      message:
        'event 1 is of type board.rearranged.7, which this version does not know: the log was written by a newer Supervisor, upgrade this one',
    });
    await store.close();
  });

  test('when it is a database of another program, which is left as it is', async () => {
    const file = fileOf('other.db');
    exec(file, 'CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)');
    const before = readFileSync(file);
    expect((await refusal(openFile(file))).code).toBe('corrupt');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('when it is no database at all, which is left as it is', async () => {
    const file = fileOf('text.db');
    writeFileSync(file, 'dear diary\n'.repeat(500));
    expect((await refusal(openFile(file))).code).toBe('corrupt');
    expect(readFileSync(file, 'utf8')).toBe('dear diary\n'.repeat(500));
  });

  test('when it shall only be read and is not there, or is empty', async () => {
    expect((await refusal(openFile(fileOf('none.db'), { readOnly: true }))).message).toMatch(
      /there is no log at .*none\.db yet/,
    );
    writeFileSync(fileOf('empty.db'), '');
    expect((await refusal(openFile(fileOf('empty.db'), { readOnly: true }))).message).toMatch(
      /there is no log at .*empty\.db yet/,
    );
  });

  test('when something is written to it that was opened for reading', async () => {
    const file = await made('reading.db');
    const store = await openFile(file, { readOnly: true });
    expect((await refusal(store.openProject(PROJECT, FACTS))).code).toBe('read_only');
    expect(await store.integrity()).toEqual([]);
    await store.close();
  });

  test('when its directory cannot be made', async () => {
    const closed = fileOf('closed');
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    writeFileSync(fileOf('plain'), '');
    const error = await openFile(join(fileOf('plain'), 'log.db')).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    // Root may write anywhere.
    if (process.getuid?.() !== 0) expect((await refusal(openFile(join(closed, 'x/log.db')))).code).toBe('read_only');
  });
});

test.each([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xff534d42 | 0, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9p'],
  [0xef53, undefined],
  [0x01021994, undefined],
  [0x9123683e, undefined],
])('OF-09: a disk of type %i is a network disk or not: %s', (type, kind) => {
  expect(networkDisk(type)).toBe(kind);
});

test.each([
  { size: 'small', padding: '' },
  { size: 'large', padding: 'and longer '.repeat(2_000) },
])('a $size blob that was forgotten is gone from the files too', async ({ size, padding }) => {
  const file = fileOf(`forgotten-${size}.db`);
  const secret = `${padding}the-secret-itself`;
  const store = await openFile(file);
  const writer = await Writer.open(store);
  await writer.append({ own: [{ stream: 'task/a' }], blobs: ['before', secret, 'after'] });
  for (let n = 0; n < 20; n += 1)
    await writer.append({ own: [{ stream: 'task/a' }], blobs: [`another ${n} ${'x'.repeat(300)}`] });
  await store.forgetBlob(sha256(secret) as BlobHash, 'it was a secret');
  for (const suffix of ['', '-wal']) expect(readFileSync(`${file}${suffix}`).includes('the-secret-itself')).toBe(false);
  expect(await store.integrity()).toEqual([]);
  await store.close();
});
