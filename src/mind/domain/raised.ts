/** What reviews of a step found and nobody has closed: it is carried from round to round. */
import type { TaskEvent } from './events/index.ts';
import type { Step } from './task.ts';
import type { BlockingFinding } from './values.ts';

/** A workflow has fewer rounds than this. */
const MOST_ANSWERS = 100;

type Settled = Extract<TaskEvent, { type: 'attempt.settled' }>['data'];

/** Each review says itself what is open after it. */
export function withRaised(step: Step, { class: outcome, answer, said }: Settled): Step {
  if (outcome !== 'ok' || answer === null || said?.open === undefined) return step;
  return having(step, said.open, [...(step.raised?.answers ?? []), answer].slice(-MOST_ANSWERS));
}

export const withoutFinding = (step: Step, id: string): Step =>
  having(
    step,
    (step.raised?.open ?? []).filter((one) => one.id !== id),
    step.raised?.answers ?? [],
  );

function having(
  { raised: _, ...step }: Step,
  open: readonly BlockingFinding[],
  answers: NonNullable<Step['raised']>['answers'],
): Step {
  return open.length === 0 ? step : { ...step, raised: { open, answers } };
}
