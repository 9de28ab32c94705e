/** OF-17, OF-18 by the command line: each shape of repository works, or is refused with one sentence that says what to do. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { World } from '../support/cli.ts';
import { withOnly } from './limited-machine.ts';
import { digest, refused, run } from './task.ts';

const GATE = ['--gate', 'tests=test -e zz/new.txt'];

/** Git in any directory, as the user runs it. */
function git(world: World, dir: string, ...args: string[]): string {
  return world.git('-C', dir, '-c', 'protocol.file.allow=always', ...args);
}

function clone(world: World, ...args: string[]): string {
  const to = join(world.dir, 'clone');
  git(world, world.dir, 'clone', '-q', ...args, world.repository, to);
  return to;
}

/** The repository made anew, with other flags. */
function remake(world: World, ...flags: string[]): void {
  rmSync(join(world.repository, '.git'), { recursive: true });
  world.git('init', '-q', '-b', 'main', ...flags);
}

/** Makes the shape and returns where a person is when they type `supervisor run`. */
const WORKS: Record<string, (world: World) => { readonly dir: string; readonly onto?: string }> = {
  'a detached HEAD': (world) => {
    world.git('checkout', '-q', '--detach');
    return { dir: world.repository, onto: 'HEAD' };
  },
  'a bare repository': (world) => ({ dir: clone(world, '--bare') }),
  'a shallow clone': (world) => {
    world.commit({ 'more.txt': 'more\n' });
    return { dir: clone(world, '--depth=1', '--no-local') };
  },
  'a subdirectory of a linked worktree': (world) => {
    const side = join(world.dir, 'side');
    world.git('worktree', 'add', '-q', '-b', 'side', side);
    return { dir: join(side, 'src'), onto: 'side' };
  },
  'a submodule as the project': (world) => {
    const outer = join(world.dir, 'outer');
    git(world, world.dir, 'init', '-q', outer);
    git(world, outer, 'submodule', '--quiet', 'add', world.repository, 'inner');
    return { dir: join(outer, 'inner') };
  },
  'SHA-256 objects, a sparse checkout, other line ends, no file modes, long paths': (world) => {
    remake(world, '--object-format=sha256');
    const long = ['d', 'e', 'f'].map((letter) => letter.repeat(200)).join('/');
    world.commit({ 'src/a.txt': 'one\n', 'dos.txt': 'a\r\nb\r\n', 'tool.sh': '#!/bin/sh\n', [long]: 'deep\n' });
    chmodSync(join(world.repository, 'tool.sh'), 0o755);
    world.commit({ '.gitattributes': '* text=auto eol=crlf\n' });
    for (const [name, value] of [
      ['core.autocrlf', 'true'],
      ['core.fileMode', 'false'],
    ] as const)
      world.git('config', name, value);
    world.git('sparse-checkout', 'set', 'src');
    return { dir: world.repository };
  },
  // Git keeps refs in tables from version 2.45 on.
  ...(gitVersion() < 2.45
    ? {}
    : {
        'refs in tables': (world: World) => {
          remake(world, '--ref-format=reftable');
          world.commit({ 'src/a.txt': 'one\n' });
          return { dir: world.repository };
        },
      }),
};

describe.each(Object.keys(WORKS))('%s', (name) => {
  test('an idle worker changes nothing, and a change is exactly that change', async () => {
    using world = new World();
    world.commit({ 'src/a.txt': 'one\n' });
    const { dir, onto = 'main' } = WORKS[name]!(world);
    const before = untouched(world, dir);
    const result = await run(world, [{}, { files: { 'zz/new.txt': 'new\r\n' } }], [...GATE, '--project', dir]);
    expect(result.code, result.stderr + result.stdout).toBe(0);
    const report = JSON.parse(result.stdout) as RunReport;
    expect(report).toMatchObject({ status: 'accepted', onto, steps: [{ attempts: 2 }] });
    expect(git(world, dir, 'diff', '--name-only', `${report.base}`, `${report.branch}`, '--')).toBe('zz/new.txt');
    expect(git(world, dir, 'cat-file', '-p', `${report.branch}:zz/new.txt`)).toBe('new');
    const { stdout } = await world.run(['log', '--project', dir]);
    expect(stdout).toContain('the worker changed nothing');
    const after = untouched(world, dir);
    expect(after).toBe(before);
  });
});

