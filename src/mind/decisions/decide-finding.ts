/** Decisions about findings that a person takes back: critical ones of gates, which hold the task, and open ones of reviews. */
import type { StepId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { actorText } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import type { TaskEvent } from '../domain/events/index.ts';
import { taskStream } from '../domain/stream-name.ts';
import { type StepPlace, statusOf, type Task } from '../domain/task.ts';
import { MAX_LINE } from '../domain/values.ts';
import { standing } from '../verdict/dismissed.ts';
import { judgeAgain } from './decide-outcome.ts';
import { settleAttempt } from './decide-settle.ts';
import { isReviewAttempt, settleReview } from './hold-review.ts';
import { taskIn } from './lookup.ts';

type Waiting = Extract<StepPlace, { at: 'waiting' }>;
type Held = Waiting & { readonly held: NonNullable<Waiting['held']> };

export const isHeld = (place: StepPlace | undefined): place is Held =>
  place?.at === 'waiting' && place.held !== undefined;

/** Steps that wait for a person's word about a finding. */
const heldSteps = (task: Task): (readonly [StepId, Held])[] =>
  task.open.flatMap((id) => {
    const place = task.steps.get(id)?.place;
    return isHeld(place) ? [[id, place] as const] : [];
  });

export const isHeldTask = (task: Task): boolean => task.closed === null && heldSteps(task).length > 0;

/** Each finding is named by its id, or by the beginning of it. When none that is critical stands any more, the verdict is given anew. */
export function dismissFindings(
  draft: Draft,
  { id }: Task,
  { dismiss, reason }: { readonly dismiss: readonly string[]; readonly reason: string },
): Rejection | null {
  const touched = new Set<StepId>();
  for (const name of dismiss) {
    const task = taskIn(draft, id);
    const held = heldSteps(task).flatMap(([step, place]) => openAt(task, step, place));
    const open = [...held, ...raisedIn(task)];
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
    if (isReviewAttempt(place.held)) {
      const words = `${place.reason.slice(0, MAX_LINE / 2)}; taken back by a person: ${dismiss.join(', ')}: ${reason}`;
      settleReview(draft, taskIn(draft, id), step, { reason: words, sentBack: false });
    } else judgeAgain(draft, id, step);
  }
  return null;
}

function openAt(task: Task, step: StepId, { held, on }: Held): readonly Open[] {
  const change_id = on?.change_id ?? '';
  if (isReviewAttempt(held))
    return (held.product.said?.open ?? []).map(({ id, severity }) => ({
      step,
      gate: '',
      finding: id,
      severity,
      change_id,
    }));
  return held.evidence.flatMap((report) =>
    standing(report, task.dismissed, change_id).map(({ id, severity }) => ({
      step,
      gate: report.gate,
      finding: id,
      severity,
      change_id,
    })),
  );
}

type Open = Omit<Extract<TaskEvent, { type: 'finding.dismissed' }>['data'], 'by' | 'reason'>;

/** What reviews found and nobody has closed: no gate found it. A person closes it as a reviewer does. */
function raisedIn({ steps, candidate }: Task): readonly Open[] {
  const change_id = candidate?.change_id ?? '';
  return [...steps.entries()].flatMap(([step, { raised, place }]) =>
    // A review that is held says itself what is open after it.
    (isHeld(place) && isReviewAttempt(place.held) ? [] : (raised?.open ?? [])).map(({ id, severity }) => ({
      step: step as StepId,
      gate: '',
      finding: id,
      severity,
      change_id,
    })),
  );
}

function unknownText(task: Task, name: string, open: readonly Open[]): string {
  if (open.length === 0 && !isHeldTask(task))
    return `task ${task.id} waits for no answer about a finding: it is ${statusOf(task)}. Findings of gates are dismissed while a task waits because of them, those of reviews while they are open`;
  const ids = open.map(({ finding, gate, step }) => `${finding} (${gate === '' ? step : gate})`);
  return `task ${task.id} has no open finding ${JSON.stringify(name)}; ${ids.length === 0 ? 'none has an id' : `there are ${ids.join(', ')}`}`;
}

/** The finding stands: the change goes back to its worker, however many attempts were used. `at`: a person named the step. */
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
    readonly place: Held;
    readonly decision: 'APPROVE' | 'REJECT';
    readonly reason: string;
  },
): void {
  const { step, place, decision, reason } = answer;
  const about = place.on === null ? {} : { about: place.on.change_id };
  draft.emit(taskStream(task.id), {
    type: 'step.answered',
    data: { step, token: place.token, decision, by: actorText(draft.envelope.actor), reason, opens: [], ...about },
  });
}
