/** All limits of the work with their defaults. */
import * as v from 'valibot';
import { MAX_DURATION_MS } from '../../kernel/duration.ts';
import { duration } from '../fields/fields.ts';
import { whole } from '../fields/role-fields.ts';
import { RETRY_POLICIES } from '../workflows/file.ts';
import { BACKOFFS } from '../workflows/retry-policies.ts';

const MAX_BATCH = 8;
const share = v.pipe(v.number(), v.minValue(0.01), v.maxValue(1));
const ms = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_DURATION_MS));
const usd = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(1_000_000));

const backoff = v.object({
  tries: whole(0, 100),
  first_ms: ms,
  factor: v.pipe(v.number(), v.minValue(1), v.maxValue(10)),
  max_ms: ms,
});
type Backoff = v.InferOutput<typeof backoff>;

const quota = v.object({
  /**
   * A quota that resets within this time is waited for; for a longer one the step goes to the next CLI of its chain.
   */
  wait_ms: ms,
  /** How long a CLI is left alone if nothing says when its quota resets; doubles with each quota failure in a row. */
  first_ms: ms,
  max_ms: ms,
  /** No CLI is left alone longer than this, whatever reset time it gives. */
  longest_ms: ms,
});
export type Quota = v.InferOutput<typeof quota>;

const amount = whole(0, 1e12);
/** The budgets; null (or absent, in older logs) for none. */
const budget = v.object({
  project_microusd: v.nullable(amount),
  day_microusd: v.nullable(amount),
  task_microusd: v.optional(v.nullable(amount)),
  project_tokens: v.optional(v.nullable(amount)),
  day_tokens: v.optional(v.nullable(amount)),
  task_tokens: v.optional(v.nullable(amount)),
  /** What an attempt reserves, and is charged if it does not report its cost. Absent: see `estimateOf`. */
  estimate_microusd: v.optional(amount),
  estimate_tokens: v.optional(amount),
  /** No attempt is charged less, whatever it reports. */
  least_microusd: v.optional(amount),
});
export type BudgetLimits = v.InferOutput<typeof budget>;

/** The limits as state holds them: complete, times in milliseconds, money in millionths of a dollar. */
export const limits = v.object({
  slots: v.object({ total: whole(1, 1_000), per_cli: v.record(v.string(), whole(0, 1_000)) }),
  budget,
  attempts: whole(1, 100),
  wall_ms: ms,
  task_age_ms: ms,
  max_steps: whole(1, 100_000),
  backoff,
  jitter: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  crash_retries: whole(0, 100),
  /** How often an attempt may be lost together with Supervisor before a person has to look. */
  lost_retries: whole(0, 1_000),
  breaker: v.object({ failures: whole(1, 1_000), window_ms: ms }),
  /** Absent in older logs: see `quotaOf`. */
  quota: v.optional(quota),
  /**
   * How often the same failure may send a step back, including the last time. Absent in older logs: see `sameErrorsOf`.
   */
  same_errors: v.optional(whole(2, 100)),
  /** Absent: see `landingMsOf`. */
  landing_ms: v.optional(ms),
  /** How many changes of a landing queue are checked together. Absent: see `landingBatchOf`. */
  landing_batch: v.optional(whole(1, MAX_BATCH)),
  /** No worker starts above this share of the machine's memory. Absent: see `memoryShareOf`. */
  memory_share: v.optional(share),
});
export type Limits = v.InferOutput<typeof limits>;

const LANDING_MS = 60 * 60_000;
/** How long one step of a landing, such as its gates together, may take. */
export const landingMsOf = (limits: Limits): number => limits.landing_ms ?? LANDING_MS;

/** A single red change sends the gates through a batch again and again: beyond some size that costs more than it saves. */
export const landingBatchOf = (limits: Limits): number => limits.landing_batch ?? 1;

const MEMORY_SHARE = 0.8;
export const memoryShareOf = (limits: Limits): number => limits.memory_share ?? MEMORY_SHARE;

/** What budgets count for an attempt that does not report its cost; tokens: the largest possible packet. */
const ESTIMATE = { microusd: 500_000, tokens: 100_000, least: 1_000 };
export const estimateOf = ({ estimate_microusd, estimate_tokens, least_microusd }: BudgetLimits): typeof ESTIMATE => ({
  microusd: estimate_microusd ?? ESTIMATE.microusd,
  tokens: estimate_tokens ?? ESTIMATE.tokens,
  least: least_microusd ?? ESTIMATE.least,
});

const DEFAULT_QUOTA: Quota = {
  wait_ms: 15 * 60_000,
  first_ms: 60_000,
  max_ms: 15 * 60_000,
  longest_ms: 24 * 3_600_000,
};

export const quotaOf = (limits: Limits): Quota => limits.quota ?? DEFAULT_QUOTA;

const SAME_ERRORS = 3;
export const sameErrorsOf = (limits: Limits): number => limits.same_errors ?? SAME_ERRORS;

export const DEFAULT_LIMITS: Limits = {
  slots: { total: 2, per_cli: {} },
  budget: { project_microusd: null, day_microusd: null },
  attempts: 3,
  wall_ms: 30 * 60_000,
  task_age_ms: 24 * 3_600_000,
  max_steps: 50,
  backoff: BACKOFFS.default,
  jitter: 0.1,
  crash_retries: 1,
  lost_retries: 10,
  breaker: { failures: 5, window_ms: 300_000 },
  quota: DEFAULT_QUOTA,
  same_errors: SAME_ERRORS,
};

