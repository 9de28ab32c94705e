/** Finds the repository a directory belongs to by reading a few files: no git process, so `status` stays quick. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The shared git directory (one for all worktrees), or null outside of any repository. */
export function locateCommonDir(from: string): string | null {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    const found = gitDirAt(dir);
    if (found !== null) return realpathSync(commonOf(found));
    if (dirname(dir) === dir) return null;
  }
}

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
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile()) return 'file';
  return stat?.isDirectory() ? 'directory' : null;
}