/** Refused before anything of the task runs; what it is told, and with which code. */
const REFUSED: Record<string, readonly [(world: World) => string, number, ...RegExp[]]> = {
  'no commit yet': [
    (world) => {
      remake(world);
      return world.repository;
    },
    5,
    /no commit yet: .*git commit --allow-empty/,
  ],
  'no repository': [(world) => world.home, 5, /is not inside a git repository: run `git init`/],
  'no directory': [(world) => `${world.home}/nowhere`, 5, /there is no directory .*\/nowhere\b/],
  'Git LFS': [
    (world) => {
      world.commit({ 'assets/.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n' });
      return world.repository;
    },
    5,
    /assets\/\.gitattributes keeps files in Git LFS/,
    /git lfs migrate export/,
  ],
  'submodules inside': [
    (world) => {
      git(world, world.repository, 'submodule', '--quiet', 'add', world.repository, 'inner');
      world.commit({});
      return world.repository;
    },
    5,
    /inner is a submodule/,
  ],
  'a partial clone': [
    (world) => {
      world.git('config', 'uploadpack.allowFilter', 'true');
      world.commit({ 'src/a.txt': 'one\n' });
      return clone(world, '--no-local', '--filter=blob:none', '--no-checkout');
    },
    5,
    /partial clone/,
    /git fetch --refetch/,
  ],
};

test.each(Object.keys(REFUSED))('%s: refused, and what to do about it', async (name) => {
  using world = new World();
  const [make, code, ...parts] = REFUSED[name]!;
  const dir = make(world);
  const result = await run(world, [{ files: { 'zz/new.txt': 'x' } }], [...GATE, '--project', dir]);
  refused(result, code, ...parts);
  if (existsSync(join(world.repository, '.git'))) expect(world.git('branch', '--list', 'ai/*')).toBe('');
});

test('no git on the machine: exit 5, and what to install', async () => {
  using world = new World();
  const script = world.file('s.yaml', 'steps: {}\n');
  const result = await withOnly(world, ['sh', 'bwrap', 'setpriv'], ['run', 'x', '--script', script, '--no-gates']);
  refused(result, 5, 'is not installed', 'apt-get install git');
  expect(existsSync(world.state)).toBe(false);
});

test('names that differ only in case, and names of another file system, are reported to the worker; the rest is taken', async () => {
  using world = new World();
  world.commit({ 'src/a.txt': 'one\n' });
  const plays = [
    { files: { 'src/A.txt': 'x\n', 'zz/new.txt': 'x\n' } },
    { files: { 'zz/new.txt': 'x\n', 'zz/aux.': 'x\n', 'b/.GIT/config': 'x\n' } },
    { files: { 'zz/new.txt': 'x\n' } },
  ];
  const result = await run(world, plays, GATE);
  refused(result, 0);
  const report = JSON.parse(result.stdout) as RunReport;
  expect(report.steps).toMatchObject([{ attempts: 3 }]);
  expect(world.git('diff', '--name-only', 'main', `${report.branch}`)).toBe('zz/new.txt');
  const { stdout } = await world.run(['log', report.task_id]);
  expect(stdout).toMatch(/src\/A\.txt[\s\S]*\.GIT/);
});

function gitVersion(): number {
  const [, version = '0'] = /(\d+\.\d+)/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(version);
}

/** What the user has checked out there and staged, if there is a checkout. */
function untouched(world: World, dir: string): string {
  const bare = git(world, dir, 'rev-parse', '--is-bare-repository') === 'true';
  return bare
    ? git(world, dir, 'rev-parse', 'HEAD')
    : `${git(world, dir, 'status', '--porcelain', '-b')}${treeOf(dir)}`;
}

/** Every byte, but for what is git's own. */
function treeOf(dir: string): string {
  const tops = readdirSync(dir, { withFileTypes: true }).filter(({ name }) => name !== '.git');
  return tops
    .map((top) => (top.isDirectory() ? digest(join(dir, top.name)) : readFileSync(join(dir, top.name), 'hex')))
    .join();
}
