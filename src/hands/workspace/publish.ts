/** Makes a candidate a commit on a new branch of the user, in sub-steps that can each be interrupted and repeated. */
import type { Publication, Published } from '../../engine/ports/workspace.ts';
import { WorkspaceError } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import { tryGit } from '../../os/git/git.ts';
import { type Context, checkId, failure, inPrivateDir, inUserRepository, must } from './context.ts';
import { noted, refLock } from './notes.ts';
import { keepFiles, pin, removeKeeps } from './pins.ts';
import { withScratch } from './private-dir.ts';
import { checkedDiff } from './reading.ts';
import { transfer } from './transfer.ts';

export async function publish(context: Context, publication: Publication): Promise<Published> {
  const { branch, candidate } = publication;
  const name = `publish-${sha256(branch).slice(0, 12)}`;
  return withScratch(context, name, async (scratch) => {
    // Both are waited for: the scratch directory must not go while git still writes into it.
    const [named, made] = await Promise.allSettled([
      checkBranch(context, branch),
      makeCommit(context, scratch, publication),
    ]);
    if (named.status === 'rejected') throw named.reason;
    if (made.status === 'rejected') throw made.reason;
    const commit = made.value;
    context.failpoint('publish.committed');
    const before = await branchState(context, branch, commit);
    if (before.type === 'other') return { type: 'conflict', found: before.found };

    if (before.type === 'absent') {
      const moved = await transfer(context, scratch, { name, include: commit, exclude: candidate.base });
      if (moved.type === 'missing') throw failure('reading the candidate', moved.message);
      if (moved.type === 'refused') throw new WorkspaceError('not_the_candidate', moved.problem);
      context.failpoint('publish.transferred');
      await pin(context, [{ kind: 'published', name: 'commit', id: commit }]);
      context.failpoint('publish.pinned');
      const created = await createBranch(context, branch, commit);
      if (created !== null) return { type: 'conflict', found: created };
      context.failpoint('publish.branched');
    }
    removeKeeps(keepFiles(context, name));
    context.failpoint('publish.released');
    return { type: 'published', commit };
  });
}

export async function published(context: Context, publication: Publication): Promise<string | null> {
  await checkBranch(context, publication.branch);
  return withScratch(context, 'published', async (scratch) => {
    const commit = await makeCommit(context, scratch, publication);
    const state = await branchState(context, publication.branch, commit);
    return state.type === 'holds' ? commit : null;
  });
}

/** The same publication gives the same bytes, so the same id, wherever and whenever it is made. */
async function makeCommit(
  context: Context,
  scratch: string,
  { candidate, message, time }: Publication,
): Promise<string> {
  const call = inPrivateDir(context, scratch);
  for (const id of [candidate.base, candidate.tree]) checkId(id);
  // The sign keeps git from reading a small number as a year.
  const date = `@${Math.floor(time / 1000)} +0000`;
  const making = must(['commit-tree', '-p', candidate.base, candidate.tree], {
    ...call,
    encoding: 'utf8',
    env: { ...call.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    input: `${message.trimEnd()}\n`,
  });
  const [checked, commit] = await Promise.allSettled([checkedDiff(candidate, call), making]);
  if (checked.status === 'rejected') throw checked.reason;
  if (commit.status === 'rejected') throw commit.reason;
  return commit.value;
}

type BranchState =
  | { readonly type: 'absent' }
  /** It is the commit, or the user built on it. */
  | { readonly type: 'holds' }
  | { readonly type: 'other'; readonly found: string };

async function branchState(context: Context, branch: string, commit: string): Promise<BranchState> {
  const found = await branchCommit(context, branch);
  if (found === null) return { type: 'absent' };
  if (found === commit) return { type: 'holds' };
  const { code } = await tryGit(['merge-base', '--is-ancestor', commit, found], inUserRepository(context));
  return code === 0 ? { type: 'holds' } : { type: 'other', found };
}

export async function branchCommit(context: Context, branch: string): Promise<string | null> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}`];
  const { code, stdout } = await tryGit(asked, inUserRepository(context));
  return code === 0 ? stdout.trim() : null;
}

/** Creates the branch if there is none; what was found instead, or null when it is ours. */
async function createBranch(context: Context, branch: string, commit: string): Promise<string | null> {
  const none = '0'.repeat(commit.length);
  const args = ['update-ref', '-m', 'supervisor: publish', `refs/heads/${branch}`, commit, none];
  const locks = { files: [refLock(`refs/heads/${branch}`, commit)], pack: false };
  const { code, stderr } = await noted(context, locks, () => tryGit(args, inUserRepository(context)));
  if (code === 0) return null;
  const found = await branchCommit(context, branch);
  const inTheWay = /'refs\/heads\/([^']+)' exists; cannot create/.exec(stderr)?.[1];
  if (inTheWay !== undefined)
    throw new WorkspaceError(
      'git_failed',
      `branch ${inTheWay} is in the way of ${branch}: rename it (git branch -m ${inTheWay} OTHER), then resume the task`,
    );
  if (found === null) throw failure(`creating branch ${branch}`, stderr);
  return found === commit ? null : found;
}

export async function checkBranch(context: Context, branch: string): Promise<void> {
  // Most are plain words, and need no git to tell.
  if (/^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_-]*)*$/.test(branch)) return;
  const { code } = await tryGit(['check-ref-format', `refs/heads/${branch}`], inUserRepository(context));
  if (code === 0 && !branch.startsWith('-')) return;
  throw new WorkspaceError('bad_name', `"${branch}" is no name for a branch: see \`git help check-ref-format\``);
}
