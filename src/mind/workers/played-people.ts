/** The answers of people in a simulated task, from its script. */
import type { StepId } from '../../kernel/ids.ts';
import type { Task } from '../domain/task.ts';
import { scriptOf } from './task-script.ts';

type PlayedAnswer = { readonly step: StepId; readonly decision: 'APPROVE' | 'REJECT'; readonly reason: string };

/** The actor's name in the log. */
export const PLAYED_PERSON = 'script';

/**
 * The next answer, for the first step that waits for one; null if there is none. When the answers of a step are used
 * up, a question whether something is good gets a yes, and one whether to try again a no, so that every simulation
 * ends.
 */
export function playedAnswer({ spec, open, steps, closed, paused }: Task): PlayedAnswer | null {
  if (spec.simulated !== true || closed !== null || paused) return null;
  const { people } = scriptOf(spec);
  if (people === undefined) return null;
  for (const step of open) {
    const { place, answered = 0 } = steps.get(step) ?? {};
    if (place?.at !== 'waiting') continue;
    const said = Object.hasOwn(people, step) ? people[step]?.[answered] : undefined;
    const { answer, reason = '' } = typeof said === 'string' ? { answer: said } : (said ?? {});
    if (answer === 'wait') continue;
    const isMore = place.asks === 'failure' || place.asks === 'rounds';
    const isNo = answer === undefined ? isMore : answer === 'reject';
    return { step, decision: isNo ? 'REJECT' : 'APPROVE', reason };
  }
  return null;
}
