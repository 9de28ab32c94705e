/** Subjects of past changes as evidence for the files they touched: only their words are stored, as hashes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ContentCache } from '../../src/hands/context/content-cache.ts';
import { GitTrees } from '../../src/hands/context/tree.ts';
import { hashOf } from '../../src/mind/ranking/walk.ts';
import { packWorld } from './pack-world.ts';
import { type Repository, repository } from './tree-repository.ts';

const made: Repository[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.end();
});

/** All that is on disk. */
const storedIn = (dir: string) =>
  readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), 'latin1'))
    .join('\n');
const wordsOf = (words: string) => words.split(' ').flatMap((word) => (word === '' ? [] : [hashOf(Buffer.from(word))]));
const many = Array.from({ length: 60_000 }, (_, n) => `word${n}`);
const say = (repo: Repository, message: string | Uint8Array, ...more: string[]) => {
  repo.git('add', '-A', '.');
  repo.feed(message, ...more, 'commit', '-q', '--allow-empty-message', '--cleanup=verbatim', '-F', '-');
};

test('for any subject, its words are read, and the paths of its change and of all others', async () => {
  const repo = repository({ '0.txt': '0' });
  made.push(repo);
  const said: [string | Uint8Array, string][] = [
    ['Trust the proxyHeaders', 'trust the proxy headers'],
    [`//${'a'.repeat(40)} ${'b'.repeat(40)} 12 `, `${'a'.repeat(40)} ${'b'.repeat(40)} 12`],
    ['', ''],
    ['two lines\nare one\n\nand this is not', 'two lines are one'],
    ['before\rafter', 'before after'],
    ['Größe für 日本', 'größe für 日本'],
    [many.join(' '), many.join(' ').slice(0, 400)],
  ];
  for (const [n, [message]] of said.entries()) {
    repo.put({ [`${n + 1}.txt`]: `${n}`, '0.txt': `changed ${n}` });
    say(repo, message);
  }
  repo.put({ 'old.txt': 'x' });
  say(repo, Buffer.from('Gr\xf6\xdfe', 'latin1'), '-c', 'i18n.commitEncoding=ISO-8859-1');
  repo.git('config', 'i18n.logOutputEncoding', 'ISO-8859-1');
  const history = (await (await repo.tree()).history(50)).toReversed();
  expect(history.map(({ paths }) => paths)).toEqual([
    ['0.txt'],
    ...said.map((_, n) => ['0.txt', `${n + 1}.txt`]),
    ['old.txt'],
  ]);
  expect(history.map(({ words }) => [...words])).toEqual(
    ['first', ...said.map(([, words]) => words), 'größe'].map(wordsOf),
  );
});

test('commits with a time that git cannot read: their files are their own, and their subjects are not stored', async () => {
  const repo = repository({ 'f1.txt': '1' });
  made.push(repo);
  const dates = ['a <a@b> -12 +0000', 'a <a@b>', 'nobody'];
  for (const [n, date] of dates.entries()) {
    repo.put({ [`g${n}.txt`]: `${n}` });
    repo.git('add', '-A', '.');
    const [tree, parent] = [repo.git('write-tree'), repo.git('rev-parse', 'HEAD')];
    const commit = `tree ${tree}\nparent ${parent}\nauthor ${date}\ncommitter ${date}\n\nSecretword ${n}\n`;
    repo.git('update-ref', 'HEAD', repo.feed(commit, 'hash-object', '-t', 'commit', '-w', '--literally', '--stdin'));
  }
  repo.put({ 'last.txt': 'x' });
  const head = repo.commit('last');
  const cacheDir = join(repo.root, 'cache');
  const cache = new ContentCache({ dir: cacheDir });
  const trees = new GitTrees({ commonDir: join(repo.dir, '.git'), worktree: null, cache });
  const history = await (await trees.open(head)).history(50);
  const all = history.flatMap(({ paths }) => paths);
  expect(all).toEqual(['last.txt', 'g2.txt', 'g1.txt', 'g0.txt', 'f1.txt']);
  expect(history.map(({ paths }) => paths.length)).toEqual([1, 1, 1, 1, 1]);
  expect(history.every(({ time }) => Number.isFinite(time))).toBe(true);
  expect(storedIn(cacheDir)).toContain('g2.txt');
  expect(storedIn(cacheDir)).not.toMatch(/secretword/i);
});

test('a file that only an older commit message suggests is shown; the cache holds the same without its text', async () => {
  const world = packWorld({ 'src/a.ts': 'export const a = 1;\n', 'x/q.ts': 'export const q = 2;\n' });
  made.push(world);
  for (let n = 0; n < 12; n++) {
    world.put({ [`y/z${n}.ts`]: `export const z${n} = ${n};\n` });
    world.commit(`matter ${n}`);
  }
  world.put({ 'x/q.ts': 'export const q = 3;\n' });
  const base = world.commit('Rotate archives nightly');
  const cacheDir = join(world.root, 'cache');
  const packed = (dir: string | null) =>
    world.pack(
      { base, text: 'rotate the archives' },
      world.contexts({
        trees: new GitTrees({
          commonDir: join(world.dir, '.git'),
          worktree: null,
          cache: new ContentCache({ dir }),
        }),
      }),
    );
  const first = await packed(null);
  const found = first.parts.find(({ path }) => path === 'x/q.ts');
  expect(found?.why).toContain('changed for similar tasks');
  await packed(cacheDir);
  expect(storedIn(cacheDir)).toContain('x/q.ts');
  expect(storedIn(cacheDir)).not.toMatch(/rotate|archives/i);
  expect((await packed(cacheDir)).parts).toEqual(first.parts);
});
