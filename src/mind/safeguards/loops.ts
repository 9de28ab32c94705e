/**
 * Detects loops: a repeated failure, a change that was rejected before, a task that is too old. It only counts; what
 * follows is decided elsewhere.
 */
import { assertNever } from '../../kernel/assert-never.ts';
import { formatDuration } from '../../kernel/duration.ts';
import type { Guard } from '../domain/events/task.ts';
import type { Step, Task } from '../domain/task.ts';
import type { Candidate, OutcomeClass } from '../domain/values.ts';

/**
 * A failure with this signature sends the attempt back now. The second equal one warns, and the next packet is strict.
 */
export function sameError({ errors = {} }: Step, signature: string, limit: number): Guard | null {
  const count = (errors[signature] ?? 0) + 1;
  if (count >= limit) return { name: 'same_error', state: 'escalate', count, limit };
  return count >= 2 ? { name: 'same_error', state: 'warn', count, limit } : null;
}

/** The same tree was rejected before, immediately or after another one: judging it again would give the same result. */
export function sameCandidate({ tried = [], made = [], forgiven = 0 }: Step, { tree }: Candidate): Guard | null {
  const isSeen = tried.includes(tree) || made.slice(forgiven).some(({ candidate }) => candidate.tree === tree);
  return !isSeen ? null : { name: 'same_candidate', state: 'escalate', count: 2, limit: 1 };
}

/** Ends that say nothing about the attempt: it did not get its try. */
const NO_TRY: ReadonlySet<OutcomeClass> = new Set(['interrupted', 'lost']);

/** The attempt was the one extra attempt that a warned task gives its step, and it did not succeed. */
export function usedLastTry(
  { warned, opened }: Task,
  ended: { readonly started: number; readonly class: OutcomeClass; readonly now: number },
  limit: number,
): Guard | null {
  if (warned === undefined || ended.started < warned || NO_TRY.has(ended.class)) return null;
  return { name: 'age', state: 'escalate', count: Math.max(0, ended.now - opened), limit };
}

/** A warned task was sent back once more, and what came of that is rejected as well. */
export function usedLastRound(
  { lateRework, opened }: Pick<Task, 'lateRework' | 'opened'>,
  now: number,
  limit: number,
): Guard | null {
  return lateRework === true ? { name: 'age', state: 'escalate', count: Math.max(0, now - opened), limit } : null;
}

export function guardText({ name, state, count, limit }: Guard): string {
  switch (name) {
    case 'same_error':
      return `the same error ${count} times${state === 'warn' ? `, ${limit} are the most` : ''}`;
    case 'same_candidate':
      return 'the worker made a change that was sent back before; it is not judged again';
    case 'age':
      return state === 'warn'
        ? `the task is older than task_age allows (${formatDuration(limit)}): each step may be tried once more`
        : `the task is older than task_age allows (${formatDuration(limit)}), and one more try did not end it`;
    default:
      return assertNever(name, 'safeguard');
  }
}
