/** What the operator wants of the whole project, and how much may happen without asking. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { GoalEvent } from './events/index.ts';
import type { Mode } from './values.ts';

export type Goal = { readonly text: string | null; readonly mode: Mode };

export const GOAL_REDUCER = 1;
export const NO_GOAL: Goal = { text: null, mode: 'MANUAL' };

export function evolveGoal(goal: Goal, event: GoalEvent): Goal {
  switch (event.type) {
    case 'goal.set':
      return { ...goal, text: event.data.text };
    case 'mode.set':
      return { ...goal, mode: event.data.mode };
    default:
      return assertNever(event, 'goal event');
  }
}
