/** Copies what a checkout of the user has and a commit has not into a workspace made from that commit. Links are copied as links. */
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
import { dirname } from 'node:path';
import type { Captured } from '../../engine/ports/workspace.ts';
import { shown } from '../../mind/candidates/names.ts';
import { bytePath } from '../../os/files/walk-tree.ts';
import { capture } from './capture.ts';
import type { Context } from './context.ts';
import type { Made } from './make.ts';
import { tooLargeText } from './survey.ts';
import { uncommittedPaths } from './uncommitted.ts';
import { worktreeAt } from './worktrees.ts';

/** Returns null if git cannot tell what differs there. */
export async function captureCheckout(context: Context, made: Made, checkout: string): Promise<Captured | null> {
  const worktree = await worktreeAt(context, checkout);
  const paths = worktree === null ? null : await uncommittedPaths(context, worktree, made.base);
  if (worktree === null || paths === null) return null;
  const problem = copyAll({ from: worktree.path, to: made.tree }, paths, context.limits);
  return problem === null ? capture(context, made) : { type: 'refused', problems: [problem] };
}

type Places = { readonly from: string; readonly to: string };

/** Removals first: a file may stand where a directory is now. */
function copyAll(places: Places, paths: readonly string[], limits: Context['limits']) {
  const found = paths.map((path) => ({ path, kind: kindOf(places.from, path) }));
  // A repository inside of the checkout is listed with a slash at its end.
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

/** Returns null if it is not there. A path below a link is not: what a link points at is not part of the checkout. */
function kindOf(root: string, path: string): 'file' | 'link' | null {
  const names = path.split('/');
  for (let n = 1; n < names.length; n += 1)
    if (!lstatSync(bytePath(root, names.slice(0, n).join('/')), { throwIfNoEntry: false })?.isDirectory()) return null;
  const stat = lstatSync(bytePath(root, path), { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return 'link';
  return stat?.isFile() ? 'file' : null;
}

/** A directory that is empty now goes too, as git has none. */
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

function copyLink({ from, to }: Places, path: string): void {
  const target = readlinkSync(bytePath(from, path), { encoding: 'buffer' });
  makeRoom(to, path);
  symlinkSync(target, bytePath(to, path));
}

/** Its size; null: there is no room for so much. */
function copyFile({ from, to }: Places, path: string, room: number): number | null {
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

/** The workspace is as git wrote it, so its links are known: one that stands in the way of a directory was removed. */
function makeRoom(tree: string, path: string): void {
  rmSync(bytePath(tree, path), { force: true, recursive: true });
  if (path.includes('/')) mkdirSync(bytePath(tree, dirname(path)), { recursive: true, mode: 0o755 });
}
