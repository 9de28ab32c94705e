/** Trees are read as git has them: files, contents, history and differences. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MAX_HISTORY } from '../../src/mind/context/limits.ts';
import { pathsOf, type Repository, repository, scanned, textsOf } from './tree-repository.ts';

let own: Repository | null = null;
const made = (...args: Parameters<typeof repository>): Repository => {
  own = repository(...args);
  return own;
};
afterEach(() => own?.end());

const FILES = { 'a.txt': 'one\n', 'b/c.txt': 'two\n', 'b/d.txt': 'two\n', 'e.md': '# three\n' };

describe.each([['sha1'], ['sha256']])('a %s repository', (format) => {
  test('lists files in order, with ids and sizes', async () => {
    const repo = made(FILES, `--object-format=${format}`);
    const tree = await repo.tree();
    expect(tree.commit).toBe(repo.git('rev-parse', 'HEAD'));
    expect(tree.id).toBe(repo.git('rev-parse', 'HEAD^{tree}'));
    const files = (await tree.listing()).files;
    expect(files.map(({ path, bytes, link }) => [path, bytes, link])).toEqual(
      Object.entries(FILES).map(([path, text]) => [path, text.length, false]),
    );
    for (const { path, id } of files) expect(id).toBe(repo.git('rev-parse', `HEAD:${path}`));
  });

  test('reads contents in the order asked, and null for what is no file or too large', async () => {
    const tree = await made(FILES, `--object-format=${format}`).tree();
    const asked = ['e.md', 'missing', 'b', 'a.txt', 'b/d.txt', 'a.txt'];
    expect(textsOf(await tree.read(asked, 100))).toEqual(['# three\n', null, null, 'one\n', 'two\n', 'one\n']);
    expect(textsOf(await tree.read(['a.txt', 'e.md'], 4))).toEqual(['one\n', null]);
    expect(await tree.read([], 100)).toEqual([]);
  });

  test('scans each file once, also two of the same content', async () => {
    const tree = await made(FILES, `--object-format=${format}`).tree();
    expect(Object.fromEntries(await scanned(tree))).toEqual(FILES);
  });
});

test('a repeated question does not need git', async () => {
  const repo = made(FILES);
  const trees = repo.trees();
  const head = repo.git('rev-parse', 'HEAD');
  const look = async () => {
    const tree = await trees.open(head);
    return [(await tree.listing()).files, await tree.read(['a.txt'], 10), await tree.history(5)];
  };
  const first = await look();
  renameSync(join(repo.dir, '.git'), join(repo.dir, 'gone'));
  expect(await look()).toEqual(first);
  await expect(repo.trees().open(head)).rejects.toThrow();
});

test('the tree of a merge is its own', async () => {
  const repo = made(FILES);
  repo.git('checkout', '-q', '-b', 'side');
  repo.put({ 'side.txt': '1' });
  repo.commit('side');
  repo.git('checkout', '-q', 'main');
  repo.put({ 'main.txt': '1' });
  repo.commit('main');
  repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  const tree = await repo.tree();
  expect(tree.id).toBe(repo.git('rev-parse', 'HEAD^{tree}'));
  expect(await pathsOf(tree)).toEqual([...Object.keys(FILES), 'main.txt', 'side.txt']);
  expect(await tree.history(MAX_HISTORY)).toHaveLength(3);
});

test('a tree of a candidate is listed as git has it', async () => {
  const repo = made({ ...FILES, 'b/\u{1f600}.txt': 'x', 'b/\uff21.txt': 'y', 'z/z': 'z' });
  const base = repo.git('rev-parse', 'HEAD');
  rmSync(join(repo.dir, 'b/c.txt'));
  repo.put({ 'A.txt': 'new', 'a.txt': 'changed', 'b/\u{1f601}.txt': '1', 'b/\uff22.txt': '22', 'zz/y/x': '333' });
  repo.commit();
  const tree = repo.git('rev-parse', 'HEAD^{tree}');
  const opened = await repo.trees().open(base, tree);
  expect(await pathsOf(opened)).toEqual(repo.git('ls-tree', '-r', '-z', '--name-only', tree).split('\0').slice(0, -1));
  expect(await pathsOf(opened)).toContain('zz/y/x');
  expect(textsOf(await opened.read(['b/c.txt', 'a.txt'], 10))).toEqual([null, 'changed']);
  expect(opened.commit).toBe(base);
});

test('more than one pipe holds goes through, whole', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`f${n}`, `${n}:`.padEnd(1 + ((n * 7919) % 150_000), `${n}`)]),
  );
  const tree = await made(files).tree();
  expect(Object.fromEntries(await scanned(tree))).toEqual(files);
  const names = Object.keys(files).reverse();
  expect(textsOf(await tree.read(names, 1 << 20))).toEqual(names.map((name) => files[name]));
});

test('an exception of a callback ends the scan', async () => {
  const tree = await made(FILES).tree();
  const scan = tree.scan((await tree.listing()).files, () => {
    throw new Error('enough');
  });
  await expect(scan).rejects.toThrow('enough');
});

describe('history', () => {
  test('the newest changes, without merges and without very large ones', async () => {
    const repo = made(FILES);
    repo.git('checkout', '-q', '-b', 'side');
    repo.put({ 'side.txt': 's' });
    const side = repo.commit('side');
    repo.git('checkout', '-q', 'main');
    repo.put(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`many/${n}`, `${n}`])));
    repo.commit('large');
    repo.put({ 'a.txt': 'changed', 'b/c.txt': 'changed' });
    const both = repo.commit('both');
    repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    const tree = await repo.tree();
    const history = await tree.history(10);
    expect(history.map(({ commit }) => commit).toSorted()).toEqual(
      [side, both, repo.git('rev-list', '--max-parents=0', 'HEAD')].toSorted(),
    );
    const change = history.find(({ commit }) => commit === both);
    expect(change?.paths).toEqual(['a.txt', 'b/c.txt']);
    expect(change?.time).toBe(Number(repo.git('log', '-1', '--format=%ct', both)) * 1000);
    expect(await tree.history(0)).toEqual([]);
    expect((await tree.history(1)).length).toBeLessThanOrEqual(1);
  });

  test('odd names come as they are, those that are not UTF-8 do not', async () => {
    const repo = made({ '\n/x': '1', 'line\nbreak': '2', ' /0 1': '3' });
    const blob = repo.feed('x', 'hash-object', '-w', '--stdin');
    const tree = repo.feed(
      Buffer.from(`100644 blob ${blob}\tb\xe9.txt\0${`100644 blob ${blob}`}\tc.txt\0`, 'latin1'),
      'mktree',
      '-z',
    );
    const commit = repo.git('commit-tree', '-m', 'x', '-p', 'HEAD', tree);
    const history = await (await repo.trees().open(commit)).history(10);
    expect(history.map(({ paths }) => paths.toSorted())).toEqual([
      ['\n/x', ' /0 1', 'c.txt', 'line\nbreak'],
      ['\n/x', ' /0 1', 'line\nbreak'],
    ]);
  });

  test('a shallow clone has what there is', async () => {
    const repo = made(FILES);
    repo.put({ 'a.txt': '2' });
    repo.commit();
    repo.git('clone', '-q', '--depth', '1', `file://${repo.dir}`, `${repo.root}/shallow`);
    const { GitTrees } = await import('../../src/hands/context/tree.ts');
    const trees = new GitTrees({ commonDir: `${repo.root}/shallow/.git`, worktree: null });
    const tree = await trees.open(repo.git('rev-parse', 'HEAD'));
    expect((await tree.history(10)).length).toBe(1);
  });
});

describe('a difference', () => {
  test('is a unified diff, with the paths that changed and those that are gone', async () => {
    const repo = made(FILES);
    const base = repo.git('rev-parse', 'HEAD');
    rmSync(join(repo.dir, 'e.md'));
    repo.put({ 'a.txt': 'one\nmore\n', 'n\u00e4me.txt': 'new\n' });
    repo.commit();
    const diff = await (await repo.tree()).diff(base, 1 << 20);
    expect(diff).toMatchObject({ changed: ['a.txt', 'n\u00e4me.txt'], removed: ['e.md'], cut: false });
    expect(diff.text).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+more\n');
    expect(diff.text).toContain('+++ b/n\u00e4me.txt\n');
    expect(diff.text).toContain('deleted file mode 100644');
    expect(await (await repo.tree()).diff(repo.git('rev-parse', 'HEAD'), 10)).toEqual({
      ...{ text: '', changed: [], removed: [], cut: false },
    });
  });

  test('is cut at the end of a line', async () => {
    const repo = made(FILES);
    const base = repo.git('rev-parse', 'HEAD');
    repo.put({ 'a.txt': 'line of text\n'.repeat(50_000) });
    repo.commit();
    const diff = await (await repo.tree()).diff(base, 1000);
    expect(diff.cut).toBe(true);
    expect(diff.text.length).toBeLessThanOrEqual(1000);
    expect(diff.text.endsWith('+line of text\n')).toBe(true);
    expect(diff.changed).toEqual(['a.txt']);
  });
});

describe('missing objects', () => {
  test('an empty repository has no commit to open, an empty commit no files', async () => {
    const repo = made();
    await expect(repo.trees().open('0'.repeat(40))).rejects.toThrow(/has no commit 0{40}/);
    repo.commit('empty');
    const tree = await repo.tree(repo.dir);
    expect((await tree.listing()).files).toEqual([]);
    expect(await tree.history(5)).toEqual([]);
    expect([...(await scanned(tree))]).toEqual([]);
  });

  test('an incomplete id never reaches git', async () => {
    const repo = made(FILES);
    for (const id of ['HEAD', '--all', '', `${'a'.repeat(40)}\n${'b'.repeat(40)}`]) {
      await expect(repo.trees().open(id)).rejects.toThrow(/not the full id/);
      await expect((await repo.tree()).diff(id, 10)).rejects.toThrow(/not the full id/);
    }
    const blob = repo.git('rev-parse', 'HEAD:a.txt');
    await expect(repo.trees().open(blob)).rejects.toThrow(/has no commit/);
    await expect(repo.trees().open(repo.git('rev-parse', 'HEAD'), blob)).rejects.toThrow(/has no tree/);
  });

  test('a file with a missing object is not read, the others are', async () => {
    const repo = made(FILES);
    const id = repo.git('rev-parse', 'HEAD:a.txt');
    rmSync(join(repo.dir, '.git/objects', id.slice(0, 2), id.slice(2)));
    const tree = await repo.tree();
    expect(await pathsOf(tree)).toContain('a.txt');
    expect(textsOf(await tree.read(['a.txt', 'e.md'], 100))).toEqual([null, '# three\n']);
    expect([...(await scanned(tree)).keys()]).toEqual(['b/c.txt', 'b/d.txt', 'e.md']);
  });
});
