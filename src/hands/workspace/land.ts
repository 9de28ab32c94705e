/** Moves a branch of the user forward to an accepted commit, or says why not; index and working trees are only read. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Landed, LandedChange } from '../../engine/ports/workspace.ts';
import { tryGit } from '../../os/git/git.ts';
import { type Context, checkId, inUserRepository } from './context.ts';
import { landingProblem, readCommit } from './landing-check.ts';
import { failure } from './must-git.ts';
import { noted, refLock } from './notes.ts';
import { branchCommit, checkBranch } from './publish.ts';
import { changedFiles } from './uncommitted.ts';
import { isPlainlyOn, type Worktree, worktreeAt, worktreesOn } from './worktrees.ts';

type Move = { readonly commit: string; readonly change: LandedChange };

export async function land(context: Context, branch: string, { commit, change }: Move): Promise<Landed> {
  checkId(commit);
  await checkBranch(context, branch);
  const call = inUserRepository(context);
  const old = await branchCommit(context, branch);
  if (old === null) return refused(`there is no branch ${branch}: create it first, \`git branch ${branch} ${commit}\``);
  if (old === commit || (await isAncestor(context, commit, old))) return { type: 'landed', commit };
  if ((await tryGit(['symbolic-ref', '--quiet', `refs/heads/${branch}`], call)).code === 0) {
    return refused(`${branch} is only another name of a branch: name the real one`);
  }
  // Not any descendant: a commit that builds further up would bring others along, which nobody accepted.
  if ((await readCommit(context, commit)).parents[0] !== old) return { type: 'moved', at: old };
  const problem = await landingProblem(context, { commit, tip: old }, change);
  if (problem !== null) return refused(notAsChecked(commit, problem));
  const [worktree] = await worktreesOn(context, branch);
  if (worktree !== undefined) {
    const reason = isPlainlyOn(worktree, branch)
      ? await inUse(context, worktree, commit, old)
      : 'in the middle of a rebase or bisect: finish that first';
    if (reason === null) return { type: 'checked_out', path: worktree.path };
    return refused(`${branch} is checked out in ${worktree.path} ${reason}`);
  }
  const args = ['update-ref', '--no-deref', '-m', 'supervisor: land', `refs/heads/${branch}`, commit, old];
  const locks = { files: [refLock(`refs/heads/${branch}`, commit)], pack: false };
  const { code, stderr } = await noted(context, locks, () => tryGit(args, call));
  if (code === 0) return { type: 'landed', commit };
  const now = await branchCommit(context, branch);
  if (now !== old && now !== null) return { type: 'moved', at: now };
  throw failure(`moving ${branch}`, stderr);
}

/** Whether a branch has the commit in its history; it is what a landing finds after a crash. */
export async function holds(context: Context, branch: string, commit: string): Promise<boolean> {
  checkId(commit);
  await checkBranch(context, branch);
  const tip = await branchCommit(context, branch);
  return tip !== null && (tip === commit || (await isAncestor(context, commit, tip)));
}

export async function tip(context: Context, branch: string): Promise<string | null> {
  await checkBranch(context, branch);
  return branchCommit(context, branch);
}

async function isAncestor(context: Context, one: string, other: string): Promise<boolean> {
  const { code, stderr } = await tryGit(['merge-base', '--is-ancestor', one, other], inUserRepository(context));
  if (code === 0 || code === 1) return code === 0;
  throw failure('comparing commits', stderr);
}

/** Says why the checkout cannot be moved; null if it is clean. */
async function inUse(context: Context, worktree: Worktree, commit: string, head: string): Promise<string | null> {
  const lock = join(worktree.gitDir, 'index.lock');
  if (!(await gone(lock, context.lockWaitMs))) {
    return `where another git process is at work (${lock}): wait for it; if none is running, remove that file yourself`;
  }
  const dirty = await changedFiles(context, worktree, head);
  if (dirty === null) return `and its state can not be told: run \`git merge --ff-only ${commit}\` there`;
  if (dirty.length === 0) return null;
  const more = dirty.length > 10 ? ` and ${dirty.length - 10} more` : '';
  return `with changes in ${dirty.slice(0, 10).join(', ')}${more}: commit or stash them, then repeat this command`;
}

async function gone(path: string, waitMs: number): Promise<boolean> {
  for (let waited = 0; existsSync(path); waited += 50) {
    if (waited >= waitMs) return false;
    await setTimeout(50);
  }
  return true;
}

/**
 * As the operator would do it there, with the operator's own settings: line ends and filters of files must come out as
 * usual. Hooks do not run.
 */
export async function fastForward(
  context: Context,
  { path, branch }: { readonly path: string; readonly branch: string },
  { commit, change }: Move,
): Promise<string | null> {
  checkId(commit);
  // The operator may have been asked in between: what was true then is looked at again.
  const old = await branchCommit(context, branch);
  const worktree = await worktreeAt(context, path);
  if (old === null || worktree === null || !isPlainlyOn(worktree, branch))
    return `${path} is not on ${branch} any more`;
  const reason = await inUse(context, worktree, commit, old);
  if (reason !== null) return `${branch} is checked out in ${path} ${reason}`;
  const problem = await landingProblem(context, { commit, tip: old }, change);
  if (problem !== null) return notAsChecked(commit, problem);
  const { owner, home } = context;
  const env = { GIT_CONFIG_NOSYSTEM: '0', GIT_ATTR_NOSYSTEM: '0', ...(owner === null ? ownSettings(home) : {}) };
  const { code, stderr } = await tryGit([...FAST_FORWARD, commit], {
    dir: path,
    owner,
    env,
    timeoutMs: FAST_FORWARD_MS,
  });
  if (code === 0) return null;
  const said = stderr
    .trim()
    .split('\n')
    .slice(0, 6)
    .map((line) => line.trim());
  return `git did not move the checkout in ${path}: ${said.join(' ') || `exit ${code}`}`;
}

/** Ignored files are the operator's too, and settings must not make anything else of it than a move of the branch. */
const FAST_FORWARD = [
  ...['merge', '--ff-only', '--no-overwrite-ignore', '--no-autostash', '--no-squash', '--no-stat', '--quiet'],
];

function ownSettings(home: string | null): Record<string, string> {
  if (home === null) return {};
  const file = [join(home, '.gitconfig'), join(home, '.config', 'git', 'config')].find(existsSync);
  return { HOME: home, ...(file === undefined ? {} : { GIT_CONFIG_GLOBAL: file }) };
}

const FAST_FORWARD_MS = 10 * 60_000;

const notAsChecked = (commit: string, problem: string): string =>
  `${commit.slice(0, 12)} is not what was checked: ${problem}; nothing was landed. Run \`supervisor verify\`, then land again`;

const refused = (message: string): Landed => ({ type: 'refused', message });
