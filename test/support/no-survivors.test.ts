/** The check that nothing survives can fail: each kind of trace is seen while it is there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { descendants, list, sandboxProcesses, settled } from './traces.ts';

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

test('a process of a sandbox user is seen', async () => {
  // Only root has sandbox users: for anybody else there is nothing to see.
  if (process.getuid?.() !== 0) return expect(sandboxProcesses()).toEqual([]);
  const child = spawn('/bin/sleep', ['62'], { uid: 61_998, gid: 61_998, stdio: 'ignore', cwd: '/' });
  await once(child, 'spawn');
  expect(sandboxProcesses().some((text) => text.includes('sleep 62'))).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'close');
});

test('a temporary directory is seen', () => {
  const dir = join(tmpdir(), 'supervisor-left-over');
  mkdirSync(dir);
  expect(list(tmpdir())).toContain('supervisor-left-over');
  rmdirSync(dir);
});
