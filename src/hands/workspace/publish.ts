/** Makes a candidate a commit on the task's branch, in sub-steps that can each be interrupted and repeated. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Publication, Published } from '../../engine/ports/workspace.ts';
import { WorkspaceError } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import { tryGit } from '../../os/git/git.ts';
import { commitBytes, commitId, packOf } from './commit-object.ts';
import { checkId, type GitContext, inPrivateDir, inUserRepository, WHO } from './context.ts';
import { failure } from './must-git.ts';
import { noted, refLock } from './notes.ts';
import { keepFiles, refOf, removeKeeps } from './pins.ts';
import { checkedDiff, keyOf } from './reading.ts';
import { receive } from './transfer.ts';

export async function publish(context: GitContext, publication: Publication): Promise<Published> {
  const { branch, replaces } = publication;
  const name = `publish-${sha256(branch).slice(0, 12)}`;
  await checkBranch(context, branch);
  const { bytes, commit } = await makeCommit(context, publication);
  context.failpoint('publish.committed');
  // The branch is nearly always new; looking first takes as long as creating it.
  const before = mayBeThere(context, branch) ? await branchState(context, branch, commit) : ABSENT;
  // Supervisor moves a branch only from where it put it: what a person built on it stays.
  const isOurs = before.type === 'other' && before.found === replaces;
  if (before.type === 'other' && !isOurs) return { type: 'conflict', found: before.found };

  if (before.type !== 'holds') {
    const moved = await receive(context, name, packOf(bytes, commit));
    if (moved.type === 'missing') throw failure('reading the candidate', moved.message);
    if (moved.type === 'refused') throw new WorkspaceError('not_the_candidate', moved.problem);
    context.failpoint('publish.transferred');
    const found = await setBranch(context, branch, { commit, from: isOurs ? before.found : null });
    if (found.type === 'other') {
      removeKeeps(keepFiles(context, name));
      return { type: 'conflict', found: found.found };
    }
    context.failpoint('publish.pinned');
    context.failpoint('publish.branched');
  }
  removeKeeps(keepFiles(context, name));
  context.failpoint('publish.released');
  return { type: 'published', commit };
}

export async function published(context: GitContext, publication: Publication): Promise<string | null> {
  await checkBranch(context, publication.branch);
  const { commit } = await makeCommit(context, publication);
  const state = await branchState(context, publication.branch, commit);
  return state.type === 'holds' ? commit : null;
}

/** The same publication gives the same bytes, and so the same id, wherever and whenever it is made. */
async function makeCommit(context: GitContext, { candidate, message, time, author, merges }: Publication) {
  const { base, tree } = candidate;
  const parents = [base, ...(merges === undefined ? [] : [merges])];
  for (const id of [...parents, tree]) checkId(id);
  if (!context.known.changes.has(keyOf(candidate))) await checkedDiff(candidate, inPrivateDir(context, null));
  const bytes = commitBytes({ tree, parents, author: author ?? WHO, committer: WHO, time, message });
  return { bytes, commit: commitId(bytes, tree) };
}

type BranchState =
  | { readonly type: 'absent' }
  /** The branch is at the commit, or the user built on it. */
  | { readonly type: 'holds' }
  | { readonly type: 'other'; readonly found: string };

const ABSENT: BranchState = { type: 'absent' };

/** Looks at git's ref files; with another ref format, an existing branch is noticed when it is created. */
function mayBeThere({ commonDir }: GitContext, branch: string): boolean {
  const ref = `refs/heads/${branch}`;
  if (existsSync(join(commonDir, ref))) return true;
  const packed = join(commonDir, 'packed-refs');
  return existsSync(packed) && readFileSync(packed, 'latin1').includes(` ${Buffer.from(ref).toString('latin1')}\n`);
}

async function branchState(context: GitContext, branch: string, commit: string): Promise<BranchState> {
  const found = await branchCommit(context, branch);
  if (found === null) return { type: 'absent' };
  if (found === commit) return { type: 'holds' };
  const { code } = await tryGit(['merge-base', '--is-ancestor', commit, found], inUserRepository(context));
  return code === 0 ? { type: 'holds' } : { type: 'other', found };
}

export async function branchCommit(context: GitContext, branch: string): Promise<string | null> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}`];
  const { code, stdout } = await tryGit(asked, inUserRepository(context));
  return code === 0 ? stdout.trim() : null;
}

/**
 * Pins the commit and creates the branch, or moves it from a commit; both or none. Returns an existing branch's state.
 * Git writes the refs in this order (seen with strace, 2.39): killed in between, it leaves a pin without a branch and
 * never the other way round.
 */
async function setBranch(
  context: GitContext,
  branch: string,
  { commit, from }: { readonly commit: string; readonly from: string | null },
): Promise<BranchState> {
  const ref = `refs/heads/${branch}`;
  const pin = refOf(context, { kind: 'published', name: 'commit', id: commit });
  const move = from === null ? `create ${ref} ${commit}` : `update ${ref} ${commit} ${from}`;
  const input = `update ${pin} ${commit}\n${move}\n`;
  const locks = { files: [refLock(pin, commit), refLock(ref, commit)], pack: false };
  const { code, stderr } = await noted(context, locks, () =>
    tryGit(['update-ref', '-m', 'supervisor: publish', '--stdin'], { ...inUserRepository(context), input }),
  );
  if (code === 0) return { type: 'holds' };
  const inTheWay = /'refs\/heads\/([^']+)' exists; cannot create/.exec(stderr)?.[1];
  if (inTheWay !== undefined)
    throw new WorkspaceError(
      'git_failed',
      `branch ${inTheWay} is in the way of ${branch}: rename it (git branch -m ${inTheWay} OTHER), then resume the task`,
    );
  const state = await branchState(context, branch, commit);
  if (state.type === 'absent') throw failure(`creating branch ${branch}`, stderr);
  return state;
}

export async function checkBranch(context: GitContext, branch: string): Promise<void> {
  // Most are plain words, which are valid without asking git.
  if (/^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_-]*)*$/.test(branch)) return;
  const { code } = await tryGit(['check-ref-format', `refs/heads/${branch}`], inUserRepository(context));
  if (code === 0 && !branch.startsWith('-')) return;
  throw new WorkspaceError('bad_name', `"${branch}" is no name for a branch: see \`git help check-ref-format\``);
}
