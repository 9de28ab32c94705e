/**
 * The named retry policies, for `limits.backoff` and for a step: how often a transient failure is tried again, and with
 * what delay.
 */
import type { FileStep, RETRY_POLICIES } from './file.ts';
import type { StepDefinition } from './step.ts';

type Policy = NonNullable<StepDefinition['retry']>;

export const BACKOFFS: Readonly<Record<(typeof RETRY_POLICIES)[number], Policy>> = {
  default: { tries: 3, first_ms: 2_000, factor: 2, max_ms: 30_000 },
  aggressive: { tries: 5, first_ms: 1_000, factor: 1.5, max_ms: 60_000 },
  conservative: { tries: 2, first_ms: 5_000, factor: 3, max_ms: 120_000 },
};

/** Explicit numbers change the named policy, or the default one. */
export function retryFields({
  retry_policy: said,
  attempts,
}: FileStep): Pick<StepDefinition, 'retry' | 'attempts' | 'on_failure'> {
  const fields: Pick<StepDefinition, 'retry' | 'attempts' | 'on_failure'> = {};
  if (attempts !== undefined) fields.attempts = attempts;
  if (typeof said === 'string') fields.retry = BACKOFFS[said];
  if (said === undefined || typeof said === 'string') return fields;
  const { policy, max_attempts, on_failure, tries, first, factor, max } = said;
  if (max_attempts !== undefined) fields.attempts = max_attempts;
  if (on_failure !== undefined) fields.on_failure = on_failure;
  if (policy === undefined && (tries ?? first ?? factor ?? max) === undefined) return fields;
  const named = BACKOFFS[policy ?? 'default'];
  fields.retry = {
    tries: tries ?? named.tries,
    first_ms: first ?? named.first_ms,
    factor: factor ?? named.factor,
    max_ms: max ?? named.max_ms,
  };
  return fields;
}
