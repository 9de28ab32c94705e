/**
 * Decisions about findings that a person dismisses: critical ones of gates, which hold the task, and open ones of
 * reviews.
 */
import type { StepId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { actorText } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import type { TaskEvent } from '../domain/events/index.ts';
import { blockingSentBack, DIFF } from '../domain/sent-back.ts';
import { taskStream } from '../domain/stream-name.ts';
import { type Step, type StepPlace, statusOf, type Task, type WaitingStep } from '../domain/task.ts';
import { MAX_LINE } from '../domain/values.ts';
import { standing } from '../verdict/dismissed.ts';
import { judgeAgain } from './decide-outcome.ts';
import { settleAttempt } from './decide-settle.ts';
import { judgeWithout } from './decide-verdict.ts';
import { isReviewAttempt, settleReview } from './hold-review.ts';
import { taskIn, workflowOf } from './lookup.ts';

type HeldStep = WaitingStep & { readonly held: NonNullable<WaitingStep['held']> };

export const isHeld = (place: StepPlace | undefined): place is HeldStep =>
  place?.at === 'waiting' && place.held !== undefined;

/** Steps that wait for a person to decide about a finding. A closed task waits for nothing: `resume` starts its steps again. */
const heldSteps = (task: Task): (readonly [StepId, HeldStep])[] =>
  (task.closed === null ? task.open : []).flatMap((id) => {
    const place = task.steps.get(id)?.place;
    return isHeld(place) ? [[id, place] as const] : [];
  });

export const isHeldTask = (task: Task): boolean => heldSteps(task).length > 0;

/** Each finding is named by its id or a prefix. When no critical one is left, the verdict is given again. */
export function dismissFindings(
  draft: Draft,
  { id }: Task,
  { dismiss, reason }: { readonly dismiss: readonly string[]; readonly reason: string },
): Rejection | null {
  const touched = new Set<StepId>();
  for (const name of dismiss) {
    const task = taskIn(draft, id);
    const held = heldSteps(task).flatMap(([step, place]) => openAt(task, step, place));
    const open = [...held, ...refusedIn(task), ...raisedIn(task)];
    const meant = open.filter((one) => one.finding.startsWith(name));
    const [found] = meant;
    if (found === undefined || meant.some(({ finding }) => finding !== found.finding))
      return rejected('unknown_finding', unknownText(task, name, open));
    for (const one of meant) {
      if (isHeld(task.steps.get(one.step)?.place)) touched.add(one.step);
      const data = { ...one, by: actorText(draft.envelope.actor), reason };
      draft.emit(taskStream(id), { type: 'finding.dismissed', data });
    }
  }
  const named = taskIn(draft, id);
  for (const [step, place] of heldSteps(named)) {
    if (!touched.has(step) || openAt(named, step, place).some(({ severity }) => severity === 'critical')) continue;
    answered(draft, named, { step, place, decision: 'APPROVE', reason });
    if (workflowOf(draft, named).weighed.has(step)) judgeWithout(draft, taskIn(draft, id), step, place.held.attempt);
    if (place.held.attempt.kind === 'answer' && place.held.product.gates.length === 0) {
      const words = `${place.reason.slice(0, MAX_LINE / 2)}; taken back by a person: ${dismiss.join(', ')}: ${reason}`;
      settleReview(draft, taskIn(draft, id), step, { reason: words, sentBack: false });
    } else judgeAgain(draft, id, step);
  }
  return null;
}

function openAt(task: Task, step: StepId, { held, on }: HeldStep): readonly OpenFinding[] {
  const change_id = on?.change_id ?? '';
  const isAnswer = held.attempt.kind === 'answer';
  const ofReview = (isAnswer ? (held.product.said?.open ?? []) : []).map(({ id, severity }) => ({
    step,
    gate: '',
    finding: id,
    severity,
    change_id,
  }));
  const ofGates = held.evidence.flatMap((report) =>
    standing(report, task.dismissed, change_id).map(({ id, severity }) => ({
      step,
      gate: report.gate,
      finding: id,
      severity,
      change_id,
    })),
  );
  return [...ofReview, ...ofGates];
}

type OpenFinding = Omit<Extract<TaskEvent, { type: 'finding.dismissed' }>['data'], 'by' | 'reason'>;

/** Open findings of reviews, not of gates. A person closes them as a reviewer does. */
function raisedIn({ steps, candidate }: Task): readonly OpenFinding[] {
  const change_id = candidate?.change_id ?? '';
  return [...steps.entries()].flatMap(([step, { raised, place }]) =>
    // A held review itself says what is open after it.
    (isHeld(place) && place.held.attempt.kind === 'answer' ? [] : (raised?.open ?? [])).map(({ id, severity }) => ({
      step: step as StepId,
      gate: '',
      finding: id,
      severity,
      change_id,
    })),
  );
}

/** What refused the change that was sent back last. A running attempt is about to replace that change. */
function refusedIn(task: Task): readonly OpenFinding[] {
  return task.open.flatMap((step) => {
    const at = task.steps.get(step);
    const change_id = at?.sentBack?.change_id;
    if (at === undefined || change_id === undefined || !isIdle(task, at)) return [];
    const open = blockingSentBack(task, at) ?? [];
    return open.map(({ id, severity }) => ({ step, gate: DIFF, finding: id, severity, change_id }));
  });
}

/** No step goes on by itself: the task is closed or paused, or a person decides whether to try again. */
const isIdle = ({ closed, paused }: Task, { place }: Step): boolean =>
  closed !== null || paused === true || (place.at === 'waiting' && place.asks === 'failure');

/** Steps whose refusing findings a person has all dismissed: the change is accepted as it is. */
export function freedSteps(before: Task, after: Task): readonly StepId[] {
  const left = (task: Task, id: StepId) => blockingSentBack(task, task.steps.get(id) ?? {})?.length ?? null;
  return after.open.filter((id) => left(after, id) === 0 && left(before, id) !== 0);
}

/** A dismissal is about one change: it is useless together with findings that stay. */
export function leftText(before: Task, after: Task): string | null {
  const left = after.open.flatMap((id) => {
    const [was, is] = [before, after].map((task) => blockingSentBack(task, task.steps.get(id) ?? {}) ?? []);
    return is !== undefined && was !== undefined && is.length < was.length ? is : [];
  });
  if (left.length === 0) return null;
  const ids = left.map(({ id }) => id).join(',');
  return `other findings refuse the same change of task ${after.id}: dismiss ${ids} too, or let the worker mend it`;
}

function unknownText(task: Task, name: string, open: readonly OpenFinding[]): string {
  if (open.length === 0 && !isHeldTask(task))
    return `task ${task.id} waits for no answer about a finding: it is ${statusOf(task)}. Findings of gates are dismissed while a task waits because of them, those of reviews while they are open`;
  const ids = open.map(({ finding, gate, step }) => `${finding} (${gate === '' ? step : gate})`);
  return `task ${task.id} has no open finding ${JSON.stringify(name)}; ${ids.length === 0 ? 'none has an id' : `there are ${ids.join(', ')}`}`;
}

/**
 * The finding stands: the change goes back to its worker, however many attempts were used. `at`: the step that the
 * person named.
 */
export function sendBackHeld(draft: Draft, task: Task, reason: string, at?: StepId): void {
  for (const [step, place] of heldSteps(task)) {
    if (at !== undefined && step !== at) continue;
    answered(draft, task, { step, place, decision: 'REJECT', reason });
    const { candidate, answer, said, cost } = place.held.product;
    const why = [place.reason, reason].filter((one) => one !== '').join('; ');
    if (isReviewAttempt(place.held)) {
      settleReview(draft, taskIn(draft, task.id), step, { reason: why.slice(0, MAX_LINE), sentBack: true });
      continue;
    }
    settleAttempt(draft, task.id, step, {
      class: 'invalid',
      reason: why,
      again: true,
      gates: true,
      candidate,
      answer,
      said,
      cost,
      reset_at: null,
    });
  }
}

function answered(
  draft: Draft,
  task: Task,
  answer: {
    readonly step: StepId;
    readonly place: HeldStep;
    readonly decision: 'APPROVE' | 'REJECT';
    readonly reason: string;
  },
): void {
  const { step, place, decision, reason } = answer;
  const about = place.on === null ? {} : { about: place.on.change_id };
  draft.emit(taskStream(task.id), {
    type: 'step.answered',
    data: {
      step,
      token: place.token,
      decision,
      by: actorText(draft.envelope.actor),
      reason,
      opens: [],
      anew: true,
      ...about,
    },
  });
}
