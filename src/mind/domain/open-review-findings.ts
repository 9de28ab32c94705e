/** Open findings of a step's reviews; they are carried from round to round. */
import type { EventData } from './events/index.ts';
import type { Step } from './task.ts';
import type { AnswerFacts, BlockingFinding } from './values.ts';

/** A workflow has fewer rounds. */
const MOST_ANSWERS = 100;

/** Each review itself says what is open after it. */
export function withRaised(step: Step, { class: outcome, answer, said }: EventData<'attempt.settled'>): Step {
  if (outcome !== 'ok' || answer === null || said?.open === undefined) return step;
  return having(step, said.open, [...(step.raised?.answers ?? []), answer].slice(-MOST_ANSWERS));
}

/** A person dismissed it: it is no longer open, and the review that is held because of it goes on without it. */
export function withoutFinding(step: Step, gone: BlockingFinding): Step {
  const left = having(
    step,
    (step.raised?.open ?? []).filter(({ id }) => id !== gone.id),
    step.raised?.answers ?? [],
  );
  const { place } = step;
  if (place.at !== 'waiting' || place.held === undefined || place.held.product.said === null) return left;
  const product = { ...place.held.product, said: withoutOpen(place.held.product.said, gone) };
  return { ...left, place: { ...place, held: { ...place.held, product } } };
}

/** A rejection without any remaining finding is none. */
function withoutOpen(said: AnswerFacts, { id, severity }: BlockingFinding): AnswerFacts {
  const { open = [], findings, uncounted = 0 } = said;
  if (findings === null || open.every((one) => one.id !== id)) return said;
  const less = { ...findings, [severity]: Math.max(0, findings[severity] - 1) };
  const rest = { ...said, findings: less, open: open.filter((one) => one.id !== id) };
  const isBare = uncounted === 0 && Object.values(less).every((count) => count === 0);
  return isBare ? { ...rest, status: 'APPROVED', vetoes: said.vetoes === null ? null : 0 } : rest;
}

function having(
  { raised: _, ...step }: Step,
  open: readonly BlockingFinding[],
  answers: NonNullable<Step['raised']>['answers'],
): Step {
  return open.length === 0 ? step : { ...step, raised: { open, answers } };
}
