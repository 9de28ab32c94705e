/** What the index of a checkout says of a tree is what git says of it; where it could be otherwise, git is asked. */
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { inRepository } from '../../src/hands/context/tree-git.ts';
import { listIndexed, listTree } from '../../src/hands/context/tree-listing.ts';
import { type Repository, repository, scanned, textsOf } from './tree-repository.ts';

const made: Repository[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.end();
});
function own(files: Readonly<Record<string, string>> = {}, ...init: string[]): Repository {
  const repo = repository(files, ...init);
  made.push(repo);
  return repo;
}
const callOf = (repo: Repository) => inRepository(join(repo.dir, '.git'));
const headOf = (repo: Repository) => repo.git('rev-parse', 'HEAD^{tree}');
const indexed = (repo: Repository, tree = headOf(repo), worktree = repo.dir) =>
  listIndexed(worktree, tree, callOf(repo));
const told = (repo: Repository) => listTree(headOf(repo), callOf(repo));
/** Nothing but the index can be asked. */
const hideObjects = (repo: Repository) => renameSync(join(repo.dir, '.git/objects'), join(repo.root, 'objects'));

function odd(...init: string[]): Repository {
  const repo = own(
    {
      'a.txt': 'one\n',
      'a/b/c.ts': 'x'.repeat(5000),
      'a/b/cd.ts': '',
      'a/b.ts': '1',
      'docs/Überblick.md': 'ü',
      [`long/${'n'.repeat(200)}/${'m'.repeat(200)}.txt`]: 'long',
    },
    ...init,
  );
  symlinkSync('a.txt', join(repo.dir, 'link'));
  writeFileSync(join(repo.dir, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const blob = repo.feed('not UTF-8\n', 'hash-object', '-w', '--stdin');
  repo.commit('second');
  repo.feed(Buffer.from(`100644 ${blob}\tbad-\xff.txt\0`, 'latin1'), 'update-index', '-z', '--index-info');
  repo.git('update-index', '--add', '--cacheinfo', `160000,${repo.git('rev-parse', 'HEAD')},module`);
  repo.git('commit', '-q', '-m', 'third');
  return repo;
}

describe.each([['sha1'], ['sha256']])('a %s repository', (format) => {
  test.each([['2'], ['3'], ['4']])('its index of version %s tells what git does, without git', async (version) => {
    const repo = odd(`--object-format=${format}`);
    repo.git('update-index', '--index-version', version);
    // A flag that takes a longer entry, which version 2 has no room for.
    if (version !== '2') repo.git('update-index', '--skip-worktree', 'a.txt');
    repo.git('write-tree');
    const right = await told(repo);
    const tree = headOf(repo);
    expect(right.paths).toContain('docs/Überblick.md');
    expect(right.paths).not.toContain('module');
    const file = join(repo.dir, '.git/index');
    expect(readFileSync(file).readUInt32BE(4)).toBe(Number(version));
    // The size of a file that was never looked at: git tells it.
    expect((await indexed(repo))?.files).toEqual(right.files);
    repo.git('checkout', '-q', '--', 'bad-*');
    repo.git('write-tree');
    hideObjects(repo);
    expect((await indexed(repo, tree))?.files).toEqual(right.files);
  });
});

test('the longest name, and one that only a version 4 cuts far back', async () => {
  const deep = Array.from({ length: 30 }, (_, n) => `${n}`.repeat(100).slice(0, 150)).join('/');
  const repo = own({ 'a.txt': '1' });
  const blob = repo.feed('1', 'hash-object', '-w', '--stdin');
  repo.feed(`100644 ${blob}\t${deep}\n100644 ${blob}\tz\n`, 'update-index', '--index-info');
  repo.git('commit', '-q', '-m', 'deep');
  for (const version of ['2', '4']) {
    repo.git('update-index', '--index-version', version);
    expect((await indexed(repo))?.files).toEqual((await told(repo)).files);
  }
});

test('another checkout of the repository has its own index', async () => {
  const repo = own({ 'a.txt': '1' });
  const other = join(repo.root, 'other');
  repo.git('worktree', 'add', '-q', '-b', 'side', other);
  repo.put({ 'b.txt': '2' });
  repo.commit();
  expect((await indexed(repo))?.paths).toEqual(['a.txt', 'b.txt']);
  expect(await indexed(repo, headOf(repo), other)).toBeNull();
  expect((await indexed(repo, repo.git('rev-parse', 'side^{tree}'), other))?.paths).toEqual(['a.txt']);
});

function added(repo: Repository, ...how: string[]): void {
  repo.put({ 'b.txt': '2' });
  repo.git('add', ...how, 'b.txt');
}

/** As newer gits do with `index.skipHash`. */
function withoutHash(repo: Repository): void {
  const file = join(repo.dir, '.git/index');
  const index = readFileSync(file);
  writeFileSync(file, index.fill(0, index.length - 20));
  expect(repo.git('ls-files')).toContain('a.txt');
}

describe('git is asked', () => {
  const CHANGES: [string, (repo: Repository) => void][] = [
    ['when something was added', (repo) => added(repo)],
    ['when something will be', (repo) => added(repo, '-N')],
    ['when something was removed', (repo) => repo.git('rm', '-q', '--cached', 'a.txt')],
    ['when the index is in two files', (repo) => repo.git('update-index', '--split-index')],
    ['when it has folders instead of files', (repo) => repo.git('sparse-checkout', 'set', '--sparse-index', 'dir')],
    ['when there is none', (repo) => rmSync(join(repo.dir, '.git/index'))],
    ['when its hash was left out', withoutHash],
    ['when it is no checkout', (repo) => rmSync(join(repo.dir, '.git'), { recursive: true })],
    [
      'when two sides are in conflict',
      (repo) => {
        repo.git('checkout', '-q', '-b', 'side');
        repo.put({ 'a.txt': 'theirs' });
        repo.commit();
        repo.git('checkout', '-q', 'main');
        repo.put({ 'a.txt': 'ours' });
        repo.commit();
        expect(() => repo.git('merge', '-q', 'side')).toThrow();
      },
    ],
  ];
  test.each(CHANGES)('%s', async (_, change) => {
    const repo = own({ 'a.txt': '1', 'dir/c.txt': '3', 'far/d.txt': '4' });
    const tree = headOf(repo);
    expect((await indexed(repo, tree))?.paths).toHaveLength(3);
    change(repo);
    expect(await indexed(repo, tree)).toBeNull();
  });

  test('for another tree than the one of the index', async () => {
    const repo = own({ 'a.txt': '1' });
    const first = headOf(repo);
    repo.put({ 'b.txt': '2' });
    repo.commit();
    expect(await indexed(repo, first)).toBeNull();
    const trees = repo.trees(repo.dir);
    for (const [commit, paths] of [
      ['HEAD~1', ['a.txt']],
      ['HEAD', ['a.txt', 'b.txt']],
    ] as const)
      expect((await (await trees.open(repo.git('rev-parse', commit))).listing()).paths).toEqual(paths);
  });

  test('when a byte was changed or the end is cut off', async () => {
    const repo = own({ 'a.txt': '1', 'dir/c.txt': '3' });
    const tree = headOf(repo);
    const file = join(repo.dir, '.git/index');
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 1;
      for (const bytes of [damaged, whole.subarray(0, at)]) {
        writeFileSync(file, bytes);
        expect(await indexed(repo, tree)).toBeNull();
      }
    }
    writeFileSync(file, whole);
    expect((await indexed(repo, tree))?.paths).toHaveLength(2);
  });

  test('and a pipe in its place holds nobody up', async () => {
    const repo = own({ 'a.txt': '1' });
    const tree = headOf(repo);
    const file = join(repo.dir, '.git/index');
    rmSync(file);
    spawnSync('mkfifo', [file]);
    expect(spawnSync('timeout', ['0.3', 'cat', file]).status).toBe(124);
    expect(await indexed(repo, tree)).toBeNull();
  });
});

test('where git converts files on checkout, sizes are those on disk and contents those of git', async () => {
  const repo = own({ 'a.txt': 'one\ntwo\n', 'plain.bin': 'x' });
  repo.git('config', 'core.autocrlf', 'true');
  rmSync(join(repo.dir, 'a.txt'));
  repo.git('checkout', '-q', '--', 'a.txt');
  expect(readFileSync(join(repo.dir, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
  const tree = await repo.tree(repo.dir);
  expect((await tree.listing()).get('a.txt')?.bytes).toBe(10);
  expect(textsOf(await tree.read(['a.txt', 'plain.bin'], 100))).toEqual(['one\ntwo\n', 'x']);
  expect((await scanned(tree)).get('a.txt')).toBe('one\ntwo\n');
});
