/** What follows from how a worker's run ended: one exhaustive table, which decide reads. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { Limits } from '../domain/limits.ts';
import type { Counter } from '../domain/task.ts';
import type { OutcomeClass } from '../domain/values.ts';

export type FollowUp =
  | { readonly do: 'check' }
  /**
   * Try again while the counter allows; when it is used up, take the next CLI of the chain, or the step is exhausted.
   */
  | {
      readonly do: 'retry';
      readonly counter: Counter;
      readonly max: number;
      readonly wait: 'none' | 'backoff';
      readonly failover: boolean;
      /** What becomes of the task when nothing is left to try. */
      readonly end: 'by-workflow' | 'escalate';
    }
  /**
   * The CLI is parked for every project. The scheduler waits for it or takes another; the task's maximum age limits the
   * wait.
   */
  | { readonly do: 'park' }
  /** A person has to look. `fix`: something outside the task has to be repaired first, and the reason says what. */
  | { readonly do: 'escalate'; readonly fix: boolean };

export function followUp(outcome: OutcomeClass, limits: Limits, attempts: number): FollowUp {
  switch (outcome) {
    case 'ok':
      return { do: 'check' };
    case 'invalid':
      return { ...RETRY, counter: 'candidates', max: attempts };
    case 'transient':
      return { ...RETRY, counter: 'transient', max: limits.backoff.tries, wait: 'backoff', failover: true };
    case 'quota':
      return { do: 'park' };
    case 'auth':
    case 'missing_cli':
    case 'wrong_version':
      return { do: 'escalate', fix: true };
    case 'crash':
    case 'timeout':
    case 'killed':
    case 'output_limit':
    case 'resource_limit':
      return { ...RETRY, counter: 'crash', max: limits.crash_retries, failover: true };
    case 'waiting_for_input':
    case 'blocked':
      return { do: 'escalate', fix: false };
    case 'unknown':
      return { ...RETRY, counter: 'unknown', max: limits.crash_retries, end: 'escalate' };
    case 'lost':
      return { ...RETRY, counter: 'lost', max: limits.lost_retries, end: 'escalate' };
    case 'interrupted':
      return { ...RETRY, counter: 'none', max: Number.POSITIVE_INFINITY };
    default:
      return assertNever(outcome, 'outcome class');
  }
}

const RETRY = { do: 'retry', wait: 'none', failover: false, end: 'by-workflow' } as const;

/** What a person has to repair before the task can go on; null if nothing outside the task is wrong. */
export function fixFor(outcome: OutcomeClass, cli: string, task: string): string | null {
  const then = `then \`supervisor resume ${task}\``;
  switch (outcome) {
    case 'auth':
      return `log in to ${cli} or set its key (\`supervisor doctor\` says how), ${then}`;
    case 'missing_cli':
      return `install ${cli} (\`supervisor doctor\` says how), ${then}`;
    case 'wrong_version':
      return `install a version of ${cli} that was tested (\`supervisor doctor\` says which), ${then}`;
    default:
      return null;
  }
}

/** Outcomes that count for a CLI's breaker. One that stops with a fix needs the repair, not a pause. */
const AGAINST_CLI: ReadonlySet<OutcomeClass> = new Set([
  'transient',
  'crash',
  'timeout',
  'output_limit',
  'resource_limit',
  'unknown',
]);

export const countsForBreaker = (outcome: OutcomeClass): boolean => AGAINST_CLI.has(outcome);

/** How long to wait before try `n` (0 is the first retry), with random jitter. */
export function backoffDelay(limits: Limits, n: number, dice: number): number {
  const { first_ms, factor, max_ms } = limits.backoff;
  const delay = Math.min(first_ms * factor ** n, max_ms);
  return Math.round(delay * (1 + limits.jitter * (2 * dice - 1)));
}
