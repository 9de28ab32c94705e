/** Decisions about the end of a task's way: apply its candidate, or close it. */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import type { Draft } from '../domain/draft.ts';
import { dayOf } from '../domain/host.ts';
import { BOARD, HOST, taskStream } from '../domain/stream-name.ts';
import { type Closed, redText, type Task, underWay } from '../domain/task.ts';
import { type Candidate, type ClosedStatus, type Cost, MAX_LINE } from '../domain/values.ts';
import { taskIn } from './lookup.ts';

/** All steps are done: the candidate is applied, or there is none and the task is accepted as it is. */
export function finishIfDone(draft: Draft, id: TaskId): void {
  const task = taskIn(draft, id);
  if (task.open.length > 0 || task.closed !== null || task.applying !== null) return;
  const { candidate, committed } = task;
  if (candidate === null) acceptTask(draft, task, { commit: null, branch: null });
  else if (committed?.candidate.change_id === candidate.change_id) acceptTask(draft, task, committed);
  else apply(draft, task, { candidate });
}

/** Wants the candidate on the task's branch. */
export function apply(
  draft: Draft,
  task: Task,
  { candidate, step }: { readonly candidate: Candidate; readonly step?: StepId },
): void {
  const data = { token: task.token + 1, candidate, branch: branchOf(task), ...(step === undefined ? {} : { step }) };
  draft.emit(taskStream(task.id), { type: 'task.applying', data });
}

export function acceptTask(
  draft: Draft,
  { id, red = [] }: Task,
  { commit, branch }: Pick<Closed, 'commit' | 'branch'>,
): void {
  const reason = ['all steps are done', ...red.map(redText)].join('; ').slice(0, MAX_LINE);
  closeTask(draft, id, { status: 'accepted', reason, commit, branch });
}

/** `ai/t-1-fix-the-parser`: told apart by the id, recognised by the words. */
export function branchOf({ id, title }: Pick<Task, 'id' | 'title'>): string {
  let slug = '';
  for (const word of title.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    if (slug.length + word.length >= 40) break;
    slug += `-${word}`;
  }
  return `ai/${id}${slug}`;
}

export function closeTask(
  draft: Draft,
  id: TaskId,
  end: { status: ClosedStatus; reason: string; commit?: string | null; branch?: string | null },
): void {
  const task = taskIn(draft, id);
  chargeOpen(draft, task, task.open);
  const { status, reason, commit = null, branch = null } = end;
  const data: Closed = { status, reason, commit, branch };
  draft.emit(taskStream(id), { type: 'task.closed', data });
}

/** What is known to have been spent is charged, also when nobody waits for the gates any more. */
export function chargeOpen(draft: Draft, task: Task, steps: readonly StepId[]): void {
  for (const step of steps) {
    const place = underWay(task.steps.get(step));
    if (place?.at === 'checking' && place.attempt.kind !== 'gate')
      charge(draft, task, { step, token: place.attempt.token, cost: place.product.cost });
  }
}

export function charge(
  draft: Draft,
  task: Task,
  { step, token, cost }: { readonly step: StepId; readonly token: number; readonly cost: Cost },
): void {
  // A played cost was never spent: it stays in the task's own sum and uses up no budget.
  if (cost.microusd === null || task.spec.simulated === true) return;
  const { microusd, tokens_in, tokens_out } = cost;
  draft.emit(BOARD, { type: 'board.charged', data: { task: task.id, step, token, microusd, tokens_in, tokens_out } });
  if (microusd === 0) return;
  draft.emit(HOST, { type: 'host.charged', data: { day: dayOf(draft.envelope.at), microusd } });
}
