/** The uncommitted files of a user's checkout. Writes and runs nothing of the user's. */
import { copyFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from '../../mind/candidates/names.ts';
import { type GitCall, tryGit } from '../../os/git/git.ts';
import { type GitContext, inPrivateDir } from './context.ts';
import { loadInput } from './input.ts';
import { withScratch } from './private-dir.ts';
import type { Worktree } from './worktrees.ts';

/**
 * Staged and changed files. A clean file may be listed if the user's filters or line ends change it. Returns null if
 * git cannot tell.
 */
export const changedFiles = async (context: GitContext, worktree: Worktree, head: string): Promise<string[] | null> =>
  asShown(
    await look(context, worktree, [
      ['diff-index', '--cached', '--name-only', '-z', head],
      ['diff-files', '--name-only', '-z'],
    ]),
  );

/** The same plus new files that are not ignored: everything that a worker does not see. */
export const uncommittedFiles = async (
  context: GitContext,
  worktree: Worktree,
  head: string,
): Promise<string[] | null> => asShown(await uncommittedPaths(context, worktree, head));

/**
 * Files that differ from a tree, whatever the checkout's own index holds, and new ones that are not ignored; null if
 * git does not tell.
 */
export function differing(context: GitContext, dir: string, tree: string): Promise<string[] | null> {
  return withScratch(context, 'look', async (scratch) => {
    await loadInput(context, scratch, { base: tree, tree, asInBase: [], planted: [] });
    return asShown(
      await ask(inPrivateDir(context, scratch, dir), [['diff-files', '--name-only', '-z'], others(context)]),
    );
  });
}

/** As byte strings. */
export function uncommittedPaths(context: GitContext, worktree: Worktree, head: string): Promise<string[] | null> {
  return look(context, worktree, [
    ['diff-index', '--cached', '--name-only', '-z', head],
    ['diff-files', '--name-only', '-z'],
    others(context),
  ]);
}

/** Files in conflict, as byte strings; null if git cannot tell. */
export const conflictingPaths = (context: GitContext, worktree: Worktree): Promise<string[] | null> =>
  look(context, worktree, [['diff-files', '--name-only', '--diff-filter=U', '-z']]);

function others({ commonDir }: GitContext): readonly string[] {
  const exclude = join(commonDir, 'info', 'exclude');
  const ignored = existsSync(exclude) ? [`--exclude-from=${exclude}`] : [];
  return ['ls-files', '--others', '--exclude-per-directory=.gitignore', ...ignored, '-z'];
}

function look(
  context: GitContext,
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
    return ask(inPrivateDir(context, scratch, path), questions);
  });
}

async function ask(call: GitCall, questions: readonly (readonly string[])[]): Promise<string[] | null> {
  await tryGit(['update-index', '-q', '--refresh'], call);
  const names = new Set<string>();
  for (const question of questions) {
    const { code, stdout } = await tryGit(question, call);
    if (code !== 0) return null;
    for (const name of stdout.split('\0')) if (name !== '') names.add(name);
  }
  return [...names].sort();
}

const asShown = (paths: string[] | null): string[] | null => paths?.map(shown).sort() ?? null;
