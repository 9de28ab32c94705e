/** Lands: puts changes on top of a branch that has moved, and moves the branch, which is found again after a crash. */
import type { HandContext, Hands, LineReport } from '../../engine/ports/hands.ts';
import { type LandedCommit, type Publication, WorkspaceError, type Workspaces } from '../../engine/ports/workspace.ts';
import { onTopBranch } from '../../mind/domain/line-effects.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { Effect, LineIntegrate, LineMove } from '../../mind/domain/work.ts';
import { publicationOf } from './applier.ts';

type LanderWorkspaces = Pick<
  Workspaces,
  'integrate' | 'between' | 'publish' | 'published' | 'land' | 'fastForward' | 'tip' | 'holds'
>;

export function branchLander(workspaces: LanderWorkspaces): Hands['lander'] {
  return {
    integrate: ({ task }, work) => orError(() => integrate(workspaces, task, work)),
    async probe(effect, work, context) {
      const commits: string[] = [];
      for (const publication of publicationsOf(effect, work, context)) {
        const commit = await workspaces.published(await publication(commits));
        if (commit === null) return null;
        commits.push(commit);
      }
      const commit = commits.at(-1) ?? work.commit;
      return (await workspaces.holds(work.onto, commit)) ? landedAs(commit, commits) : null;
    },
    move: (effect, work, context) =>
      orError(async () => {
        const commits: string[] = [];
        for (const publication of work.regate === true ? [] : publicationsOf(effect, work, context)) {
          const one = await publication(commits);
          const done = await workspaces.publish(one);
          if (done.type !== 'published')
            return refused(`branch ${one.branch} exists and holds something else: remove it`);
          commits.push(done.commit);
        }
        return moveLine(workspaces, effect, work, commits);
      }),
    read: (_, { onto }) => orError(async () => ({ status: 'seen', commit: await workspaces.tip(onto) })),
  };
}

async function integrate(workspaces: LanderWorkspaces, task: string, work: LineIntegrate): Promise<LineReport> {
  const { head, onto, branch } = work;
  const done = await workspaces.integrate(`${task}.land`, work.candidate, head);
  if (done.type === 'integrated') {
    const { candidate, tipTree: tip_tree, since } = done;
    const batch = await batchOn(workspaces, candidate, work);
    return { status: 'integrated', candidate, tip_tree, since: [...since], ...batch };
  }
  if (done.type === 'nothing_left') return { status: 'landed', commit: head };
  const paths = done.paths.slice(0, 10).join(', ');
  const reason = `${onto} has moved to ${head.slice(0, 12)} and conflicts in ${paths}: merge ${branch} by hand, or run the task again`;
  return { status: 'conflict', reason, since: [...done.since] };
}

/** Puts the others on top of it, up to the first that conflicts: that one waits until it is the first of the queue. */
async function batchOn(
  workspaces: LanderWorkspaces,
  first: Candidate,
  { head, more = [] }: LineIntegrate,
): Promise<Partial<LineReport>> {
  const stack = [{ tree: first.tree, change_id: first.change_id }];
  let above = first.tree;
  for (const { task, candidate } of more) {
    const done = await workspaces.integrate(`${task}.land`, candidate, head, above);
    if (done.type !== 'integrated') break;
    const { tree, change_id } = done.candidate;
    stack.push({ tree, change_id });
    above = tree;
  }
  return stack.length < 2 ? {} : { candidate: await workspaces.between(head, above), stack };
}

/** The commits to make, in order; none if the task's own commit lands. Each one gets the ids of those below it. */
function publicationsOf(
  effect: Effect,
  { integrated, spec, more = [] }: LineMove,
  context: HandContext,
): ((below: readonly string[]) => Promise<Publication>)[] {
  if (integrated === null) return [];
  const others = more.map((one) => async (below: readonly string[]) => {
    const base = below.at(-1) ?? '';
    const { candidate, branch } = one.integrated;
    const placed = { candidate: { ...candidate, base }, branch: onTopBranch(branch, base, one.integrated) };
    return publicationOf({ ...effect, task: one.task }, { ...one.integrated, ...placed, spec: one.spec }, context);
  });
  return [() => publicationOf(effect, { ...integrated, spec }, context), ...others];
}

/** If the branch is checked out and clean, the checkout moves with it, if the operator agreed. */
async function moveLine(
  workspaces: LanderWorkspaces,
  { task }: Effect,
  work: LineMove,
  commits: readonly string[],
): Promise<LineReport> {
  const { onto, moveCheckout } = work;
  const { commit, change, below } = whatLands(work, commits);
  let moved = await workspaces.land(onto, commit, change, below);
  if (moved.type === 'checked_out') {
    const { path } = moved;
    if (!moveCheckout) {
      const reason = `${onto} is checked out in ${path} and clean: \`supervisor land ${task} --yes\` moves both, or run \`git merge --ff-only ${commit}\` there`;
      return { status: 'checked_out', reason, path };
    }
    const problem = await workspaces.fastForward({ path, branch: onto }, commit, change, below);
    if (problem !== null) return refused(problem);
    moved = await workspaces.land(onto, commit, change, below);
  }
  if (moved.type === 'landed') return landedAs(commit, commits);
  if (moved.type === 'moved') return { status: 'moved', commit: moved.at };
  return refused(moved.type === 'refused' ? moved.message : `${onto} was not moved by git: try again`);
}

/** The last commit, and those below it. */
function whatLands(
  { commit, candidate, integrated, regate, more = [] }: LineMove,
  commits: readonly string[],
): LandedCommit & { readonly below: readonly LandedCommit[] } {
  const first = { own: candidate, gated: regate === true ? null : (integrated?.candidate ?? candidate) };
  const changes = [first, ...more.map((one) => ({ own: one.candidate, gated: one.integrated.candidate }))];
  const moves = changes.map((change, n): LandedCommit => ({ commit: commits[n] ?? commit, change }));
  const last = moves.at(-1) ?? { commit, change: first };
  return { ...last, below: moves.slice(0, -1) };
}

const landedAs = (commit: string, commits: readonly string[]): LineReport => ({
  status: 'landed',
  commit,
  ...(commits.length < 2 ? {} : { commits: [...commits] }),
});

const refused = (reason: string): LineReport => ({ status: 'refused', reason });

async function orError(work: () => Promise<LineReport>): Promise<LineReport> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { status: 'error', reason: error.message };
  }
}
