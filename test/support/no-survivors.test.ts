/** The check that nothing survives can fail: each kind of trace is seen while it is there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { findPlaces } from '../../src/hands/sandbox/bubblewrap/control-group.ts';
import { eventually } from './cli.ts';
import {
  changedSince,
  descendants,
  list,
  noteDescendants,
  sandboxGroups,
  sandboxProcesses,
  settled,
  surroundings,
} from './traces.ts';

test('a process that goes on is seen, its grandchild too', async () => {
  const child = spawn('/bin/sh', ['-c', 'setsid sleep 61 & echo go; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const seen = descendants(process.pid).filter((text) => text.includes('sleep 61'));
  expect(seen.length).toBeGreaterThan(0);
  for (const text of seen) process.kill(Number(text.split(' ')[0]), 'SIGKILL');
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(await settled(() => descendants(process.pid).filter((text) => text.includes('sleep 61')))).toEqual([]);
});

test('a process of a sandbox user is seen, by its origin or by the mark; that of another suite is not counted', async () => {
  // Only root has sandbox users: for anybody else there is nothing to see.
  if (process.getuid?.() !== 0) return expect(sandboxProcesses('supervisor')).toEqual([]);
  const seen = (mark: string) => sandboxProcesses(mark).filter((text) => text.includes('sleep 62'));
  const child = spawn('/bin/sleep', ['62'], { uid: 61_998, gid: 61_998, stdio: 'ignore', cwd: '/' });
  await once(child, 'spawn');
  expect(seen('no such mark')).toHaveLength(1);
  child.kill('SIGKILL');
  await once(child, 'close');

  // Its parent is gone, as after a kill of Supervisor: nothing but its mounts says where it came from.
  const sleeper = 'exec setpriv --reuid 61998 --regid 61998 --clear-groups sleep 62';
  const script = `setsid unshare --mount sh -c 'mount --bind "$0" /mnt && ${sleeper}' "$0" >/dev/null 2>&1 &`;
  await once(spawn('/bin/sh', ['-c', script, tmpdir()], { stdio: 'inherit' }), 'exit');
  await eventually(() => seen(basename(tmpdir())).length > 0, 'it is seen by the mark');
  expect(seen('supervisor-of-another-suite')).toEqual([]);
  for (const text of seen(basename(tmpdir()))) process.kill(Number(text.split(' ')[0]), 'SIGKILL');
  expect(await settled(() => seen(basename(tmpdir())))).toEqual([]);
});

test('a control group is seen when a process of this suite made it, also when that is dead; no other is', async () => {
  const makers = new Set<number>();
  const child = spawn('/bin/sh', ['-c', 'sleep 63 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const grandchild = Number(line.toString());
  noteDescendants(makers);
  process.kill(grandchild, 'SIGKILL');
  await once(child, 'close');
  expect([...makers]).toEqual(expect.arrayContaining([process.pid, child.pid, grandchild]));
  // Only root can make some, and not everywhere.
  const [dir] = Object.values(findPlaces().at);
  if (dir === undefined) return expect(sandboxGroups(makers)).toEqual([]);
  for (const [maker, isSeen] of [
    [process.pid, true],
    [grandchild, true],
    [process.ppid, false],
  ] as const) {
    const group = join(dir, `supervisor-sandbox-${maker}-left-over`);
    mkdirSync(group);
    try {
      expect(sandboxGroups(makers).includes(group)).toBe(isSeen);
    } finally {
      rmdirSync(group);
    }
  }
});

test('a temporary directory is seen', () => {
  const dir = join(tmpdir(), 'supervisor-left-over');
  mkdirSync(dir);
  expect(list(tmpdir())).toContain('supervisor-left-over');
  rmdirSync(dir);
});

test('a variable and a directory that are not put back are seen', () => {
  const [before, directory] = [surroundings(), process.cwd()];
  process.env['LEFT_BEHIND'] = 'yes';
  process.chdir(tmpdir());
  expect(changedSince(before)).toEqual(['the directory', 'LEFT_BEHIND']);
  process.chdir(directory);
  delete process.env['LEFT_BEHIND'];
  expect(changedSince(before)).toEqual([]);
});
