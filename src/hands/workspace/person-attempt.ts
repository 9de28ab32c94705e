/** An attempt without a model: captures and checks a person's work in their own checkout like a worker's. */
import type { HandContext, Hands, WorkerReport } from '../../engine/ports/hands.ts';
import { type Captured, WorkspaceError, type Workspaces } from '../../engine/ports/workspace.ts';
import type { Effect } from '../../mind/domain/work.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import { outcome, refusal, type TreeCheck } from '../../mind/workers/outcome.ts';
import { givenRecord } from '../../mind/workers/record.ts';

type GivenDeps = {
  readonly workspaces: Pick<Workspaces, 'captureCheckout'>;
  /** Checks write scope, protected paths and the text of the change, as for a worker. */
  readonly check: (
    captured: Extract<Captured, { type: 'candidate' }>,
    base: string,
    work: WorkerRun,
  ) => Promise<TreeCheck>;
};

/** Wraps the hand for workers, so that a step that a person took is left to that person. */
export const givenByPeople = (parts: GivenDeps, worker: Hands['worker']): Hands['worker'] => ({
  run: (effect, work, context) =>
    work.given === undefined ? worker.run(effect, work, context) : given(parts, effect, work, context),
});

async function given(
  { workspaces, check }: GivenDeps,
  { task, token }: Effect,
  work: WorkerRun,
  { keep }: Pick<HandContext, 'keep'>,
): Promise<WorkerReport> {
  const { dir = '', by = '' } = work.given ?? {};
  const base = work.input?.base ?? work.base;
  if (base === null) return outcome('blocked', 'the task has no commit to start from');
  try {
    const seen = await workspaces.captureCheckout(`${task}.${token}`, dir, base);
    if (seen === null) return outcome('blocked', `git cannot read the checkout ${dir}: was it moved or removed?`);
    const taken = asChanged(seen, work);
    const checked = taken.type === 'candidate' ? await check(taken, base, work) : null;
    const record = await keep(givenRecord({ by, dir, taken, checked }));
    return { ...judged(taken, checked), cost: FREE, record };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return outcome(error.retryable ? 'transient' : 'blocked', error.message);
  }
}

/** A person who reverts everything that was sent back has changed nothing. */
function asChanged(seen: Captured, { input }: WorkerRun): Captured {
  const isSame = seen.type === 'candidate' && seen.candidate.tree === input?.tree;
  return isSame ? { type: 'unchanged', ignored: seen.ignored } : seen;
}

function judged(taken: Captured, checked: TreeCheck | null): WorkerReport {
  if (taken.type === 'unchanged') return outcome('ok', '');
  if (taken.type === 'refused') return { ...outcome('invalid', refusal(taken.problems)), category: 'validation' };
  const diff = checked?.diff === undefined ? {} : { diff: checked.diff };
  if (checked?.ok !== true) {
    const kept = checked?.unfit === true ? {} : { sent_back: taken.candidate };
    const reason = checked?.reason ?? 'the tree of the candidate was not checked';
    return { ...outcome('invalid', reason), category: 'validation', ...kept, ...diff };
  }
  const facts = checked.facts === undefined ? {} : { facts: checked.facts };
  return { ...outcome('ok', ''), candidate: taken.candidate, ...facts, ...diff };
}

/** A person's time is not counted in tokens. */
const FREE = { microusd: 0, tokens_in: 0, tokens_out: 0 };
