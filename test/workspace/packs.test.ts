/** Every attempt leaves packs in the user's repository: git gets one index over all of them, and the user notices nothing. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GitWorkspaces } from '../../src/hands/workspace/workspaces.ts';
import { candidateOf, put, type World, world } from './repository.ts';

let w: World;
beforeEach(() => {
  w = world();
  w.git('gc', '-q');
});
afterEach(() => w.end());

const packs = () => readdirSync(join(w.repo, '.git/objects/pack')).filter((name) => name.endsWith('.pack'));
const index = () => join(w.repo, '.git/objects/pack/multi-pack-index');

let count = 0;
/** Two packs more: of the candidate and of the commit. */
async function change(workspaces: GitWorkspaces): Promise<string> {
  const name = `change-${count++}`;
  const workspace = await workspaces.make(name, { base: 'HEAD', tree: null }, null);
  put(workspace.tree, { [name]: `${name}\n` });
  const { candidate } = candidateOf(await workspace.capture());
  const published = await workspaces.publish({
    branch: `ai/${name}`,
    candidate,
    message: name,
    time: 1_790_000_000_123,
  });
  if (published.type !== 'published') throw new Error(JSON.stringify(published));
  await workspaces.close();
  return published.commit;
}

test('with few packs there is none; with many it is made, and again with as many more', async () => {
  const workspaces = w.open({ limits: { packs: 4 } });
  await change(workspaces);
  expect(packs()).toHaveLength(3);
  expect(existsSync(index())).toBe(false);
  const second = await change(workspaces);
  const { ino } = statSync(index());
  w.git('multi-pack-index', 'verify');
  await change(workspaces);
  expect(statSync(index()).ino, 'it is good for some more').toBe(ino);
  await change(workspaces);
  await change(workspaces);
  expect(statSync(index()).ino).not.toBe(ino);
  w.git('multi-pack-index', 'verify');
  w.git('fsck', '--strict');
  expect(w.git('cat-file', '-t', second)).toBe('commit');
});

test('another process knows what was indexed', async () => {
  await change(w.open({ limits: { packs: 3 } }));
  const { ino } = statSync(index());
  await change(w.open({ limits: { packs: 3 } }));
  expect(statSync(index()).ino).toBe(ino);
  await change(w.open({ limits: { packs: 3 } }));
  expect(statSync(index()).ino).not.toBe(ino);
});

test("after the user's gc everything is there, and it begins anew", async () => {
  const workspaces = w.open({ limits: { packs: 4 } });
  const commits = [await change(workspaces), await change(workspaces), await change(workspaces)];
  expect(existsSync(index())).toBe(true);
  w.git('gc', '-q', '--prune=now');
  expect(packs()).toHaveLength(1);
  for (const commit of commits) expect(w.git('cat-file', '-t', commit)).toBe('commit');
  w.git('fsck', '--strict');
  commits.push(await change(workspaces));
  expect(existsSync(index())).toBe(false);
  await change(workspaces);
  expect(existsSync(index())).toBe(true);
  for (const commit of commits) expect(w.git('cat-file', '-t', commit)).toBe('commit');
});

test('one that names packs which another tool joined and deleted hides nothing', async () => {
  const commit = await change(w.open({ limits: { packs: 1 } }));
  const old = packs();
  // As a git that does not know of such indexes would do it.
  w.git('-c', 'core.multiPackIndex=false', 'repack', '-a', '-q');
  expect(existsSync(index())).toBe(true);
  for (const name of old) {
    const base = join(w.repo, '.git/objects/pack', name.replace(/\.pack$/, ''));
    for (const end of ['pack', 'idx', 'rev']) rmSync(`${base}.${end}`, { force: true });
  }
  expect(w.git('cat-file', '-t', commit)).toBe('commit');
  expect(w.git('log', '--format=%s', '-1', commit)).toMatch(/^change-/);
});

test('where somebody else is at it, the work goes on without', async () => {
  writeFileSync(`${index()}.lock`, '');
  const commit = await change(w.open({ limits: { packs: 1 } }));
  expect(w.git('cat-file', '-t', commit)).toBe('commit');
  expect(existsSync(index())).toBe(false);
  expect(existsSync(`${index()}.lock`), 'it is not ours').toBe(true);
});
