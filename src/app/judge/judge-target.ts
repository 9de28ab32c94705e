/** Finds what `judge` looks at: a commit, a range, a branch or uncommitted files, each as a candidate on its base. */
import type { ChangedPath, Workspaces } from '../../engine/ports/workspace.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { Repository } from '../../os/git/repository.ts';
import { branchNamed, commitNamed, mergeBase, messageOf, messagesIn, parentsOf } from '../../os/git/revisions.ts';

export type JudgeTarget = {
  readonly kind: 'commit' | 'range' | 'branch' | 'uncommitted';
  /** The name as the user gave it. */
  readonly name: string;
  readonly base: string;
  /** Null if it is not committed yet. */
  readonly commit: string | null;
  /** The commit messages. They describe the task if nothing else does. */
  readonly message: string;
};

/** The target cannot be judged; the message says what to name instead. */
export class NoTarget extends Error {
  override readonly name = 'NoTarget';
}

const BASES = ['main', 'master', 'origin/main', 'origin/master'];

const FETCH = ' here: fetch it, or see what there is with `git branch -a`';

/** `gitDir`: the checkout's own git directory, whose `HEAD` is its commit and not another worktree's. */
export async function findTarget(
  { gitDir, head, branch }: Pick<Repository, 'head' | 'branch'> & { readonly gitDir: string },
  asked: string | undefined,
  onto: string | null,
): Promise<JudgeTarget> {
  if (asked === undefined) return uncommittedTarget(gitDir, head, onto);
  const range = /^(.*?)\.{2,3}(.*)$/.exec(asked);
  if (range !== null) return rangeTarget(gitDir, asked, [range[1] || 'HEAD', range[2] || 'HEAD']);
  const tip = await branchNamed(gitDir, asked);
  if (tip !== null) return branchTarget(gitDir, { name: asked, tip }, onto);
  const commit = await commitNamed(gitDir, asked);
  if (commit === null) throw new NoTarget(`there is no commit, range or branch ${asked}${FETCH}`);
  if (onto !== null) {
    const name = asked === 'HEAD' && branch !== null ? branch : asked;
    return branchTarget(gitDir, { name, tip: commit }, onto);
  }
  return commitTarget(gitDir, asked, commit);
}

/** With a branch to compare with, commits since then count as well. */
async function uncommittedTarget(gitDir: string, head: string | null, onto: string | null): Promise<JudgeTarget> {
  if (head === null)
    throw new NoTarget('nothing is committed yet, so there is no base to judge against: commit something first');
  const about = { kind: 'uncommitted', name: 'uncommitted changes', commit: null } as const;
  if (onto === null) return { ...about, base: head, message: '' };
  const { base, message } = await branchTarget(gitDir, { name: 'HEAD', tip: head }, onto);
  return { ...about, name: `everything since ${onto}`, base, message };
}

async function commitTarget(gitDir: string, name: string, commit: string): Promise<JudgeTarget> {
  const [parent] = await parentsOf(gitDir, commit);
  if (parent === undefined)
    throw new NoTarget(
      `${name} is the first commit: there is nothing before it to compare with. Name a later commit, or a range`,
    );
  if ((await commitNamed(gitDir, parent)) === null)
    throw new NoTarget(`the commit before ${name} was not fetched: run \`git fetch --deepen=1\` first`);
  return { kind: 'commit', name, base: parent, commit, message: await messageOf(gitDir, commit) };
}

async function rangeTarget(gitDir: string, name: string, ends: readonly [string, string]): Promise<JudgeTarget> {
  const [from, to] = await Promise.all(ends.map((end) => commitNamed(gitDir, end)));
  if (from === null || from === undefined) throw new NoTarget(`there is no commit ${ends[0]}${FETCH}`);
  if (to === null || to === undefined) throw new NoTarget(`there is no commit ${ends[1]}${FETCH}`);
  return between(gitDir, { kind: 'range', name, from, to });
}

async function branchTarget(
  gitDir: string,
  { name, tip }: { readonly name: string; readonly tip: string },
  onto: string | null,
): Promise<JudgeTarget> {
  const bases = onto === null ? BASES.filter((one) => one !== name) : [onto];
  for (const base of bases) {
    const from = (await branchNamed(gitDir, base)) ?? (onto === null ? null : await commitNamed(gitDir, base));
    if (from !== null) return between(gitDir, { kind: 'branch', name, from, to: tip });
  }
  throw new NoTarget(
    onto === null
      ? `there is no branch main or master to compare ${name} with: name one with --onto`
      : `there is no branch ${onto}${FETCH}`,
  );
}

async function between(
  gitDir: string,
  {
    kind,
    name,
    from,
    to,
  }: { readonly kind: 'range' | 'branch'; readonly name: string; readonly from: string; readonly to: string },
): Promise<JudgeTarget> {
  const base = await mergeBase(gitDir, from, to);
  if (base === null)
    throw new NoTarget(
      `${name}: its two ends share no commit here. If the clone is shallow, run \`git fetch --unshallow\``,
    );
  return { kind, name, base, commit: to, message: (await messagesIn(gitDir, base, to)).join('\n\n') };
}

export type JudgedChange =
  | { readonly type: 'change'; readonly candidate: Candidate; readonly changed: readonly ChangedPath[] }
  | { readonly type: 'nothing' }
  | { readonly type: 'refused'; readonly problems: readonly string[] };

/** Pins the change under `name`, which is unique to this judgement, and releases it under that name. */
export async function changeOf(
  workspaces: Workspaces,
  target: JudgeTarget,
  { checkout, name }: { readonly checkout: string; readonly name: string },
): Promise<JudgedChange> {
  if (target.commit !== null) {
    const candidate = await workspaces.between(target.base, target.commit);
    const changed = await workspaces.changes(candidate);
    return changed.length === 0 ? { type: 'nothing' } : { type: 'change', candidate, changed };
  }
  const captured = await workspaces.captureCheckout(name, checkout, target.base);
  if (captured === null) return { type: 'refused', problems: ['git cannot tell what is not committed here'] };
  switch (captured.type) {
    case 'candidate':
      return { type: 'change', candidate: captured.candidate, changed: captured.changed };
    case 'unchanged':
      return { type: 'nothing' };
    case 'refused':
      return {
        type: 'refused',
        problems: captured.problems.map(({ path, problem }) => (path === '' ? problem : `${path}: ${problem}`)),
      };
    default:
      throw new Error('unknown capture');
  }
}
