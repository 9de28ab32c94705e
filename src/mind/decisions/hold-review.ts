/** A critical finding of a review holds its attempt, like a gate's: the task waits for a person's answer. */
import type { StepId } from '../../kernel/ids.ts';
import type { AttemptReport } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import { attemptOf, type Step, type StepPlace, type Task } from '../domain/task.ts';
import { isCritical, saysNo } from '../verdict/weigh.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { askPerson } from './ask-person.ts';
import { haltByPolicy } from './decide-close.ts';
import { settleAttempt } from './decide-settle.ts';
import { judgeReviews } from './decide-verdict.ts';
import { stepDefinition, taskIn, workflowOf } from './lookup.ts';

type HeldReview = NonNullable<Extract<StepPlace, { at: 'waiting' }>['held']>;

/** Whether a rejection of this step has a consequence: it sends the task back, or a join weighs it. */
export function isHeard(draft: Draft, task: Task, id: StepId): boolean {
  return stepDefinition(draft, task, id).rework !== null || workflowOf(draft, task).weighed.has(id);
}

/** Returns false if nothing has to be held: the attempt is then settled as usual. */
export function holdReview(draft: Draft, task: Task, definition: WorkflowStep, report: AttemptReport): boolean {
  const { id, gates } = definition;
  const { token } = attemptOf(task.steps.get(id) as Step);
  // Gates of such a step run first: it is held when they have passed.
  if (gates.length > 0 || !isToHold(task, definition, report)) return false;
  const { answer, record, said, cost } = report;
  const data = { step: id, token, candidate: null, answer, record, said, cost, gates: [] };
  draft.emit(taskStream(task.id), { type: 'attempt.produced', data });
  hold(draft, taskIn(draft, task.id), definition, report);
  return true;
}

/** The same for a step whose own gates have just passed. */
export function holdAfterGates(draft: Draft, task: Task, definition: WorkflowStep): boolean {
  const place = task.steps.get(definition.id)?.place;
  if (place?.at !== 'checking' || !isToHold(task, definition, place.product)) return false;
  hold(draft, task, definition, { said: place.product.said, reason: '' });
  return true;
}

function isToHold(task: Task, { id, kind }: WorkflowStep, { said }: Pick<AttemptReport, 'said'>): boolean {
  const { on } = attemptOf(task.steps.get(id) as Step);
  return kind === 'answer' && on !== null && task.failing === undefined && isCritical(said);
}

function hold(
  draft: Draft,
  task: Task,
  definition: WorkflowStep,
  { said, reason: told }: Pick<AttemptReport, 'said' | 'reason'>,
): void {
  const { id, role } = definition;
  const { cli, token, round, on } = attemptOf(task.steps.get(id) as Step);
  if (on === null) return;
  const review = { step: id, role, cli, change_id: on.change_id, said };
  judgeReviews(draft, task, definition, { on, token, round, reviews: [review] });
  const reason = `critical finding: ${id}${told === '' ? '' : `: ${told}`}`;
  askPerson(draft, task.id, definition, { asks: 'finding', reason, on });
  haltByPolicy(draft, taskIn(draft, task.id), `a critical finding in task ${task.id}: ${reason}`);
}

/** The step is held for its review, not for a finding of its gates. */
export const isReviewAttempt = ({ attempt, product }: HeldReview): boolean =>
  attempt.kind === 'answer' && (product.gates.length === 0 || isCritical(product.said));

/** After a person's answer. `sentBack`: the findings stand, and no limit of rounds keeps the change from going back. */
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
