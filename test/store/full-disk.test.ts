/** OF-04: the disk is full. A real one of 8 MiB, in a mount namespace of its own. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/stores.ts';
import { untested } from '../support/untested.ts';

const PROGRAM = resolve(import.meta.dirname, '../fixtures/programs/append-when-full.ts');
/** Only root may mount; anybody else first becomes root in a user namespace, where the system allows that. */
const FLAGS = process.getuid?.() === 0 ? '-m' : '-Urm';
const dir = temporaryDirectory();
afterAll(() => dir.remove());

function onSmallDisk(command: string): ReturnType<typeof spawnSync> {
  const mount = `mount -t tmpfs -o size=8m tmpfs "$1" && ${command}`;
  return spawnSync('unshare', [FLAGS, 'sh', '-c', mount, 'sh', dir.path, process.execPath, PROGRAM], {
    encoding: 'utf8',
  });
}

type Try = { room: number; first: string; submitted: string; same: boolean; again: string; integrity: string[] };

const possible = onSmallDisk('true').status === 0;

// Without a mount there is no full disk to be had.
const why = possible ? null : 'this system allows no mount in a user namespace';
describe.skipIf(untested('a full disk', why))('OF-04: a full disk', () => {
  const run = possible ? onSmallDisk('exec "$2" "$3" "$1"') : undefined;
  const told = (): { tries: Try[]; fresh: string; later: string } => JSON.parse(String(run?.stdout));

  test('does not end the process', () => {
    expect(run).toMatchObject({ status: 0, signal: null, stderr: '' });
  });

  test('makes an append fail as disk_full until there is room for all of it', () => {
    const firsts = told().tries.map((one) => one.first);
    expect(new Set(firsts)).toEqual(new Set(['disk_full', 'appended']));
    expect(firsts[0]).toBe('disk_full');
    expect(firsts.at(-1)).toBe('appended');
  });

  test('leaves no half transition: head, events, lists, inbox and blobs are as before', () => {
    expect(told().tries.filter((one) => !one.same)).toEqual([]);
  });

  test('refuses commands the same way', () => {
    const submits = told().tries.map((one) => one.submitted);
    expect(new Set(submits)).toEqual(new Set(['disk_full', 'done']));
    expect(submits[0]).toBe('disk_full');
  });

  test('that has room again takes the very same append, and the file is sound', () => {
    expect(told().tries.filter((one) => one.again !== 'appended' || one.integrity.length > 0)).toEqual([]);
  });

  test('a full disk is disk_full too when a log is created, and no obstacle later', () => {
    expect(told()).toMatchObject({ fresh: 'disk_full', later: 'done' });
  });
});
