/** Sweeping takes away what no live task needs, and nothing that only a pin of ours keeps alive for the user. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeTree } from '../../src/os/files/remove-tree.ts';
import { eventually } from '../support/cli.ts';
import { settled } from '../support/traces.ts';
import { candidateOf, changed, publicationOf, put, type World, world } from './repository.ts';

let w: World;
beforeEach(() => {
  w = world();
});
afterEach(() => w.end());

/** 60 directories of 200 letters, one in the other, the last one closed to everybody. */
function digDown(dir: string): void {
  const program =
    "const fs = require('node:fs'); const d = 'd'.repeat(200); for (let i = 0; i < 60; i++) { fs.mkdirSync(d); process.chdir(d); } fs.writeFileSync('bottom', ''); fs.chmodSync('.', 0)";
  execFileSync(process.execPath, ['-e', program], { cwd: dir });
}

const refs = () => w.git('for-each-ref', '--format=%(refname)', 'refs/supervisor').split('\n');

test('a dry run tells what a sweep then does; live names are left alone', async () => {
  await changed(w, (tree) => put(tree, { a: 'a\n' }), 'dead');
  await changed(w, (tree) => put(tree, { b: 'b\n' }), 'live');
  // The trees for gates are still being made from there.
  await eventually(() => readdirSync(join(w.state, 'git/demo/scratch')).length === 0, 'nobody is at work');
  const workspaces = w.open();
  const would = await workspaces.sweep((name) => name === 'live', true);
  expect(would.map((one) => one.replace(w.state, '').replace(/[0-9a-f]{12,}/g, '#'))).toEqual([
    // The second one is the tree that was made ahead for a gate.
    ...['/workspaces/demo/dead.#', '/workspaces/demo/dead.#'],
    'refs/supervisor/base/demo/#/dead/#',
    'refs/supervisor/candidate/demo/#/dead/#',
  ]);
  expect(refs()).toHaveLength(4);
  expect(await workspaces.sweep((name) => name === 'live', false)).toEqual(would);
  await workspaces.close();
  expect(readdirSync(join(w.state, 'workspaces/demo')).map((name) => name.replace(/[0-9a-f]{12}$/, '#'))).toEqual([
    ...['live.#', 'live.#'],
  ]);
  expect(await settled(() => readdirSync(join(w.state, 'trash/demo')))).toEqual([]);
  expect(refs().every((ref) => ref.includes('/live/'))).toBe(true);
  expect(await workspaces.sweep((name) => name === 'live', false)).toEqual([]);
});

test('a published commit keeps its pin until a branch of the user holds it', async () => {
  const captured = await changed(w, (tree) => put(tree, { a: 'a\n' }));
  const workspaces = w.open();
  await workspaces.publish(publicationOf(captured));
  const commit = w.git('rev-parse', 'ai/task-1');
  w.git('update-ref', '-d', 'refs/heads/ai/task-1');
  await workspaces.sweep(() => false, false);
  w.git('gc', '-q', '--prune=now');
  expect(w.git('cat-file', '-t', commit)).toBe('commit');
  w.git('branch', 'taken', commit);
  expect(await workspaces.sweep(() => false, false)).toEqual([expect.stringContaining(`/published/demo/`)]);
  expect(refs()).toEqual(['']);
});

test('another state directory over the same repository loses nothing', async () => {
  const { candidate } = candidateOf(await changed(w, (tree) => put(tree, { a: 'a\n' })));
  await w.open({ stateDir: join(w.root, 'other-state') }).sweep(() => false, false);
  w.git('gc', '-q', '--prune=now');
  expect(w.git('show', `${candidate.tree}:a`)).toBe('a');
});

test('leftovers of a crash are found: scratch, .keep files of ours, trash', async () => {
  const broken = w.open({
    failpoint: (name) => {
      if (name === 'capture.transferred') throw new Error('killed');
    },
  });
  const workspace = await broken.make('one', { base: 'HEAD', tree: null });
  put(workspace.tree, { a: 'a\n' });
  await expect(workspace.capture()).rejects.toThrow('killed');
  // Its tree for a gate is still being made: in a process that was really killed, nobody does.
  await broken.close();
  writeFileSync(join(w.repo, '.git/objects/pack/pack-foreign.keep'), 'mine\n');
  put(join(w.state, 'git/demo/scratch/old-x'), { index: '' });
  put(join(w.state, 'trash/demo/half'), { file: '' });
  const workspaces = w.open();
  const found = await workspaces.sweep((name) => name === 'one', false);
  await workspaces.close();
  expect(found.map((path) => path.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '')).sort()).toEqual([
    'demo/half',
    expect.stringMatching(/^pack\/pack-.*\.keep$/),
    'scratch/old-x',
  ]);
  expect(existsSync(join(w.repo, '.git/objects/pack/pack-foreign.keep'))).toBe(true);
  expect(await settled(() => readdirSync(join(w.state, 'trash/demo')))).toEqual([]);
  expect((await workspace.capture().catch((error: Error) => error.message)) as unknown).toBe('killed');
});

test('removal follows no link and reaches what is deeper than a path may be long', async () => {
  const outside = join(w.root, 'outside');
  put(outside, { 'keep/me': 'k\n' });
  const tree = join(w.root, 'trash-me');
  mkdirSync(tree);
  symlinkSync(outside, join(tree, 'out'));
  symlinkSync(join(outside, 'keep'), join(tree, 'keep'));
  digDown(tree);
  await removeTree(tree);
  expect(readdirSync(w.root).sort()).toEqual(['outside', 'repo']);
  expect(readFileSync(join(outside, 'keep/me'), 'utf8')).toBe('k\n');
  const again = w.open();
  const deep = await again.make('deep', { base: 'HEAD', tree: null });
  digDown(deep.tree);
  expect(await deep.capture()).toMatchObject({
    type: 'refused',
    problems: [{ problem: expect.stringContaining('ENAMETOOLONG') }],
  });
  await deep.remove();
});

test('making a workspace again under its name starts afresh', async () => {
  const workspaces = w.open();
  const first = await workspaces.make('one', { base: 'HEAD', tree: null });
  put(first.tree, { junk: 'j\n' });
  const second = await workspaces.make('one', { base: 'HEAD', tree: null });
  expect(existsSync(join(second.tree, 'junk'))).toBe(false);
  expect((await second.capture()).type).toBe('unchanged');
});
