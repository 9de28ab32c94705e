/** Moves a branch of the user forward to an accepted commit, or says why not; index and working trees are only read. */
import { copyFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Landed } from '../../engine/ports/workspace.ts';
import { shown } from '../../mind/candidates/names.ts';
import { tryGit } from '../../os/git/git.ts';
import { type Context, checkId, failure, inPrivateDir, inUserRepository } from './context.ts';
import { noted, refLock } from './notes.ts';
import { withScratch } from './private-dir.ts';
import { branchCommit, checkBranch } from './publish.ts';
import { type Worktree, worktreesOn } from './worktrees.ts';

export async function land(context: Context, branch: string, commit: string): Promise<Landed> {
  checkId(commit);
  await checkBranch(context, branch);
  const call = inUserRepository(context);
  const old = await branchCommit(context, branch);
  if (old === null) return refused(`there is no branch ${branch}: create it first, \`git branch ${branch} ${commit}\``);
  if (old === commit || (await isAncestor(commit, old))) return { type: 'landed', commit };
  if ((await tryGit(['symbolic-ref', '--quiet', `refs/heads/${branch}`], call)).code === 0) {
    return refused(`${branch} is only another name of a branch: name the real one`);
  }
  if (!(await isAncestor(old, commit))) {
    return { type: 'moved', at: old };
  }
  const [worktree] = await worktreesOn(context, branch);
  if (worktree !== undefined) {
    const reason = await inUse(context, worktree, commit, old);
    return refused(`${branch} is checked out in ${worktree.path} ${reason}`);
  }
  const args = ['update-ref', '--no-deref', '-m', 'supervisor: land', `refs/heads/${branch}`, commit, old];
  const locks = { files: [refLock(`refs/heads/${branch}`, commit)], pack: false };
  const { code, stderr } = await noted(context, locks, () => tryGit(args, call));
  if (code === 0) return { type: 'landed', commit };
  const now = await branchCommit(context, branch);
  if (now !== old && now !== null) return { type: 'moved', at: now };
  throw failure(`moving ${branch}`, stderr);

  async function isAncestor(one: string, other: string): Promise<boolean> {
    const { code: answer, stderr: said } = await tryGit(['merge-base', '--is-ancestor', one, other], call);
    if (answer === 0 || answer === 1) return answer === 0;
    throw failure('comparing commits', said);
  }
}

async function inUse(context: Context, worktree: Worktree, commit: string, head: string): Promise<string> {
  const lock = join(worktree.gitDir, 'index.lock');
  if (!(await gone(lock, context.lockWaitMs))) {
    return `where another git process is at work (${lock}): wait for it; if none is running, remove that file yourself`;
  }
  const dirty = await dirtyFiles(context, worktree, head);
  if (dirty === null) return `and its state can not be told: run \`git merge --ff-only ${commit}\` there`;
  if (dirty.length === 0) return `and clean: run \`git merge --ff-only ${commit}\` there`;
  const more = dirty.length > 10 ? ` and ${dirty.length - 10} more` : '';
  return `with changes in ${dirty.slice(0, 10).join(', ')}${more}: commit them, then \`git merge --ff-only ${commit}\``;
}

async function gone(path: string, waitMs: number): Promise<boolean> {
  for (let waited = 0; existsSync(path); waited += 50) {
    if (waited >= waitMs) return false;
    await setTimeout(50);
  }
  return true;
}

/**
 * Staged and changed files, by a copy of the index and with our configuration, so that nothing of the user's is written
 * or run. A file that the user's filters or line ends change may be named though it is clean. Null: not to be told.
 */
function dirtyFiles(context: Context, { path, gitDir }: Worktree, head: string): Promise<string[] | null> {
  return withScratch(context, 'land', async (scratch) => {
    const index = join(gitDir, 'index');
    if (!existsSync(index)) return null;
    copyFileSync(index, join(scratch, 'index'));
    // Not younger than the original, or files changed in the same moment would pass as clean.
    const time = Math.floor(statSync(index).mtimeMs / 1000);
    utimesSync(join(scratch, 'index'), time, time);
    const call = inPrivateDir(context, scratch, path);
    await tryGit(['update-index', '-q', '--refresh'], call);
    const staged = await tryGit(['diff-index', '--cached', '--name-only', '-z', head], call);
    const changed = await tryGit(['diff-files', '--name-only', '-z'], call);
    if (staged.code !== 0 || changed.code !== 0) return null;
    const names = `${staged.stdout}${changed.stdout}`.split('\0').filter((name) => name !== '');
    return [...new Set(names)].map(shown).sort();
  });
}

const refused = (message: string): Landed => ({ type: 'refused', message });
