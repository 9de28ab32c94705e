/**
 * Makes a checkout for a person: a linked worktree of their own repository, with the files of a change in it and in its
 * index. What the change adds to its base shows as staged. Existing files are never overwritten.
 */
import {
  copyFileSync,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type CheckOut, WorkspaceError } from '../../engine/ports/workspace.ts';
import { isAlive, thisProcess } from '../../os/machine/identity.ts';
import { checkId, type GitContext, inPrivateDir, inUserRepository } from './context.ts';
import { loadInput } from './input.ts';
import { must } from './must-git.ts';
import { withScratch } from './private-dir.ts';
import { type Worktree, worktreeAt } from './worktrees.ts';

const NOTE = 'supervisor-take.json';
const CLAIM = 'supervisor-take.claim';

/**
 * Returns the checkout's git directory. Called again after a crash, it completes an interrupted checkout and leaves a
 * complete one alone.
 */
export async function checkOut(context: GitContext, what: CheckOut): Promise<string> {
  const { dir, base, tree, note } = what;
  checkId(base);
  if (tree !== null) checkId(tree);
  const { gitDir } = await worktree(context, what);
  context.failpoint('take.added');
  if (existsSync(join(gitDir, NOTE))) return gitDir;
  const claim = join(gitDir, CLAIM);
  claimFor(claim, dir);
  try {
    await withScratch(context, 'take', async (scratch) => {
      await loadInput(context, scratch, { base, tree: tree ?? base, asInBase: [], planted: [] });
      const call = inPrivateDir(context, scratch, dir);
      await must(['checkout-index', '--all', '--force', '--quiet', '--index'], call);
      context.failpoint('take.written');
      copyFileSync(join(scratch, 'index'), join(gitDir, 'index'));
    });
    giveToOwner(context, dir, gitDir);
    writeFileSync(join(gitDir, NOTE), note);
    if (context.owner !== null) lchownSync(join(gitDir, NOTE), context.owner.uid, context.owner.gid);
    return gitDir;
  } finally {
    rmSync(claim, { force: true });
  }
}

async function worktree(context: GitContext, { dir, base }: CheckOut): Promise<Worktree> {
  const known = await worktreeAt(context, dir);
  if (known !== null && existsSync(join(dir, '.git')) && existsSync(join(known.gitDir, 'commondir'))) return known;
  if (!isFree(dir))
    throw new WorkspaceError('bad_name', `${dir} exists already, and nothing is overwritten: name another directory`);
  await must(
    ['worktree', 'add', '--force', '--force', '--detach', '--no-checkout', dir, base],
    inUserRepository(context),
  );
  const made = await worktreeAt(context, dir);
  if (made === null) throw new WorkspaceError('git_failed', `git made no worktree in ${dir}`);
  return made;
}

/** Files that root wrote belong to the owner of the repository, like everything else there. */
function giveToOwner({ owner }: GitContext, dir: string, gitDir: string): void {
  if (owner === null) return;
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of entries) lchownSync(join(parentPath, name), owner.uid, owner.gid);
  lchownSync(join(gitDir, 'index'), owner.uid, owner.gid);
}

/** The path is free, or an empty directory. */
function isFree(dir: string): boolean {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  return stat === undefined || (stat.isDirectory() && readdirSync(dir).length === 0);
}

/** Two terminals of one person make it once. */
function claimFor(claim: string, dir: string): void {
  const own = JSON.stringify(thisProcess());
  try {
    writeFileSync(claim, own, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isHeld(claim))
      throw new WorkspaceError('locked', `another terminal is making the checkout ${dir}: wait for it`);
    writeFileSync(claim, own);
  }
}

function isHeld(claim: string): boolean {
  try {
    return isAlive(JSON.parse(readFileSync(claim, 'utf8')));
  } catch {
    return false;
  }
}
