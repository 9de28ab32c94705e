/** Every key of `limits:`: what it bounds, its unit, and which of two values is tighter. */
import { formatDuration } from '../../kernel/duration.ts';
import type { LimitsConfig } from '../domain/limits.ts';
import {
  type backoffOf,
  estimateOf,
  type Limits,
  landingBatchOf,
  landingMsOf,
  memoryShareOf,
  quotaOf,
  sameErrorsOf,
} from '../domain/limits.ts';

/**
 * How a user's value and a project's combine. `less`, `more`: the lower or higher one. `budget`: the lower one, where
 * null means none. `tries`: the backoff with fewer retries. `person`: the user's, because neither is tighter.
 */
type CombineRule = 'less' | 'more' | 'budget' | 'tries' | 'person';

/** Files hold times as texts or seconds, and money in dollars; state holds milliseconds and millionths of a dollar. */
type Unit = 'seconds' | 'dollars' | 'tokens' | 'share of memory' | 'share of a wait' | 'backoff' | (string & {});

export type LimitKey = {
  readonly key: string;
  readonly rule: CombineRule;
  /** A project cannot loosen the default either. */
  readonly notLooser?: number;
  readonly unit: Unit;
  readonly means: string;
  /** The value as in a file, with seconds for a time. */
  readonly of: (limits: Limits) => LimitValue;
};

export type LimitValue = number | null | ReturnType<typeof backoffOf> | Readonly<Record<string, number>>;

const dollars = (micro: number | null | undefined): number | null => (micro == null ? null : micro / 1e6);
const seconds = (ms: number): number => ms / 1_000;

const key = (
  name: string,
  rule: CombineRule,
  unit: Unit,
  means: string,
  of: LimitKey['of'],
  notLooser?: number,
): LimitKey => ({ key: name, rule, unit, means, of, ...(notLooser === undefined ? {} : { notLooser }) });

const DEFAULT_ESTIMATE = estimateOf({ project_microusd: null, day_microusd: null });

export const LIMIT_KEYS: readonly LimitKey[] = [
  key('slots.total', 'less', 'attempts at once', 'all tasks of the project', ({ slots }) => slots.total),
  key('slots.per_cli', 'less', 'attempts at once', 'of one CLI', ({ slots }) => slots.per_cli),
  key('budget.task_usd', 'budget', 'dollars', 'one task', ({ budget }) => dollars(budget.task_microusd)),
  key('budget.project_usd', 'budget', 'dollars', 'all tasks of the project', ({ budget }) =>
    dollars(budget.project_microusd),
  ),
  key('budget.day_usd', 'budget', 'dollars', 'this machine in one day (UTC)', ({ budget }) =>
    dollars(budget.day_microusd),
  ),
  key('budget.task_tokens', 'budget', 'tokens', 'one task', ({ budget }) => budget.task_tokens ?? null),
  key(
    'budget.project_tokens',
    'budget',
    'tokens',
    'all tasks of the project',
    ({ budget }) => budget.project_tokens ?? null,
  ),
  key(
    'budget.day_tokens',
    'budget',
    'tokens',
    'this machine in one day (UTC)',
    ({ budget }) => budget.day_tokens ?? null,
  ),
  key(
    'budget.estimate_usd',
    'more',
    'dollars',
    'reserved per attempt, and charged if the cost is unknown',
    ({ budget }) => dollars(estimateOf(budget).microusd),
    DEFAULT_ESTIMATE.microusd / 1e6,
  ),
  key(
    'budget.estimate_tokens',
    'more',
    'tokens',
    'reserved per attempt, and charged if the tokens are unknown',
    ({ budget }) => estimateOf(budget).tokens,
    DEFAULT_ESTIMATE.tokens,
  ),
  key(
    'budget.least_usd',
    'more',
    'dollars',
    'charged per attempt at least, whatever the worker reports',
    ({ budget }) => dollars(estimateOf(budget).least),
    DEFAULT_ESTIMATE.least / 1e6,
  ),
  key('attempts', 'less', 'attempts', 'candidates and invalid answers of a step', ({ attempts }) => attempts),
  key(
    'crash_retries',
    'less',
    'retries',
    'after a crash, a time-out or an unknown end',
    ({ crash_retries }) => crash_retries,
  ),
  key(
    'lost_retries',
    'less',
    'retries',
    'after an attempt was lost with Supervisor itself',
    ({ lost_retries }) => lost_retries,
  ),
  key('same_errors', 'less', 'times', 'the same failure of a step, the last one included', sameErrorsOf),
  key('wall', 'less', 'seconds', 'one attempt', ({ wall_ms }) => seconds(wall_ms)),
  key('task_age', 'less', 'seconds', 'an open task', ({ task_age_ms }) => seconds(task_age_ms)),
  key('landing', 'less', 'seconds', 'one step of a landing', (limits) => seconds(landingMsOf(limits))),
  key('landing_batch', 'less', 'changes', 'changes of a landing queue that are checked together', landingBatchOf),
  key('max_steps', 'less', 'steps', 'one workflow', ({ max_steps }) => max_steps),
  key('backoff', 'tries', 'backoff', 'waits after transient failures', ({ backoff }) => backoff),
  key('jitter', 'person', 'share of a wait', 'how far a wait may differ to either side', ({ jitter }) => jitter),
  key(
    'breaker.failures',
    'less',
    'failures',
    'of one role and CLI, then its breaker opens',
    ({ breaker }) => breaker.failures,
  ),
  key('breaker.window', 'more', 'seconds', 'in which these failures count', ({ breaker }) =>
    seconds(breaker.window_ms),
  ),
  key('quota_wait', 'person', 'seconds', 'a reset this near is waited for', (limits) =>
    seconds(quotaOf(limits).wait_ms),
  ),
  key('quota.first', 'person', 'seconds', 'a CLI rests if no reset time is known, doubled each time', (limits) =>
    seconds(quotaOf(limits).first_ms),
  ),
  key('quota.max', 'person', 'seconds', 'the longest rest if no reset time is known', (limits) =>
    seconds(quotaOf(limits).max_ms),
  ),
  key('quota.longest', 'person', 'seconds', 'the longest rest, whatever reset time was given', (limits) =>
    seconds(quotaOf(limits).longest_ms),
  ),
  key('memory_share', 'less', 'share of memory', 'in use on this machine: no worker is started', memoryShareOf, 0.8),
];

