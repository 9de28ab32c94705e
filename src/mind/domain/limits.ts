/** Every number that bounds the work, with its default: the one limits file. */
import * as v from 'valibot';
import { MAX_DURATION_MS } from '../../kernel/duration.ts';
import { present } from '../../kernel/present.ts';
import { duration } from '../fields/fields.ts';

const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(min), v.maxValue(max));

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
  /** A quota that resets within this is waited for; for a longer one the step goes to the next CLI of its chain. */
  wait_ms: ms,
  /** How long a CLI is left alone when nobody told when its quota resets: doubled with each in a row. */
  first_ms: ms,
  max_ms: ms,
  /** No CLI is left alone for longer than this, whatever it told. */
  longest_ms: ms,
});
export type Quota = v.InferOutput<typeof quota>;

const amount = whole(0, 1e12);
/** Null, or absent in older logs: there is no such budget. */
const budget = v.object({
  project_microusd: v.nullable(amount),
  day_microusd: v.nullable(amount),
  task_microusd: v.optional(v.nullable(amount)),
  project_tokens: v.optional(v.nullable(amount)),
  day_tokens: v.optional(v.nullable(amount)),
  task_tokens: v.optional(v.nullable(amount)),
  /** What an attempt sets aside, and what it is charged if it does not tell its cost. Absent: see `estimateOf`. */
  estimate_microusd: v.optional(amount),
  estimate_tokens: v.optional(amount),
  /** No attempt is charged less, whatever it tells. */
  least_microusd: v.optional(amount),
});
type BudgetLimits = v.InferOutput<typeof budget>;

/** The limits as state holds them: all numbers present, times in milliseconds, money in millionths of a dollar. */
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
  /** How often an attempt may be lost with Supervisor itself before a person has to look. */
  lost_retries: whole(0, 1_000),
  breaker: v.object({ failures: whole(1, 1_000), window_ms: ms }),
  /** Logs that are older than it have none: see `quotaOf`. */
  quota: v.optional(quota),
  /** How often the same failure may send a step back, the last one included. Absent in older logs: see `sameErrorsOf`. */
  same_errors: v.optional(whole(2, 100)),
  /** Absent: see `landingMsOf`. */
  landing_ms: v.optional(ms),
  /** The share of the machine's memory from which on no worker is started. Absent: see `memoryShareOf`. */
  memory_share: v.optional(share),
});
export type Limits = v.InferOutput<typeof limits>;

const LANDING_MS = 60 * 60_000;
/** How long one step of a landing, such as its gates together, may take. */
export const landingMsOf = (limits: Limits): number => limits.landing_ms ?? LANDING_MS;

const MEMORY_SHARE = 0.8;
export const memoryShareOf = (limits: Limits): number => limits.memory_share ?? MEMORY_SHARE;

/** What the budgets count for an attempt that does not tell its cost; tokens: the largest packet there is. */
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
  backoff: { tries: 3, first_ms: 2_000, factor: 2, max_ms: 30_000 },
  jitter: 0.1,
  crash_retries: 1,
  lost_retries: 10,
  breaker: { failures: 5, window_ms: 300_000 },
  quota: DEFAULT_QUOTA,
  same_errors: SAME_ERRORS,
};

const count = v.optional(v.nullable(amount));
const money = v.optional(v.nullable(usd));

/** `limits:` in a config file, and the whole of a limits.yaml: every field may be left out. */
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
  max_steps: v.optional(whole(1, 100_000)),
  backoff: v.optional(
    v.union(
      [
        v.picklist(['default', 'aggressive', 'conservative']),
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

export const BACKOFFS: Readonly<Record<'default' | 'aggressive' | 'conservative', Backoff>> = {
  default: DEFAULT_LIMITS.backoff,
  aggressive: { tries: 5, first_ms: 1_000, factor: 1.5, max_ms: 60_000 },
  conservative: { tries: 2, first_ms: 5_000, factor: 3, max_ms: 120_000 },
};

/** The limits in force: what the config says over the defaults. A budget of 0 means zero, absent means none. */
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
    ...present({ landing_ms: config.landing, memory_share: config.memory_share }),
    quota: {
      wait_ms: config.quota_wait ?? DEFAULT_QUOTA.wait_ms,
      first_ms: quota?.first ?? DEFAULT_QUOTA.first_ms,
      max_ms: quota?.max ?? DEFAULT_QUOTA.max_ms,
      longest_ms: quota?.longest ?? DEFAULT_QUOTA.longest_ms,
    },
  };
}

/** By its name, or by its own numbers. */
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
