/** The tree of a candidate is made before a gate asks for it: it is the same tree, it is used once, and it never stays. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Candidate } from '../../src/mind/domain/values.ts';
import { settled } from '../support/traces.ts';
import { candidateOf, commitAll, put, stall, type World, world } from './repository.ts';

let w: World;
beforeEach(() => {
  w = world();
  put(w.repo, { 'dir/x': 'x\n', file: 'f\n', gone: 'g\n' });
  commitAll(w, 'more');
});
afterEach(() => w.end());

const places = () => readdirSync(join(w.state, 'workspaces/demo'));
/** Every file with its mode and content; nothing of when it was made. */
const listed = (dir: string) =>
  execFileSync('sh', ['-c', 'find . -printf "%p %m %l\\n" | sort; find . -type f | sort | xargs sha256sum'], {
    cwd: dir,
    encoding: 'utf8',
  });

async function captured(workspaces: ReturnType<World['open']>): Promise<Candidate> {
  const workspace = await workspaces.make('worker', { base: 'HEAD', tree: null });
  put(workspace.tree, { 'src/b.txt': 'B\n', 'deep/er/new': 'n\n', '.gitattributes': '* text eol=crlf ident\n' });
  for (const path of ['gone', 'dir', 'file']) rmSync(join(workspace.tree, path), { recursive: true });
  put(workspace.tree, { dir: 'now a file $Id$\n', 'file/x': 'now a directory\n' });
  symlinkSync('src/b.txt', join(workspace.tree, 'link'));
  const { candidate } = candidateOf(await workspace.capture());
  await workspace.remove();
  return candidate;
}

test('a gate gets the tree that was made ahead, and it is what a process without it makes', async () => {
  const workspaces = w.open();
  const candidate = await captured(workspaces);
  const [ahead = ''] = places();
  const inode = () => lstatSync(join(w.state, 'workspaces/demo', ahead, 'tree')).ino;
  await settled(() => (existsSync(join(w.state, 'workspaces/demo', ahead, 'tree')) ? [] : ['not begun']));
  const made = inode();
  const first = await workspaces.make('gate', { ...candidate, pinned: true });
  expect(lstatSync(first.tree).ino).toBe(made);
  expect(first.isThere()).toBe(true);
  const other = await w.open().make('gate', { ...candidate, pinned: true });
  expect(listed(first.tree)).toBe(listed(other.tree));
  expect((lstatSync(first.tree).mode & 0o777).toString(8)).toBe('700');

  // What one gate does to it the next one does not see.
  writeFileSync(join(first.tree, 'src/b.txt'), 'spoiled\n');
  const second = await workspaces.make('gate', { ...candidate, pinned: true });
  expect(readFileSync(join(second.tree, 'src/b.txt'), 'utf8')).toBe('B\n');
  expect(places()).toHaveLength(3);
});

test('an unused tree is gone when the room is closed', async () => {
  const workspaces = w.open();
  await captured(workspaces);
  expect(places()).toHaveLength(1);
  await workspaces.close();
  expect(places()).toEqual([]);
  expect(await settled(() => readdirSync(join(w.state, 'trash/demo')))).toEqual([]);
  expect(readdirSync(join(w.state, 'git/demo/scratch'))).toEqual([]);
});

test('a tree that is still being written when the room is closed is given up at once', async () => {
  const scratch = join(w.state, 'git/demo/scratch');
  const workspaces = w.open({
    failpoint: (name) => {
      if (name !== 'capture.hashed') return;
      // Only the gits that use the scratch directory look here.
      for (const one of readdirSync(scratch)) stall(w, 'src/a.py', join(scratch, one, 'objects'));
    },
  });
  const workspace = await workspaces.make('worker', { base: 'HEAD', tree: null });
  put(workspace.tree, { 'src/b.txt': 'B\n' });
  candidateOf(await workspace.capture());
  await workspace.remove();
  await workspaces.close();
  expect(places()).toEqual([]);
  expect(await settled(() => readdirSync(join(w.state, 'trash/demo')))).toEqual([]);
  expect(readdirSync(scratch)).toEqual([]);
});

test('a making that is stopped throws and leaves nothing', async () => {
  const workspaces = w.open();
  const stop = new AbortController();
  // The second one of a commit asks git for nothing but its tree.
  await (await workspaces.make('worker', { base: 'HEAD', tree: null })).remove();
  const { stalled } = stall(w, 'src/a.py');
  const made = workspaces.make('worker', { base: 'HEAD', tree: null, signal: stop.signal });
  made.catch(() => {});
  await stalled();
  stop.abort();
  await expect(made).rejects.toThrow('aborted');
  await workspaces.close();
  expect(places()).toEqual([]);
  expect(readdirSync(join(w.state, 'git/demo/scratch'))).toEqual([]);
});

test('a tree that a sweep removed is made again', async () => {
  const workspaces = w.open();
  const candidate = await captured(workspaces);
  await settled(() => readdirSync(join(w.state, 'git/demo/scratch')));
  await workspaces.sweep((name) => name !== 'worker', false);
  expect(places()).toEqual([]);
  w.git('update-ref', 'refs/heads/keep', w.git('commit-tree', '-p', 'HEAD', '-m', 'x', candidate.tree));
  const gate = await workspaces.make('gate', { ...candidate, pinned: true });
  expect(readFileSync(join(gate.tree, 'dir'), 'utf8')).toBe('now a file $Id$\n');
});

test('a tree that cannot be made stops no capture, and the gate makes its own', async () => {
  const workspaces = w.open({
    failpoint: (name) => {
      // The directory is there by then, and its files are being written.
      if (name === 'capture.transferred') {
        for (const place of places()) rmSync(join(w.state, 'workspaces/demo', place), { recursive: true, force: true });
      }
    },
  });
  const candidate = await captured(workspaces);
  const gate = await workspaces.make('gate', { ...candidate, pinned: true });
  const own = await w.open().make('gate', { ...candidate, pinned: true });
  expect(listed(gate.tree)).toBe(listed(own.tree));
});

test('the change that a capture names is the one that git finds between the trees, also where files and directories change places', async () => {
  const names = ['a', 'a.b', 'a-b', 'a0', 'ab', 'a+'];
  const shapes = [0, 1, 2].map((shape) =>
    Object.fromEntries(
      names.map((name, n) => [((n + shape) % 3 === 0 ? [name] : [name, 'a', `${shape}`]).join('/'), `${shape} ${n}\n`]),
    ),
  );
  for (const [n, from] of shapes.entries()) {
    put(w.repo, from);
    commitAll(w, `shape ${n}`);
    for (const to of shapes) {
      const workspace = await w.open().make('worker', { base: 'HEAD', tree: null });
      for (const name of names) rmSync(join(workspace.tree, name), { recursive: true });
      put(workspace.tree, to);
      const taken = await workspace.capture();
      if (to === from) expect(taken.type).toBe('unchanged');
      // Another room remembers nothing and asks git for the difference of the two trees.
      else expect(await w.open().changes(candidateOf(taken).candidate)).toEqual(candidateOf(taken).changed);
    }
    w.git('rm', '-rq', ...names);
  }
});
