/** What the index of a checkout says of a tree is what git says of it; where it could be otherwise, git is asked. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

  /** Changed, with a hash that is right again. */
  function forged(repo: Repository, change: (index: Buffer) => Buffer): void {
    const file = join(repo.dir, '.git/index');
    const body = change(readFileSync(file).subarray(0, -20));
    writeFileSync(file, Buffer.concat([body, createHash('sha1').update(body).digest()]));
  }
  const at = (offset: number, value: number, size: 1 | 2 | 4) => (index: Buffer) => {
    index.writeUIntBE(value, offset, size);
    return index;
  };
  const extended = (name: string, data: Buffer) => (index: Buffer) => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32BE(data.length, 4);
    return Buffer.concat([index, head, data]);
  };
  /** The note of which tree it is, with another text in it. */
  const noted = (from: string, to: string) => (index: Buffer) => {
    const tree = index.indexOf('TREE');
    const found = index.indexOf(from, tree);
    expect(found).toBeGreaterThan(tree);
    index.write(to, found, 'latin1');
    return index;
  };
  const [FIRST, FLAGS, NAME] = [12, 12 + 60, 12 + 62];

  test('nothing about that is due to how they are forged', async () => {
    const repo = own({ 'a.txt': '1', 'dir/c.txt': '3' });
    const right = (await indexed(repo))?.files;
    forged(repo, extended('UNKN', Buffer.from('something')));
    expect((await indexed(repo))?.files).toEqual(right);
    forged(repo, at(FIRST + 36, 7, 4));
    expect((await indexed(repo))?.get('a.txt')?.bytes).toBe(7);
  });

  test.each([
    ['another version', at(4, 5, 4)],
    ['more files than it has room for', at(8, 0xffff_ffff, 4)],
    ['fewer files than its tree', at(8, 1, 4)],
    ['a file in conflict', at(FLAGS, 0x1005, 2)],
    ['a folder as a file', at(FIRST + 24, 0o040000, 4)],
    ['a file that is called like a folder', at(NAME + 4, '/'.charCodeAt(0), 1)],
    ['files that are not in order', at(NAME, 'z'.charCodeAt(0), 1)],
    ['one name twice', (index: Buffer) => at(NAME, 0, 1)(at(FLAGS, 0, 2)(index))],
    ['a part that has to be understood', extended('link', Buffer.alloc(20))],
    ['a tree of which git does not know all entries', noted('2 1\n', '1 1\n')],
    ['an empty tree below', noted('dir\x001 0\n', 'dir\x000 0\n')],
    ['fewer trees below than are told', noted('2 1\n', '2 2\n')],
  ])('for one of %s, whatever its hash', async (_, change) => {
    const repo = own({ 'a.txt': '1', 'dir/c.txt': '3' });
    const tree = headOf(repo);
    forged(repo, change);
    expect(await indexed(repo, tree)).toBeNull();
  });

  /** Version 4: each entry tells how much of the name before it is dropped, and what follows. */
  function shortened(names: readonly { readonly drop: number; readonly more: string }[]): Buffer {
    const head = Buffer.from(`DIRC\0\0\0\x04\0\0\0\0`, 'latin1');
    head.writeUInt32BE(names.length, 8);
    const entries = names.map(({ drop, more }) => {
      const entry = Buffer.alloc(62);
      entry.writeUInt32BE(0o100644, 24);
      return Buffer.concat([entry, Buffer.from([drop]), Buffer.from(`${more}\0`, 'latin1')]);
    });
    return Buffer.concat([head, ...entries]);
  }

  test('for one whose names are far longer than itself, or begin before they begin', async () => {
    const repo = own({ 'a.txt': '1' });
    const tree = headOf(repo);
    const begin = { drop: 0, more: 'n'.repeat(8000) };
    const longer = Array.from({ length: 300 }, () => ({ drop: 0, more: 'x' }));
    for (const names of [[begin, ...longer], [{ drop: 1, more: 'x' }]]) {
      forged(repo, () => shortened(names));
      expect(await indexed(repo, tree)).toBeNull();
    }
    // 140 MB of names, in 1.2 MB.
    const counted = (n: number) => [n / 676, n / 26, n].map((one) => String.fromCharCode(97 + (one % 26))).join('');
    const many = Array.from({ length: 26 ** 3 }, (_, n) => ({ drop: n === 0 ? 0 : 3, more: counted(n) }));
    forged(repo, () => shortened([begin, ...many]));
    const module = join(import.meta.dirname, '../../src/hands/context/tree-index.ts');
    const program = `import { indexedFiles } from ${JSON.stringify(module)};
      console.log(indexedFiles(${JSON.stringify(repo.dir)}, '${tree}'));`;
    const small = ['--max-old-space-size=100', '--input-type=module', '-e', program];
    expect(spawnSync(process.execPath, small, { encoding: 'utf8' }).stdout).toBe('null\n');
  });

  test('when most sizes are not known', async () => {
    const repo = own({ 'a.txt': '1' });
    const lines = Array.from({ length: 2001 }, (_, n) => `100644 ${n.toString(16).padStart(40, '1')}\tf${n}\n`);
    repo.feed(lines.slice(1).join(''), 'update-index', '--index-info');
    const few = repo.git('write-tree', '--missing-ok');
    expect((await indexed(repo, few))?.paths).toHaveLength(2001);
    repo.feed(lines.join(''), 'update-index', '--index-info');
    expect(await indexed(repo, repo.git('write-tree', '--missing-ok'))).toBeNull();
  });

  test.runIf(process.getuid?.() === 0)('by root, for a checkout of somebody else', async () => {
    const repo = own({ 'a.txt': '1' });
    const tree = headOf(repo);
    chownSync(repo.dir, 65534, 65534);
    expect(await indexed(repo, tree)).toBeNull();
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

test('a file that is small on disk and large in git is not read where it is too large', async () => {
  const large = `$Id:${'a'.repeat(17 << 20)}$\n`;
  const repo = own({ 'f.txt': large, 'g.md': 'small' });
  rmSync(join(repo.dir, 'f.txt'));
  repo.put({ '.gitattributes': '*.txt ident\n' });
  repo.git('add', '.gitattributes');
  repo.git('commit', '-q', '-m', 'attributes');
  repo.git('checkout', '-q', '--', 'f.txt');
  const tree = await repo.tree(repo.dir);
  expect((await tree.listing()).get('f.txt')?.bytes).toBeLessThan(100);
  expect(textsOf(await tree.read(['f.txt', 'g.md'], 1000))).toEqual([null, 'small']);
  expect([...(await scanned(tree)).keys()].toSorted()).toEqual(['.gitattributes', 'g.md']);
  expect((await tree.read(['f.txt'], 1 << 30))[0]?.length).toBe(large.length);
  expect(textsOf(await tree.read(['f.txt'], 1000)), 'also when it is known').toEqual([null]);
});
