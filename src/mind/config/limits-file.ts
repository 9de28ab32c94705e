/** `limits.yaml` beside a config: the keys of its `limits:`, at the top level of a separate file. */
import * as v from 'valibot';
import { limitsConfig } from '../domain/limits.ts';
import { refused } from '../workflows/refused-words.ts';

/** Names that other tools use for limits. */
const instead = (words: string) => refused(() => words);

export const limitsFile = v.strictObject({
  ...limitsConfig.entries,
  limits: instead('write what is below it at the top of the file'),
  step_timeout_seconds: instead('write `wall`'),
  step_max_retries: instead('write `attempts`, which counts the first one too'),
  max_retries: instead('write `attempts`, which counts the first one too'),
  workflow_max_steps: instead('write `max_steps`'),
  max_task_age_hours: instead('write `task_age`, such as 24h'),
  default_token_budget: instead('write `token_budget` into a role'),
  max_token_budget: instead('write `token_budget` into a role'),
  retry_base_delay_seconds: instead('write `backoff: {tries, first, factor, max}`'),
  retry_max_delay_seconds: instead('write `backoff: {tries, first, factor, max}`'),
  retry_exponential_base: instead('write `backoff: {tries, first, factor, max}`'),
});
