/** What a step remembers of attempts that were sent back: which errors, how often, and the changes that were judged. */
import type { TaskEvent } from './events/index.ts';
import type { Step } from './task.ts';

type Settled = Extract<TaskEvent, { type: 'attempt.settled' }>['data'];

/** Logs that are older than signatures compare the sentences. */
export function isSameError(step: Step, { signature, reason }: Settled): boolean {
  return signature === undefined ? reason === step.feedback : step.errors?.[signature] !== undefined;
}

/** Only what has a signature counts, so that older logs fold as they did. */
export function countedErrors(
  { errors = {}, tried = [], place }: Step,
  { signature }: Settled,
): Pick<Step, 'errors' | 'tried'> {
  if (signature === undefined) return {};
  const counted = { errors: { ...errors, [signature]: (errors[signature] ?? 0) + 1 } };
  const tree = place.at === 'checking' ? place.product.candidate?.tree : undefined;
  return tree === undefined || tried.includes(tree) ? counted : { ...counted, tried: [...tried, tree] };
}
