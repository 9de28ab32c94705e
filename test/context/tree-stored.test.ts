/** What is stored on disk about trees and commits says the same as git, and packets are the same with and without it. */
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ContentCache } from '../../src/hands/context/content-cache.ts';
import { GitTrees } from '../../src/hands/context/tree.ts';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import { packWorld } from './pack-world.ts';
import { type Repository, repository } from './tree-repository.ts';

const made: Repository[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.end();
});
function own(files: Readonly<Record<string, string>>): Repository {
  const repo = repository(files);
  made.push(repo);
  return repo;
}
const dirOf = (repo: Repository) => join(repo.root, 'cache');
/** As in a process of its own. */
const cacheOf = (repo: Repository, kept: boolean) => new ContentCache({ dir: kept ? dirOf(repo) : null });
const fresh = (repo: Repository, kept: boolean, cache = cacheOf(repo, kept)) =>
  new GitTrees({ commonDir: join(repo.dir, '.git'), worktree: null, cache });
const told = async (repo: Repository, commit: string, kept: boolean, limit = 50) => {
  const tree = await fresh(repo, kept).open(commit);
  return { files: (await tree.listing()).files, history: await tree.history(limit) };
};
const namesIn = (repo: Repository) => readdirSync(dirOf(repo)).toSorted();

describe('listings and histories, kept', () => {
  test('later commits, older ones, merges and a limit: always what git says', async () => {
    const repo = own({ 'a.txt': '1', 'b/c.txt': '1' });
    const ids = [repo.git('rev-parse', 'HEAD')];
    for (let n = 0; n < 4; n++) {
      repo.put({ 'a.txt': `${n}`, [`new${n}.txt`]: 'x' });
      ids.push(repo.commit(`change ${n}`));
    }
    ids.push(repo.commit('nothing'));
    repo.git('checkout', '-q', '-b', 'side', ids[2] as string);
    repo.put({ 'side.txt': 's' });
    ids.push(repo.commit('side'));
    repo.git('checkout', '-q', 'main');
    repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    ids.push(repo.git('rev-parse', 'HEAD'));
    repo.put({ 'a.txt': 'after' });
    ids.push(repo.commit('after'));
    for (const limit of [3, 50])
      for (const order of [ids, ids.toReversed()])
        for (const id of order) expect(await told(repo, id, true, limit)).toEqual(await told(repo, id, false, limit));
  });

  test('a second process does not ask git again, and what is kept holds paths, no messages and no contents', async () => {
    const repo = own({ 'a.txt': 'the contents of it' });
    const id = repo.commit('the message of it');
    const first = await told(repo, id, true);
    const names = namesIn(repo);
    expect(names).toHaveLength(3);
    const before = names.map((name) => statSync(join(dirOf(repo), name)).ino);
    renameSync(join(repo.dir, '.git/objects'), join(repo.root, 'objects'));
    await expect(told(repo, id, false)).rejects.toThrow('git');
    expect(await told(repo, id, true)).toEqual(first);
    expect(namesIn(repo).map((name) => statSync(join(dirOf(repo), name)).ino)).toEqual(before);
    const texts = names.map((name) => readFileSync(join(dirOf(repo), name), 'utf8')).join();
    expect(texts).toContain('a.txt');
    expect(texts).not.toMatch(/contents of it|message of it|a@b/);
    for (const name of names) expect(statSync(join(dirOf(repo), name)).mode & 0o777).toBe(0o600);
  });
});

describe('packets with and without what is kept', () => {
  test('are the same: the first time, from what is kept, and when files were changed since', async () => {
    const secret = ['ghp', `_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`].join('');
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `src/part${n % 4}/file-${n}.ts`,
        `import { thing${n + 1} } from '../part${(n + 1) % 4}/file-${n + 1}.ts';\nexport function thing${n}() { return parseQueue${n % 7}; }\n// ${n === 3 ? secret : 'retry queue'}\n`,
      ]),
    );
    const world = packWorld(files, createRedactor());
    made.push(world);
    const cacheDir = dirOf(world);
    const ask = { text: 'retry the parse queue in file-5.ts', targets: ['src/part1/file-5.ts'], seed: 'one' };
    const packed = (kept: boolean, tree: string | null = null) => {
      const cache = cacheOf(world, kept);
      return world.pack({ ...ask, tree }, world.contexts({ trees: fresh(world, kept, cache), cache }));
    };
    const right = await packed(false);
    expect(right.parts.length).toBeGreaterThan(5);
    expect(await packed(true)).toEqual(right);
    expect(namesIn(world)).toHaveLength(4);
    expect(await packed(true)).toEqual(right);
    world.put({ 'src/part2/file-6.ts': 'export const retryQueue = 1;\n', 'src/new.ts': 'parse queue\n' });
    const tree = world.written();
    expect(await packed(true, tree)).toEqual(await packed(false, tree));
    // The redactor works after the cache; what is kept knows nothing of the secret either.
    const kept = namesIn(world).map((name) => readFileSync(join(cacheDir, name), 'latin1'));
    expect(kept.join()).not.toContain(secret.slice(4, 20));
  });

  test('have the same files that depend on a target, also where those call it by the name of its package', async () => {
    const world = packWorld({
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
      'crates/printer/Cargo.toml': '[package]\nname = "grep-printer"\n',
      'crates/printer/src/lib.rs': 'pub fn show() {}\n',
      'crates/core/Cargo.toml':
        '[package]\nname = "core-app"\n[dependencies]\ngrep-printer = { path = "../printer" }\n',
      'js/core/package.json': '{"name":"mycore","main":"index.js"}',
      'js/core/index.js': 'export const core = 1;\n',
      'js/app.js': "import { core } from 'mycore';\nexport const app = core;\n",
      'js/other.js': "import { other } from 'mycore';\nexport const app = other;\n",
      'crates/core/src/main.rs': 'use grep_printer::show;\nfn main() { show(); }\n',
      ...Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => [`crates/core/src/x${n}.rs`, `// blueprinters ${n}\n`]),
      ),
    });
    made.push(world);
    const ask = { text: 'Look at it', seed: 'one', context: { strategy: 'reviewer_diff' } };
    const packed = (kept: boolean, target = 'crates/printer/src/lib.rs') => {
      const cache = cacheOf(world, kept);
      return world.pack({ ...ask, targets: [target] }, world.contexts({ trees: fresh(world, kept, cache), cache }));
    };
    const right = await packed(false);
    expect(right.parts.map(({ path, why }) => `${path}: ${why}`)).toContain(
      'crates/core/src/main.rs: imports crates/printer/src/lib.rs',
    );
    expect(await packed(true)).toEqual(right);
    expect(await packed(true)).toEqual(right);
    expect(await packed(true, 'js/core/index.js')).toEqual(await packed(false, 'js/core/index.js'));
  });
});
