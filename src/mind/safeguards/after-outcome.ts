/** What follows from the way a worker's run ended: one exhaustive table, from which decide reads. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { Limits } from '../config/limits.ts';
import type { Counter } from '../domain/task.ts';
import type { OutcomeClass } from '../domain/values.ts';

export type FollowUp =
  | { readonly do: 'check' }
  /** Try again while the counter allows; when it is used up: the next CLI of the chain, or the step is exhausted. */
  | {
      readonly do: 'retry';
      readonly counter: Counter;
      readonly max: number;
      readonly wait: 'none' | 'backoff' | 'reset';
      readonly failover: boolean;
    }
  | { readonly do: 'escalate' };

export function followUp(outcome: OutcomeClass, limits: Limits, attempts: number): FollowUp {
  switch (outcome) {
    case 'ok':
      return { do: 'check' };
    case 'invalid':
      return { do: 'retry', counter: 'candidates', max: attempts, wait: 'none', failover: false };
    case 'transient':
      return { do: 'retry', counter: 'transient', max: limits.backoff.tries, wait: 'backoff', failover: true };
    case 'quota':
      return { do: 'retry', counter: 'quota', max: limits.backoff.tries, wait: 'reset', failover: true };
    case 'crash':
    case 'timeout':
    case 'killed':
    case 'output_limit':
    case 'resource_limit':
      return { do: 'retry', counter: 'crash', max: limits.crash_retries, wait: 'none', failover: true };
    case 'unknown':
      return { do: 'retry', counter: 'unknown', max: limits.crash_retries, wait: 'none', failover: false };
    case 'lost':
      return { do: 'retry', counter: 'lost', max: limits.lost_retries, wait: 'none', failover: false };
    case 'interrupted':
      return { do: 'retry', counter: 'none', max: Number.POSITIVE_INFINITY, wait: 'none', failover: false };
    case 'auth':
    case 'waiting_for_input':
    case 'blocked':
      return { do: 'escalate' };
    default:
      return assertNever(outcome, 'outcome class');
  }
}

/** Outcomes that speak against a CLI, and so count for its breaker. */
const AGAINST_CLI: ReadonlySet<OutcomeClass> = new Set([
  'transient',
  'crash',
  'timeout',
  'output_limit',
  'resource_limit',
  'unknown',
  'auth',
]);

export const countsForBreaker = (outcome: OutcomeClass): boolean => AGAINST_CLI.has(outcome);

/** How long to wait before try `n` (0 is the first retry); the dice spread the herd. */
export function backoffDelay(limits: Limits, n: number, dice: number): number {
  const { first_ms, factor, max_ms } = limits.backoff;
  const delay = Math.min(first_ms * factor ** n, max_ms);
  return Math.round(delay * (1 + limits.jitter * (2 * dice - 1)));
}
