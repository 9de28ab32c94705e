/** What a checkout of the user has that no commit has. Nothing of the user's is written or run for it. */
import { copyFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from '../../mind/candidates/names.ts';
import { tryGit } from '../../os/git/git.ts';
import { type Context, inPrivateDir } from './context.ts';
import { withScratch } from './private-dir.ts';
import type { Worktree } from './worktrees.ts';

/**
 * Staged and changed files. A file that the user's filters or line ends change may be named though it is clean.
 * Returns null when git cannot tell.
 */
export const changedFiles = async (context: Context, worktree: Worktree, head: string): Promise<string[] | null> =>
  asShown(
    await look(context, worktree, [
      ['diff-index', '--cached', '--name-only', '-z', head],
      ['diff-files', '--name-only', '-z'],
    ]),
  );

/** The same, and new files that are not ignored: all that a worker does not see. */
export const uncommittedFiles = async (context: Context, worktree: Worktree, head: string): Promise<string[] | null> =>
  asShown(await uncommittedPaths(context, worktree, head));

/** As byte strings. */
export function uncommittedPaths(context: Context, worktree: Worktree, head: string): Promise<string[] | null> {
  const exclude = join(context.commonDir, 'info', 'exclude');
  const ignored = existsSync(exclude) ? [`--exclude-from=${exclude}`] : [];
  return look(context, worktree, [
    ['diff-index', '--cached', '--name-only', '-z', head],
    ['diff-files', '--name-only', '-z'],
    ['ls-files', '--others', '--exclude-per-directory=.gitignore', ...ignored, '-z'],
  ]);
}

function look(
  context: Context,
  { path, gitDir }: Worktree,
  questions: readonly (readonly string[])[],
): Promise<string[] | null> {
  return withScratch(context, 'look', async (scratch) => {
    const index = join(gitDir, 'index');
    if (!existsSync(index)) return null;
    copyFileSync(index, join(scratch, 'index'));
    // Not younger than the original, or files changed in the same moment would pass as clean.
    const time = Math.floor(statSync(index).mtimeMs / 1000);
    utimesSync(join(scratch, 'index'), time, time);
    const call = inPrivateDir(context, scratch, path);
    await tryGit(['update-index', '-q', '--refresh'], call);
    const names = new Set<string>();
    for (const question of questions) {
      const { code, stdout } = await tryGit(question, call);
      if (code !== 0) return null;
      for (const name of stdout.split('\0')) if (name !== '') names.add(name);
    }
    return [...names].sort();
  });
}

const asShown = (paths: string[] | null): string[] | null => paths?.map(shown).sort() ?? null;