/** The value with its unit, in words. */
export function limitText(unit: Unit, value: LimitValue): string {
  if (value === null) return 'none';
  if (typeof value === 'object') return backoffText(value) ?? perCliText(value as Record<string, number>);
  switch (unit) {
    case 'seconds':
      return formatDuration(value * 1_000);
    case 'dollars':
      return `$${value < 0.01 && value > 0 ? value : value.toFixed(2)}`;
    case 'share of memory':
    case 'share of a wait':
      return `${Math.round(value * 100)} % ${unit.slice('share '.length)}`;
    default:
      return `${value} ${value === 1 ? unit.replace(/ies\b/, 'y').replace(/s\b/, '') : unit}`;
  }
}

function backoffText(value: object): string | null {
  if (!('first_ms' in value)) return null;
  const { tries, first_ms, factor, max_ms } = value as ReturnType<typeof backoffOf>;
  return `${limitText('retries', tries)}, first after ${formatDuration(first_ms)}, then x${factor}, at most ${formatDuration(max_ms)}`;
}

const perCliText = (value: Readonly<Record<string, number>>): string =>
  Object.entries(value)
    .map(([cli, most]) => `${cli} ${most}`)
    .join(', ') || 'none';

/** The entries of a file, one per key; `slots.per_cli` has one per CLI. */
export function flatLimits(config: LimitsConfig): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [name, value] of Object.entries(config)) {
    if (typeof value !== 'object' || name === 'backoff') flat.set(name, value);
    else for (const [field, inner] of Object.entries(value)) addField(flat, `${name}.${field}`, inner);
  }
  return flat;
}

const PER_CLI = 'slots.per_cli';

function addField(flat: Map<string, unknown>, name: string, value: unknown): void {
  if (name !== PER_CLI) flat.set(name, value);
  else for (const [cli, most] of Object.entries(value as object)) flat.set(`${PER_CLI}.${cli}`, most);
}

/** The fields that lead to a flat key. */
export function limitPath(name: string): readonly string[] {
  return name.startsWith(`${PER_CLI}.`) ? ['slots', 'per_cli', name.slice(PER_CLI.length + 1)] : name.split('.');
}

/** The declaration behind a flat key. */
export function limitKey(name: string): LimitKey | undefined {
  const known = name.startsWith(`${PER_CLI}.`) ? PER_CLI : name;
  return LIMIT_KEYS.find((one) => one.key === known);
}

/** The inverse: nested as in the schema of `limits:`. */
export function nestedLimits(flat: ReadonlyMap<string, unknown>): LimitsConfig {
  const groups = new Map<string, [string, unknown][]>();
  const top: [string, unknown][] = [];
  for (const [name, value] of flat) {
    const [group, field] = name.startsWith(`${PER_CLI}.`)
      ? [PER_CLI, name.slice(PER_CLI.length + 1)]
      : (name.split('.') as [string, string?]);
    if (field === undefined) top.push([group, value]);
    else groups.set(group, [...(groups.get(group) ?? []), [field, value]]);
  }
  const perCli = groups.get(PER_CLI);
  groups.delete(PER_CLI);
  if (perCli !== undefined)
    groups.set('slots', [...(groups.get('slots') ?? []), ['per_cli', Object.fromEntries(perCli)]]);
  // The same schema parsed each value at the same key.
  return Object.fromEntries([
    ...top,
    ...[...groups].map(([name, all]) => [name, Object.fromEntries(all)]),
  ]) as LimitsConfig;
}
