/** A critical finding of a review holds its attempt, as one of a gate does: the task waits until a person has answered. */
import type { StepId } from '../../kernel/ids.ts';
import type { AttemptReport } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import { attemptOf, type Step, type StepPlace, type Task } from '../domain/task.ts';
import { isReview, saysNo } from '../verdict/weigh.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { askPerson } from './ask-person.ts';
import { haltByPolicy } from './decide-close.ts';
import { settleAttempt } from './decide-settle.ts';
import { judgeReviews } from './decide-verdict.ts';
import { stepDefinition, taskIn, workflowOf } from './lookup.ts';

type Held = NonNullable<Extract<StepPlace, { at: 'waiting' }>['held']>;

/** Whether a no of this step leads somewhere: it sends the task back, or a join weighs it. */
export function isHeard(draft: Draft, task: Task, id: StepId): boolean {
  return stepDefinition(draft, task, id).rework !== null || workflowOf(draft, task).weighed.has(id);
}

/** Only findings that count are in `said`: each names a line of the change. */
const isCritical = ({ said }: Pick<AttemptReport, 'said'>): boolean =>
  said !== null && isReview(said) && (said.findings?.critical ?? 0) > 0;

/** Returns false when nothing has to be held: the attempt is then settled as usual. */
export function holdReview(
  draft: Draft,
  task: Task,
  { id, role, kind, gates }: WorkflowStep,
  report: AttemptReport,
): boolean {
  const { cli, token, round, on } = attemptOf(task.steps.get(id) as Step);
  // Gates of such a step have to run first, and decide.
  if (kind !== 'answer' || gates.length > 0 || on === null || task.failing !== undefined || !isCritical(report))
    return false;
  const { answer, record, said, cost } = report;
  const data = { step: id, token, candidate: null, answer, record, said, cost, gates: [] };
  draft.emit(taskStream(task.id), { type: 'attempt.produced', data });
  const review = { step: id, role, cli, change_id: on.change_id, said };
  const definition = stepDefinition(draft, task, id);
  judgeReviews(draft, taskIn(draft, task.id), definition, { on, token, round, reviews: [review] });
  const reason = `critical finding: ${id}${report.reason === '' ? '' : `: ${report.reason}`}`;
  askPerson(draft, task.id, definition, { asks: 'finding', reason, on });
  haltByPolicy(draft, taskIn(draft, task.id), `a critical finding in task ${task.id}: ${reason}`);
  return true;
}

export const isReviewAttempt = ({ attempt, product }: Held): boolean =>
  attempt.kind === 'answer' && product.gates.length === 0;

/** After a person has answered. `sentBack`: the findings stand, and no limit of rounds keeps the change from going back. */
export function settleReview(
  draft: Draft,
  task: Task,
  step: StepId,
  { reason, sentBack }: { readonly reason: string; readonly sentBack: boolean },
): void {
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'checking') return;
  const { answer, said, cost } = place.product;
  const isLost = said !== null && saysNo(said) && !isHeard(draft, task, step);
  settleAttempt(draft, task.id, step, {
    class: isLost ? 'blocked' : 'ok',
    reason,
    candidate: null,
    answer,
    said,
    cost,
    reset_at: null,
    ...(sentBack ? { again: true } : {}),
  });
}
