/** A publication is one commit and one branch, however often it is made and wherever it was interrupted. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Captured } from '../../src/engine/ports/workspace.ts';
import { candidateOf, changed, commitAll, digest, publicationOf, put, type World, whole, world } from './repository.ts';

let w: World;
let captured: Captured;
beforeEach(async () => {
  w = world();
  captured = await changed(w, (tree) => put(tree, { 'new.txt': 'n\n', 'src/b.txt': 'c\n' }));
});
afterEach(() => w.end());

const gc = () => {
  w.git('reflog', 'expire', '--expire=now', '--all');
  w.git('gc', '-q', '--prune=now');
};
const keeps = () => readdirSync(join(w.repo, '.git/objects/pack')).filter((name) => name.endsWith('.keep'));

test('publishing makes a commit on the base with the tree that was captured; twice is once', async () => {
  const publication = publicationOf(captured);
  const workspaces = w.open();
  expect(await workspaces.published(publication)).toBe(null);
  const first = await workspaces.publish(publication);
  expect(first).toEqual({ type: 'published', commit: w.git('rev-parse', 'refs/heads/ai/task-1') });
  expect(await workspaces.publish(publication)).toEqual(first);
  expect(await workspaces.published(publication)).toBe(w.git('rev-parse', 'ai/task-1'));
  expect(w.git('log', '-1', '--format=%T %P %an %ad %cd', '--date=raw', 'ai/task-1')).toBe(
    `${publication.candidate.tree} ${publication.candidate.base} Supervisor 1790000000 +0000 1790000000 +0000`,
  );
  expect(w.git('log', '-1', '--format=%B', 'ai/task-1')).toBe(publication.message);
  expect(w.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  expect(keeps()).toEqual([]);
});

test('two private directories give the same commit id', async () => {
  const publication = publicationOf(captured);
  const one = await w.open().publish(publication);
  w.git('branch', '-D', 'ai/task-1');
  const other = await w.open({ stateDir: join(w.root, 'other-state') }).publish(publication);
  expect(other).toEqual(one);
});

test('a branch that points elsewhere is a conflict and stays; one that the user built on holds the commit', async () => {
  const publication = publicationOf(captured);
  w.git('branch', 'ai/task-1', 'HEAD');
  const found = w.git('rev-parse', 'HEAD');
  expect(await w.open().publish(publication)).toEqual({ type: 'conflict', found });
  expect(w.git('rev-parse', 'ai/task-1')).toBe(found);
  expect(await w.open().published(publication)).toBe(null);

  const next = publicationOf(captured, 'ai/task-2');
  const done = await w.open().publish(next);
  const commit = w.git('commit-tree', '-p', 'ai/task-2', '-m', 'by the user', 'ai/task-2^{tree}');
  w.git('update-ref', 'refs/heads/ai/task-2', commit);
  expect(await w.open().publish(next)).toEqual(done);
});

test('the published change is the checked one, or none', async () => {
  const publication = publicationOf(captured);
  const other = candidateOf(await changed(w, (tree) => put(tree, { evil: 'e\n' }), 'two')).candidate;
  const mixed = { ...publication, candidate: { ...publication.candidate, tree: other.tree } };
  await expect(w.open().publish(mixed)).rejects.toMatchObject({ code: 'not_the_candidate' });
  for (const branch of ['-x', 'a..b', 'x.lock', 'a b', '']) {
    await expect(w.open().publish({ ...publication, branch })).rejects.toMatchObject({ code: 'bad_name' });
  }
  await expect(w.open().make('../x', { base: 'HEAD', tree: null })).rejects.toMatchObject({ code: 'bad_name' });
  await expect(w.open().make('x', { base: '--help', tree: null })).rejects.toMatchObject({ code: 'no_commit' });
});

const POINTS = ['committed', 'transferred', 'pinned', 'branched', 'released'].map((name) => `publish.${name}`);
test.each(POINTS)(
  'interrupted after %s, with the user\u2019s gc in between, it is completed by doing it again',
  async (point) => {
    const publication = publicationOf(captured);
    const broken = w.open({
      failpoint: (name) => {
        if (name === point) throw new Error('killed');
      },
    });
    await expect(broken.publish(publication)).rejects.toThrow('killed');
    gc();
    const done = await w.open().publish(publication);
    gc();
    expect(await w.open().publish(publication)).toEqual(done);
    expect(done).toEqual({ type: 'published', commit: w.git('rev-parse', 'ai/task-1') });
    expect(w.git('rev-list', '--count', '--all')).toBe('2');
    expect(keeps()).toEqual([]);
    w.git('fsck', '--strict');
  },
);

const STEPS = ['surveyed', 'hashed', 'transferred', 'pinned', 'released'].map((name) => `capture.${name}`);
test.each(STEPS)(
  'a capture interrupted after %s, with gc in between, gives the same candidate again',
  async (point) => {
    let armed = true;
    const workspaces = w.open({
      failpoint: (name) => {
        if (name === point && armed) throw new Error('killed');
      },
    });
    const workspace = await workspaces.make('again', { base: 'HEAD', tree: null });
    put(workspace.tree, { 'fresh.txt': `${point}\n` });
    await expect(workspace.capture()).rejects.toThrow('killed');
    gc();
    armed = false;
    const { candidate } = candidateOf(await workspace.capture());
    gc();
    expect(w.git('show', `${candidate.tree}:fresh.txt`)).toBe(point);
    expect(keeps()).toEqual([]);
  },
);

test('a gc of the user between transfer and pin takes nothing', async () => {
  const workspaces = w.open({
    failpoint: (name) => {
      if (name.endsWith('.transferred')) gc();
    },
  });
  const workspace = await workspaces.make('again', { base: 'HEAD', tree: null });
  put(workspace.tree, { 'fresh.txt': 'f\n' });
  const done = await workspaces.publish(publicationOf(await workspace.capture()));
  gc();
  expect(done.type).toBe('published');
  expect(w.git('show', 'ai/task-1:fresh.txt')).toBe('f');
});

test('a base and an input that the user drops while a worker is at it stay until the capture', async () => {
  w.git('checkout', '-q', '-b', 'gone');
  put(w.repo, { 'only-here.txt': 'o\n' });
  commitAll(w, 'to be dropped');
  const first = await changed(w, (tree) => put(tree, { 'first.txt': '1\n' }), 'first');
  const { candidate } = candidateOf(first);
  const workspaces = w.open();
  const workspace = await workspaces.make('second', candidate);
  w.git('checkout', '-q', 'main');
  w.git('branch', '-D', 'gone');
  await workspaces.sweep((name) => name === 'second', false);
  gc();
  put(workspace.tree, { 'second.txt': '2\n' });
  const captured = candidateOf(await workspace.capture());
  expect(captured.changed.map(({ path }) => path)).toEqual(['first.txt', 'second.txt']);
});

test('without the .keep file, gc takes what was transferred and not yet pinned (control)', async () => {
  const broken = w.open({
    failpoint: (name) => {
      if (name !== 'capture.transferred') return;
      for (const keep of keeps()) rmSync(join(w.repo, '.git/objects/pack', keep));
      gc();
    },
  });
  const workspace = await broken.make('again', { base: 'HEAD', tree: null });
  put(workspace.tree, { 'fresh.txt': 'f\n' });
  await expect(workspace.capture()).rejects.toThrow('update-ref failed');
});

describe('OF-13, WT-21: locks of the user', () => {
  test('a ref lock is waited for, then named, never removed; later the publication goes through', async () => {
    const publication = publicationOf(captured);
    const lock = join(w.repo, '.git/refs/heads/ai/task-1.lock');
    mkdirSync(join(lock, '..'), { recursive: true });
    writeFileSync(lock, '');
    const impatient = w.open({ lockWaitMs: 200 });
    await expect(impatient.publish(publication)).rejects.toMatchObject({ code: 'locked', retryable: true });
    await expect(impatient.publish(publication)).rejects.toThrow(lock);
    expect(existsSync(lock)).toBe(true);
    setTimeout(() => rmSync(lock), 300);
    expect((await w.open({ lockWaitMs: 120_000 }).publish(publication)).type).toBe('published');
  });

  test('an index.lock of the user stops neither capture nor publication, and stays', async () => {
    const lock = join(w.repo, '.git/index.lock');
    writeFileSync(lock, '');
    expect((await w.open().publish(publicationOf(captured))).type).toBe('published');
    expect(existsSync(lock)).toBe(true);
  });
});

describe('land', () => {
  const commit = async () => {
    const done = await w.open().publish(publicationOf(captured));
    return done.type === 'published' ? done.commit : '';
  };
  const skip = /^\.git\/(objects|refs\/supervisor)/;

  test('a branch that is nowhere checked out moves forward, once; index and tree are not touched', async () => {
    const to = await commit();
    w.git('branch', 'release');
    const before = digest(w.repo, /^\.git\/(objects|refs|logs)/);
    expect(await w.open().land('release', to, whole(captured))).toEqual({ type: 'landed', commit: to });
    expect(await w.open().land('release', to, whole(captured))).toEqual({ type: 'landed', commit: to });
    expect(w.git('rev-parse', 'release')).toBe(to);
    expect(digest(w.repo, /^\.git\/(objects|refs|logs)/)).toBe(before);
  });

  test('OF-15: a branch that is checked out is left to fastForward when it is clean, and refused with the dirty files', async () => {
    const to = await commit();
    const clean = await w.open().land('main', to, whole(captured));
    expect(clean).toEqual({ type: 'checked_out', path: w.repo });
    put(w.repo, { 'src/b.txt': 'mine\n', 'src/a.py': 'staged\n' });
    w.git('add', 'src/a.py');
    const before = digest(w.repo, skip);
    const dirty = await w.open().land('main', to, whole(captured));
    expect(dirty).toMatchObject({ message: expect.stringContaining('src/a.py, src/b.txt') });
    expect(digest(w.repo, skip)).toBe(before);
    expect(w.git('rev-parse', 'main')).not.toBe(to);
    const lock = join(w.repo, '.git/index.lock');
    writeFileSync(lock, '');
    expect(await w.open({ lockWaitMs: 100 }).land('main', to, whole(captured))).toMatchObject({
      message: expect.stringContaining(lock),
    });
    expect(existsSync(lock)).toBe(true);
  });

  test('in another worktree it counts as checked out, also in the middle of a rebase', async () => {
    const to = await commit();
    const side = join(w.root, 'side');
    w.git('worktree', 'add', '-q', '-b', 'release', side);
    expect(await w.open().land('release', to, whole(captured))).toEqual({ type: 'checked_out', path: side });
    w.git('-C', side, 'checkout', '-q', '--detach');
    mkdirSync(join(w.repo, '.git/worktrees/side/rebase-merge'));
    writeFileSync(join(w.repo, '.git/worktrees/side/rebase-merge/head-name'), 'refs/heads/release\n');
    expect((await w.open().land('release', to, whole(captured))).type).toBe('refused');
    rmSync(join(w.repo, '.git/worktrees/side/rebase-merge'), { recursive: true });
    expect((await w.open().land('release', to, whole(captured))).type).toBe('landed');
  });

  test('a move that is no fast-forward is refused with the place of the branch; a missing one is refused', async () => {
    const to = await commit();
    w.git('checkout', '-q', '-b', 'moved');
    put(w.repo, { other: 'o\n' });
    commitAll(w, 'moved on');
    w.git('checkout', '-q', 'main');
    expect(await w.open().land('moved', to, whole(captured))).toEqual({
      type: 'moved',
      at: w.git('rev-parse', 'moved'),
    });
    expect(await w.open().land('nowhere', to, whole(captured))).toMatchObject({
      message: expect.stringContaining('no branch nowhere'),
    });
  });
});