const count = v.optional(v.nullable(amount));
const money = v.optional(v.nullable(usd));

/** `limits:` in a config file, and a whole limits.yaml: every field is optional. */
export const limitsConfig = v.strictObject({
  slots: v.optional(
    v.strictObject({ total: v.optional(whole(1, 1_000)), per_cli: v.optional(v.record(v.string(), whole(0, 1_000))) }),
  ),
  budget: v.optional(
    v.strictObject({
      task_usd: money,
      project_usd: money,
      day_usd: money,
      task_tokens: count,
      project_tokens: count,
      day_tokens: count,
      estimate_usd: v.optional(usd),
      estimate_tokens: v.optional(amount),
      least_usd: v.optional(usd),
    }),
  ),
  attempts: v.optional(whole(1, 100)),
  crash_retries: v.optional(whole(0, 100)),
  lost_retries: v.optional(whole(0, 1_000)),
  same_errors: v.optional(whole(2, 100)),
  wall: v.optional(duration),
  task_age: v.optional(duration),
  landing: v.optional(duration),
  landing_batch: v.optional(whole(1, MAX_BATCH)),
  max_steps: v.optional(whole(1, 100_000)),
  backoff: v.optional(
    v.union(
      [
        v.picklist(RETRY_POLICIES),
        v.strictObject({
          tries: whole(0, 100),
          first: duration,
          factor: v.pipe(v.number(), v.minValue(1), v.maxValue(10)),
          max: duration,
        }),
      ],
      'must be default, aggressive, conservative, or {tries, first, factor, max}',
    ),
  ),
  jitter: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  breaker: v.optional(v.strictObject({ failures: v.optional(whole(1, 1_000)), window: v.optional(duration) })),
  quota_wait: v.optional(duration),
  quota: v.optional(
    v.strictObject({ first: v.optional(duration), max: v.optional(duration), longest: v.optional(duration) }),
  ),
  memory_share: v.optional(share),
});
export type LimitsConfig = v.InferOutput<typeof limitsConfig>;

/** The limits in force: the config over the defaults. A budget of 0 means zero, an absent one means none. */
export function resolveLimits(config: LimitsConfig): Limits {
  const { slots, quota, breaker } = config;
  return {
    ...DEFAULT_LIMITS,
    slots: { total: slots?.total ?? DEFAULT_LIMITS.slots.total, per_cli: slots?.per_cli ?? {} },
    budget: resolveBudget(config.budget ?? {}),
    attempts: config.attempts ?? DEFAULT_LIMITS.attempts,
    crash_retries: config.crash_retries ?? DEFAULT_LIMITS.crash_retries,
    lost_retries: config.lost_retries ?? DEFAULT_LIMITS.lost_retries,
    wall_ms: config.wall ?? DEFAULT_LIMITS.wall_ms,
    task_age_ms: config.task_age ?? DEFAULT_LIMITS.task_age_ms,
    max_steps: config.max_steps ?? DEFAULT_LIMITS.max_steps,
    backoff: backoffOf(config.backoff ?? 'default'),
    jitter: config.jitter ?? DEFAULT_LIMITS.jitter,
    breaker: {
      failures: breaker?.failures ?? DEFAULT_LIMITS.breaker.failures,
      window_ms: breaker?.window ?? DEFAULT_LIMITS.breaker.window_ms,
    },
    same_errors: config.same_errors ?? SAME_ERRORS,
    ...present({ landing_ms: config.landing, landing_batch: config.landing_batch, memory_share: config.memory_share }),
    quota: {
      wait_ms: config.quota_wait ?? DEFAULT_QUOTA.wait_ms,
      first_ms: quota?.first ?? DEFAULT_QUOTA.first_ms,
      max_ms: quota?.max ?? DEFAULT_QUOTA.max_ms,
      longest_ms: quota?.longest ?? DEFAULT_QUOTA.longest_ms,
    },
  };
}

/** By name, or by explicit numbers. */
export function backoffOf(said: NonNullable<LimitsConfig['backoff']>): Backoff {
  if (typeof said === 'string') return BACKOFFS[said];
  return { tries: said.tries, first_ms: said.first, factor: said.factor, max_ms: said.max };
}

function resolveBudget(said: NonNullable<LimitsConfig['budget']>): BudgetLimits {
  const micro = (value: number | null | undefined) => (value == null ? value : Math.round(value * 1e6));
  const { task_tokens, project_tokens, day_tokens, estimate_tokens } = said;
  return {
    project_microusd: micro(said.project_usd) ?? null,
    day_microusd: micro(said.day_usd) ?? null,
    ...present({
      task_microusd: micro(said.task_usd),
      task_tokens,
      project_tokens,
      day_tokens,
      estimate_microusd: micro(said.estimate_usd) ?? undefined,
      estimate_tokens,
      least_microusd: micro(said.least_usd) ?? undefined,
    }),
  };
}

type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes fields that are undefined, so that they are absent. */
function present<T extends object>(fields: T): DefinedFields<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as DefinedFields<T>;
}
