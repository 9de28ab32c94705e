/** Lands: puts a change on top of a branch that has moved, and moves the branch, which is found again after a crash. */
import type { HandContext, Hands, LineReport } from '../../engine/ports/hands.ts';
import { WorkspaceError, type Workspaces } from '../../engine/ports/workspace.ts';
import type { Effect, LineMove } from '../../mind/domain/work.ts';
import { publicationOf } from './applier.ts';

type Parts = Pick<Workspaces, 'integrate' | 'publish' | 'published' | 'land' | 'fastForward' | 'tip' | 'holds'>;

export function branchLander(workspaces: Parts): Hands['lander'] {
  return {
    integrate: ({ task }, { candidate, head, onto, branch }) =>
      orError(async () => {
        const done = await workspaces.integrate(`${task}.land`, candidate, head);
        if (done.type === 'integrated') {
          const { candidate, tipTree: tip_tree, since } = done;
          return { status: 'integrated', candidate, tip_tree, since: [...since] };
        }
        if (done.type === 'nothing_left') return { status: 'landed', commit: head };
        const paths = done.paths.slice(0, 10).join(', ');
        const reason = `${onto} has moved to ${head.slice(0, 12)} and conflicts in ${paths}: merge ${branch} by hand, or run the task again`;
        return { status: 'conflict', reason };
      }),
    async probe(effect, work, context) {
      const { integrated } = work;
      const commit =
        integrated === null
          ? work.commit
          : await workspaces.published(await publicationOf(effect, { ...integrated, spec: work.spec }, context));
      return commit !== null && (await workspaces.holds(work.onto, commit)) ? { status: 'landed', commit } : null;
    },
    move: (effect, work, context) =>
      orError(async () => {
        const commit = await published(workspaces, effect, work, context);
        return typeof commit === 'string' ? moveLine(workspaces, effect, work, commit) : commit;
      }),
    read: (_, { onto }) => orError(async () => ({ status: 'seen', commit: await workspaces.tip(onto) })),
  };
}

/** The commit to move to; the one for an integrated change is made now. */
async function published(
  workspaces: Parts,
  effect: Effect,
  { commit, integrated, spec }: LineMove,
  context: HandContext,
): Promise<string | LineReport> {
  if (integrated === null) return commit;
  const done = await workspaces.publish(await publicationOf(effect, { ...integrated, spec }, context));
  if (done.type === 'published') return done.commit;
  return refused(`branch ${integrated.branch} exists and holds something else: remove it`);
}

/** Where the branch is checked out and clean, the checkout moves with it, if the operator agreed. */
async function moveLine(
  workspaces: Parts,
  { task }: Effect,
  { onto, moveCheckout, candidate, integrated }: LineMove,
  commit: string,
): Promise<LineReport> {
  const change = { own: candidate, gated: integrated?.candidate ?? candidate };
  let moved = await workspaces.land(onto, commit, change);
  if (moved.type === 'checked_out') {
    const { path } = moved;
    if (!moveCheckout) {
      const reason = `${onto} is checked out in ${path} and clean: \`supervisor land ${task} --yes\` moves both, or run \`git merge --ff-only ${commit}\` there`;
      return { status: 'checked_out', reason, path };
    }
    const problem = await workspaces.fastForward({ path, branch: onto }, commit, change);
    if (problem !== null) return refused(problem);
    moved = await workspaces.land(onto, commit, change);
  }
  if (moved.type === 'landed') return { status: 'landed', commit };
  if (moved.type === 'moved') return { status: 'moved', commit: moved.at };
  return refused(moved.type === 'refused' ? moved.message : `${onto} was not moved by git: try again`);
}

const refused = (reason: string): LineReport => ({ status: 'refused', reason });

async function orError(work: () => Promise<LineReport>): Promise<LineReport> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { status: 'error', reason: error.message };
  }
}
