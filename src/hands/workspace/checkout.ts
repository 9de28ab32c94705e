/** Copies uncommitted files of a user's checkout into a workspace made from its commit. Links are copied as links. */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Captured } from '../../engine/ports/workspace.ts';
import { shown } from '../../mind/candidates/names.ts';
import { bytePath } from '../../os/files/walk-tree.ts';
import { capture } from './capture.ts';
import type { GitContext } from './context.ts';
import type { MadeWorkspace } from './make.ts';
import { tooLargeText } from './survey.ts';
import { conflictingPaths, uncommittedPaths } from './uncommitted.ts';
import { type Worktree, worktreeAt } from './worktrees.ts';

/** Returns null if git cannot tell what differs there. */
export async function captureCheckout(
  context: GitContext,
  made: MadeWorkspace,
  checkout: string,
): Promise<Captured | null> {
  const worktree = await worktreeAt(context, checkout);
  const paths = worktree === null ? null : await uncommittedPaths(context, worktree, made.base);
  if (worktree === null || paths === null || !isThere(worktree)) return null;
  const [conflict] = (await conflictingPaths(context, worktree)) ?? [];
  if (conflict !== undefined) {
    const problem = 'is in conflict: resolve it, and `git add` it';
    return { type: 'refused', problems: [{ path: shown(conflict), problem }] };
  }
  const problem = copyAll({ from: worktree.path, to: made.tree }, paths, context.limits);
  // If it were removed meanwhile, all its files would seem deleted.
  if (!isThere(worktree)) return null;
  return problem === null ? capture(context, made) : { type: 'refused', problems: [problem] };
}

/** A removed directory may still be listed among the worktrees. */
const isThere = ({ path, gitDir }: Worktree): boolean =>
  gitDir === path || lstatSync(join(path, '.git'), { throwIfNoEntry: false }) !== undefined;

type CopiedTree = { readonly from: string; readonly to: string };

/** Removals first: a file may be where a directory is now. */
function copyAll(places: CopiedTree, paths: readonly string[], limits: GitContext['limits']) {
  const found = paths.map((path) => ({ path, kind: kindOf(places.from, path) }));
  // A repository inside the checkout is listed with a slash at its end.
  const nested = found.find(({ path }) => path.endsWith('/'));
  if (nested !== undefined)
    return { path: shown(nested.path), problem: 'is a repository of its own: ignore it, or move it away' };
  let bytes = 0;
  for (const { path, kind } of found) if (kind === null) removeFrom(places.to, path);
  for (const { path, kind } of found) {
    if (kind === 'link') copyLink(places, path);
    if (kind !== 'file') continue;
    const copied = copyFile(places, path, limits.changedBytes - bytes);
    if (copied === null)
      return { path: shown(path), problem: tooLargeText(paths.length, limits.changedBytes + 1, limits) };
    bytes += copied;
  }
  return null;
}

/** Returns null if it is missing, or below a link: a link's target is not part of the checkout. */
function kindOf(root: string, path: string): 'file' | 'link' | null {
  const names = path.split('/');
  for (let n = 1; n < names.length; n += 1)
    if (!lstatSync(bytePath(root, names.slice(0, n).join('/')), { throwIfNoEntry: false })?.isDirectory()) return null;
  const stat = lstatSync(bytePath(root, path), { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return 'link';
  return stat?.isFile() ? 'file' : null;
}

/** Removes directories that become empty, as git has none. */
function removeFrom(tree: string, path: string): void {
  const at = bytePath(tree, path);
  if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return;
  rmSync(at, { force: true });
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    try {
      rmdirSync(bytePath(tree, parent));
    } catch {
      return;
    }
  }
}

function copyLink({ from, to }: CopiedTree, path: string): void {
  const target = readlinkSync(bytePath(from, path), { encoding: 'buffer' });
  makeRoom(to, path);
  symlinkSync(target, bytePath(to, path));
}

/** Returns its size; null if it is too large. */
function copyFile({ from, to }: CopiedTree, path: string, room: number): number | null {
  const fd = openSync(bytePath(from, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (stat.size > room) return null;
    const bytes = readFileSync(fd);
    makeRoom(to, path);
    writeFileSync(bytePath(to, path), bytes, { flag: 'wx' });
    chmodSync(bytePath(to, path), (stat.mode & 0o100) === 0 ? 0o644 : 0o755);
    return bytes.length;
  } finally {
    closeSync(fd);
  }
}

/** Git wrote the workspace, so its links are known: one that stands in the way of a directory was removed. */
function makeRoom(tree: string, path: string): void {
  rmSync(bytePath(tree, path), { force: true, recursive: true });
  if (path.includes('/')) mkdirSync(bytePath(tree, dirname(path)), { recursive: true, mode: 0o755 });
}
