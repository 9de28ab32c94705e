/** Moves a branch of the user forward to an accepted commit, or says why not. Only reads index and working trees. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Landed, LandedCommit } from '../../engine/ports/workspace.ts';
import { parseRawDiff } from '../../mind/candidates/raw-diff.ts';
import { tryGit } from '../../os/git/git.ts';
import { checkId, type GitContext, inPrivateDir, inUserRepository } from './context.ts';
import { landingProblem, readCommit } from './landing-check.ts';
import { failure } from './must-git.ts';
import { noted, refLock } from './notes.ts';
import { branchCommit, checkBranch } from './publish.ts';
import { checkedDiff } from './reading.ts';
import { treeEntries } from './tree-entries.ts';
import { changedFiles } from './uncommitted.ts';
import { isPlainlyOn, type Worktree, worktreeAt, worktreesOn } from './worktrees.ts';

/** `moves`: the commits that the branch gets, oldest first; it is moved once, to the last. */
export async function land(context: GitContext, branch: string, moves: readonly LandedCommit[]): Promise<Landed> {
  const commit = tipOf(moves);
  checkId(commit);
  await checkBranch(context, branch);
  const call = inUserRepository(context);
  const old = await branchCommit(context, branch);
  if (old === null)
    return refused(
      `there is no branch ${branch}: create it first, \`git branch ${branch} ${commit}\`, or name another one with --onto`,
    );
  const held = old === commit || (await isAncestor(context, commit, old));
  if (held && !(await isTakenBack(context, moves, old))) return { type: 'landed', commit };
  if ((await tryGit(['symbolic-ref', '--quiet', `refs/heads/${branch}`], call)).code === 0) {
    return refused(`${branch} is a symbolic ref: name the real branch`);
  }
  const now = await checkoutOf(context, branch, { commit, old });
  if (now?.type === 'refused') return now;
  // Not any descendant: a commit that builds further up would bring along changes that were not accepted.
  const isOnTip = !held && (await readCommit(context, moves[0]?.commit ?? commit)).parents[0] === old;
  if (!isOnTip || moves.some(({ change }) => change.gated === null)) return { type: 'moved', at: old };
  const problem = await problemOf(context, moves, old);
  if (problem !== null) return refused(problem);
  const checkout = await checkoutOf(context, branch, { commit, old });
  if (checkout !== null) return checkout;
  const args = ['update-ref', '--no-deref', '-m', 'supervisor: land', `refs/heads/${branch}`, commit, old];
  const locks = { files: [refLock(`refs/heads/${branch}`, commit)], pack: false };
  const { code, stderr } = await noted(context, locks, () => tryGit(args, call));
  if (code === 0) return { type: 'landed', commit };
  const after = await branchCommit(context, branch);
  if (after !== old && after !== null) return { type: 'moved', at: after };
  throw failure(`moving ${branch}`, stderr);
}

/** Whether every path of the change is on the branch as it was before: it had landed, and was undone. */
async function isTakenBack(
  context: GitContext,
  [move, ...more]: readonly LandedCommit[],
  tip: string,
): Promise<boolean> {
  if (move === undefined || more.length > 0) return false;
  const call = inPrivateDir(context, null);
  const [change, there] = await Promise.all([checkedDiff(move.change.own, call), treeEntries(tip, call)]);
  return parseRawDiff(change).every(({ path, before }) => {
    const now = there.get(path);
    return now?.mode === before?.mode && now?.id === before?.id;
  });
}

const tipOf = (moves: readonly LandedCommit[]): string => moves.at(-1)?.commit ?? '';

/** Why the branch may not get these commits, each on top of the one before; null: it may. */
async function problemOf(context: GitContext, moves: readonly LandedCommit[], from: string): Promise<string | null> {
  let tip = from;
  for (const { commit, change } of moves) {
    const problem = await landingProblem(context, { commit, tip }, change);
    if (problem !== null) return notAsChecked(commit, problem);
    tip = commit;
  }
  return null;
}

/** Whether a branch has the commit in its history; after a crash this finds a finished landing. */
export async function holds(context: GitContext, branch: string, commit: string): Promise<boolean> {
  checkId(commit);
  await checkBranch(context, branch);
  const tip = await branchCommit(context, branch);
  return tip !== null && (tip === commit || (await isAncestor(context, commit, tip)));
}

export async function tip(context: GitContext, branch: string): Promise<string | null> {
  await checkBranch(context, branch);
  return branchCommit(context, branch);
}

async function isAncestor(context: GitContext, one: string, other: string): Promise<boolean> {
  const { code, stderr } = await tryGit(['merge-base', '--is-ancestor', one, other], inUserRepository(context));
  if (code === 0 || code === 1) return code === 0;
  throw failure('comparing commits', stderr);
}

type Checkout = Extract<Landed, { type: 'checked_out' | 'refused' }>;

/** The checkout that has to move with the branch, or why it cannot; null: the branch is checked out nowhere. */
async function checkoutOf(
  context: GitContext,
  branch: string,
  { commit, old }: { readonly commit: string; readonly old: string },
): Promise<Checkout | null> {
  const [worktree, another] = await worktreesOn(context, branch);
  if (worktree === undefined) return null;
  const { path } = worktree;
  if (another !== undefined)
    return refused(`${branch} is checked out in ${path} and in ${another.path}: only one of them could move with it`);
  const reason = isPlainlyOn(worktree, branch)
    ? await inUse(context, worktree, commit, old)
    : 'in the middle of a rebase or bisect: finish that first';
  return reason === null ? { type: 'checked_out', path } : refused(`${branch} is checked out in ${path} ${reason}`);
}

/** Returns why the checkout cannot be moved; null if it is clean. */
async function inUse(context: GitContext, worktree: Worktree, commit: string, head: string): Promise<string | null> {
  if (!existsSync(worktree.path)) return 'which is gone: `git worktree prune` forgets it';
  const lock = join(worktree.gitDir, 'index.lock');
  if (!(await gone(lock, context.lockWaitMs))) {
    return `where another git process is at work (${lock}): wait for it; if none is running, remove that file yourself`;
  }
  const dirty = await changedFiles(context, worktree, head);
  if (dirty === null) return `and its state is unknown: run \`git merge --ff-only ${commit}\` there`;
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
 * As the operator would do it there, with their own settings: line ends and filters must come out as usual. Hooks do
 * not run.
 */
export async function fastForward(
  context: GitContext,
  { path, branch }: { readonly path: string; readonly branch: string },
  moves: readonly LandedCommit[],
): Promise<string | null> {
  const commit = tipOf(moves);
  checkId(commit);
  // The operator may have been asked in between, so the state is checked again.
  const old = await branchCommit(context, branch);
  const worktree = await worktreeAt(context, path);
  if (old === null || worktree === null || !isPlainlyOn(worktree, branch))
    return `${path} is not on ${branch} any more`;
  const reason = await inUse(context, worktree, commit, old);
  if (reason !== null) return `${branch} is checked out in ${path} ${reason}`;
  const problem = await problemOf(context, moves, old);
  if (problem !== null) return problem;
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

/** Ignored files belong to the operator, too; settings must not turn this into more than moving the branch. */
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

const refused = (message: string) => ({ type: 'refused', message }) as const;
