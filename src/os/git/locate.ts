/** Finds the repository of a directory by reading a few files: no git process, so `status` stays quick. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { GitError } from './git-error.ts';

/** The shared git directory (one for all worktrees), or null outside any repository. */
export function locateCommonDir(from: string): string | null {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    const found = gitDirAt(dir);
    if (found !== null) return realOf(commonOf(found));
    if (dirname(dir) === dir) return null;
  }
}

/** The git directory of the checkout around a directory, and that checkout's path; null outside any. */
export function locateCheckout(from: string): { readonly top: string; readonly gitDir: string } | null {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    const found = gitDirAt(dir);
    if (found !== null) return { top: dir, gitDir: found };
    if (dirname(dir) === dir) return null;
  }
}

/** A pointer to a missing place (a removed worktree, a loop of links) leads nowhere. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new GitError(
      `the repository's git directory ${path} is not there (${(error as NodeJS.ErrnoException).code}): was the main repository moved or removed?`,
    );
  }
}

/** The git directory of one checkout. */
function gitDirAt(dir: string): string | null {
  const dotGit = join(dir, '.git');
  const kind = statOf(dotGit);
  if (kind === 'directory') return dotGit;
  if (kind === 'file') {
    const target = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, 'utf8'))?.[1];
    return target === undefined ? null : resolve(dir, target.trim());
  }
  // A bare repository is its own git directory.
  return statOf(join(dir, 'HEAD')) === 'file' &&
    statOf(join(dir, 'objects')) === 'directory' &&
    statOf(join(dir, 'refs')) === 'directory'
    ? dir
    : null;
}

function commonOf(gitDir: string): string {
  const pointer = join(gitDir, 'commondir');
  return statOf(pointer) === 'file' ? resolve(gitDir, readFileSync(pointer, 'utf8').trim()) : gitDir;
}

function statOf(path: string): 'file' | 'directory' | null {
  const stat = lenientStat(path);
  if (stat?.isFile()) return 'file';
  return stat?.isDirectory() ? 'directory' : null;
}

function lenientStat(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A loop of links, or a directory without permission: not a repository that we could use.
    return undefined;
  }
}
