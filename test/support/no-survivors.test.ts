/** The check that nothing survives can fail: each kind of trace is seen while it is there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { findPlaces } from '../../src/hands/sandbox/bubblewrap/control-group.ts';
import { eventually } from './cli.ts';
import {
  changedSince,
  descendants,
  endProcesses,
  kill,
  list,
  noteDescendants,
  sandboxGroups,
  sandboxProcesses,
  settled,
  surroundings,
} from './traces.ts';
import { NOT_ROOT, untested } from './untested.ts';

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

test('a process in a directory without a parent is ended; other processes are not', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ended-'));
  const begin = async (script: string, env: Record<string, string> = {}) => {
    const child = spawn('/bin/sh', ['-c', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...env },
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, pid: Number(line.toString()) };
  };
  const orphan = 'setsid sleep 64 >/dev/null & echo $!';
  const byVariable = await begin(orphan, { SUPERVISOR_HOME: join(dir, 'state') });
  const elsewhere = await begin(orphan, { SUPERVISOR_HOME: `${dir.slice(0, -1)}/state` });
  const [started, beside] = [await begin('echo $$; exec sleep 65'), await begin(`echo $$; exec sleep 65 # ${dir}`)];
  const closed = once(started.child, 'close');
  endProcesses(dir, [started.pid]);
  const isThere = ({ pid }: { readonly pid: number }) => list(`/proc/${pid}/fd`).length > 0;
  const all = [byVariable, started, elsewhere, beside];
  expect(all.map(isThere)).toEqual([false, false, true, true]);
  await closed;
  for (const { pid } of [elsewhere, beside]) kill(pid);
  await settled(() => all.filter(isThere).map(({ pid }) => `${pid}`));
  rmdirSync(dir);
});

const sandboxUsers = untested('users of sandboxes', NOT_ROOT);
test.skipIf(sandboxUsers)(
  'a process of a sandbox user is seen, by its origin or by the mark; that of another suite is not counted',
  async () => {
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
  },
);

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
