/** Root works on repositories of other users as those users; run as somebody else, there is only one user anyway. */
import { execFileSync } from 'node:child_process';
import { chmodSync, lchownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRepository } from '../../src/os/git/repository.ts';
import { NOT_ROOT, untested } from '../support/untested.ts';
import { candidateOf, plain, publicationOf, put, type World, whole, world } from './repository.ts';

const ROOT = process.geteuid?.() === 0;
const notRoot = untested('repositories of another user', NOT_ROOT);
const UID = ROOT ? 1001 : (process.geteuid?.() ?? 0);

let w: World;
beforeEach(() => {
  w = world();
  if (ROOT) give(w.repo);
});
afterEach(() => w.end());

function give(dir: string): void {
  for (const name of readdirSync(dir, { recursive: true }) as string[]) lchownSync(join(dir, name), UID, UID);
  lchownSync(dir, UID, UID);
}

/** Git as the owner of the repository would run it. */
function asOwner(...args: string[]): string {
  return execFileSync('git', ['-C', w.repo, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
    ...(ROOT ? { uid: UID, gid: UID } : {}),
  }).trim();
}

const foreign = () =>
  (readdirSync(join(w.repo, '.git'), { recursive: true }) as string[])
    .filter((name) => statSync(join(w.repo, '.git', name)).uid !== UID)
    .sort();

test('make, capture, publish, land and sweep leave only files of the owner, who can continue to work', async () => {
  expect((await readRepository(w.repo)).branch).toBe('main');
  asOwner('branch', 'release');
  const workspaces = w.open();
  const workspace = await workspaces.make('one', { base: 'main', tree: null });
  if (ROOT) execFileSync('chown', ['-hR', '1002:1002', workspace.tree]);
  put(workspace.tree, { 'new.txt': 'n\n' });
  const captured = await workspace.capture();
  expect(foreign()).toEqual([]);
  const done = await workspaces.publish(publicationOf(captured));
  const commit = done.type === 'published' ? done.commit : '';
  expect((await workspaces.land('release', commit, whole(captured))).type).toBe('landed');
  const integrated = await workspaces.integrate('next', candidateOf(captured).candidate, 'main');
  expect(integrated.type).toBe('integrated');
  expect(foreign()).toEqual([]);
  asOwner('pack-refs', '--all');
  await workspaces.sweep(() => false, false);
  expect(foreign()).toEqual([]);
  asOwner('gc', '-q', '--prune=now');
  asOwner('branch', '-D', 'ai/task-1');
  asOwner('fsck', '--strict');
});

test('git run as root leaves files that the owner cannot work with (control)', () => {
  const commit = w.git('--git-dir=.git', 'rev-parse', 'HEAD');
  plain(w.repo, '--git-dir=.git', 'update-ref', 'refs/heads/ai/x', commit);
  expect(foreign().length > 0).toBe(ROOT);
  const remove = () => asOwner('branch', '-D', 'ai/x');
  if (ROOT) expect(remove).toThrow(/ermission denied/);
  else remove();
});

test.skipIf(notRoot)('a link in the repository leads root nowhere that its owner could not write', async () => {
  const outside = join(w.root, 'outside');
  mkdirSync(outside, { mode: 0o755 });
  symlinkSync(outside, join(w.repo, '.git/refs/supervisor'));
  await expect(w.open().make('one', { base: 'main', tree: null })).rejects.toThrow('unable to create directory');
  expect(readdirSync(outside)).toEqual([]);
  // Root itself goes there (control).
  w.git('--git-dir=.git', 'update-ref', 'refs/supervisor/x', w.git('--git-dir=.git', 'rev-parse', 'main'));
  expect(readdirSync(outside)).toEqual(['x']);
});

test.skipIf(notRoot)('a repository that its owner cannot enter is refused with the reason', async () => {
  chmodSync(w.root, 0o700);
  await expect(w.open().make('one', { base: 'main', tree: null })).rejects.toThrow(
    `the repository belongs to user ${UID}, who cannot enter`,
  );
});
