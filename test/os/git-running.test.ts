/** A search for leftovers of a killed git waits until that git is gone. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitForGitsIn } from '../../src/os/git/running.ts';
import { eventually } from '../support/cli.ts';

test('a git that works in a directory is waited for, also by another name of it; one elsewhere, and a reader, are not', async () => {
  const root = mkdtempSync(join(tmpdir(), 'running-'));
  const [here, elsewhere, link] = ['here', 'elsewhere', 'link'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const dir of [here, elsewhere]) mkdirSync(dir);
  symlinkSync(here, link);
  const begun = async (...args: string[]) => {
    const child = spawn('git', args, { stdio: ['pipe', 'ignore', 'ignore'] });
    await eventually(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'git\n', 'it is git');
    return child;
  };
  const writer = await begun('-C', here, 'hash-object', '--stdin');
  await eventually(() => !waitForGitsIn(link, 0), 'it is in its directory');
  expect(waitForGitsIn(here, 20)).toBe(false);
  expect(waitForGitsIn(elsewhere, 0)).toBe(true);
  writer.kill('SIGKILL');
  await once(writer, 'exit');
  expect(waitForGitsIn(here, 1000)).toBe(true);
  execFileSync('git', ['-C', here, 'init', '-q']);
  const reader = await begun('-C', here, 'cat-file', '--batch');
  expect(waitForGitsIn(here, 0)).toBe(true);
  reader.stdin?.end();
  await once(reader, 'exit');
  rmSync(root, { recursive: true });
});
