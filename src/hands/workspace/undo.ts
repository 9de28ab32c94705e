/** An attempt without a model: git reverts what a landed task had changed, on top of the current branch. */
import type { Hands, WorkerReport } from '../../engine/ports/hands.ts';
import { type Integrated, WorkspaceError, type Workspaces } from '../../engine/ports/workspace.ts';
import type { ChangeFacts } from '../../mind/domain/risk-facts.ts';
import type { Candidate, Spec } from '../../mind/domain/values.ts';
import type { Effect } from '../../mind/domain/work.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import { outcome } from '../../mind/workers/outcome.ts';

type UndoDeps = {
  readonly workspaces: Pick<Workspaces, 'between' | 'integrate'>;
  /** Facts about the change, if an approval policy needs them. */
  readonly facts: (candidate: Candidate, base: string, work: WorkerRun) => Promise<ChangeFacts | null>;
};

/** Wraps the hand for workers: an undo is left to git. */
export const undoing = (parts: UndoDeps, worker: Hands['worker']): Hands['worker'] => ({
  run: (effect, work, context) => {
    const { base, spec } = work;
    if (spec.undo === undefined || base === null) return worker.run(effect, work, context);
    return undo(parts, effect, { ...work, base }, spec.undo);
  },
});

async function undo(
  { workspaces, facts }: UndoDeps,
  { task, token }: Effect,
  work: WorkerRun & { readonly base: string },
  { commit, parent }: NonNullable<Spec['undo']>,
): Promise<WorkerReport> {
  const { base } = work;
  try {
    const back = await workspaces.between(commit, parent);
    const done = await workspaces.integrate(`${task}.${token}`, back, base);
    // No incident: nothing is wrong, and a person who takes the task can finish it.
    if (done.type !== 'integrated') return { ...outcome('invalid', problemText(done, commit)), category: 'validation' };
    const { candidate } = done;
    const measured = await facts(candidate, base, work);
    return { class: 'ok', candidate, cost: FREE, ...(measured === null ? {} : { facts: measured }) };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return outcome(error.retryable ? 'transient' : 'blocked', error.message);
  }
}

const FREE = { microusd: 0, tokens_in: 0, tokens_out: 0 };

function problemText(done: Exclude<Integrated, { type: 'integrated' }>, commit: string): string {
  const short = commit.slice(0, 12);
  if (done.type === 'nothing_left') return `nothing is left to undo: the branch holds nothing of ${short} any more`;
  const paths = done.paths.slice(0, 10).join(', ');
  return `what landed since then depends on it, in ${paths}: \`git revert ${short}\` and resolve it by hand, or undo the newer tasks first`;
}
