/** The git wrapper: programs that a repository's own configuration names are not run. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { git, streamGit, tryGit } from '../../src/os/git/git.ts';
import { locateCommonDir } from '../../src/os/git/locate.ts';
import { readRepository } from '../../src/os/git/repository.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'supervisor-git-'));
  plain('init', '-q', '-b', 'main', '.');
  plain('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-q', '--allow-empty', '-m', 'first');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Git as a person would call it. */
const plain = (...args: string[]): string =>
  execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', HOME: dir } });

function hostileProgram(): string {
  const program = join(dir, 'evil.sh');
  writeFileSync(program, `#!/bin/sh\ntouch "${join(dir, 'breach')}"\n`);
  chmodSync(program, 0o755);
  return program;
}

describe.each([
  ['core.fsmonitor', (): void => void plain('config', 'core.fsmonitor', hostileProgram()), ['status']],
  [
    'core.hooksPath',
    (): void => {
      writeFileSync(
        join(dir, '.git', 'hooks', 'reference-transaction'),
        `#!/bin/sh\ntouch "${join(dir, 'breach')}"\n`,
        { mode: 0o755 },
      );
    },
    ['update-ref', 'refs/heads/x', 'HEAD'],
  ],
] as const)('a repository whose %s names a program', (_name, plant, command) => {
  test('runs it under plain git (positive control)', () => {
    plant();
    plain(...command);
    expect(existsSync(join(dir, 'breach'))).toBe(true);
  });
  test('does not run it under the wrapper', async () => {
    plant();
    await git(command, { dir });
    expect(existsSync(join(dir, 'breach'))).toBe(false);
  });
});

test('the repository is found without git, and both agree: plain, in a subdirectory, in a worktree, bare', async () => {
  const asGit = async (at: string) => {
    const { stdout } = await tryGit(['rev-parse', '--path-format=absolute', '--git-common-dir'], { dir: at });
    return stdout.trim();
  };
  plain('worktree', 'add', '-q', '--detach', join(dir, 'side'));
  plain('clone', '-q', '--bare', '.', join(dir, 'bare.git'));
  for (const at of [dir, join(dir, '.git'), join(dir, 'side'), join(dir, 'bare.git')]) {
    if (at !== join(dir, '.git')) expect(locateCommonDir(at)).toBe(await asGit(at));
  }
  expect(locateCommonDir('/')).toBe(null);
});

test('a repository tells its first commit, head and branch; a detached head has no branch', async () => {
  const head = plain('rev-parse', 'HEAD').trim();
  expect(await readRepository(dir)).toMatchObject({ root: head, head, branch: 'main' });
  plain('checkout', '-q', '--detach');
  expect(await readRepository(dir)).toMatchObject({ branch: null, head });
});

test('a repository that git refuses is an error with git’s own reason', async () => {
  await expect(readRepository('/')).rejects.toThrow('not a git repository');
});

test('output that is streamed comes byte for byte, until it is enough', async () => {
  const bytes = Buffer.from([0xff, 0, 10, 0xe9]);
  writeFileSync(join(dir, 'file'), bytes);
  execFileSync('git', ['-C', dir, 'add', '-A']);
  const call = { dir, input: ':file\n' };
  const pieces: Buffer[] = [];
  const whole = await streamGit(['cat-file', '--batch'], call, (piece) => pieces.push(piece) > 0);
  expect(whole).toMatchObject({ code: 0, ended: 'exit' });
  expect(Buffer.concat(pieces).subarray(-5)).toEqual(Buffer.concat([bytes, Buffer.from('\n')]));
  expect((await streamGit(['cat-file', '--batch'], call, () => false)).ended).toBe('enough');
});
