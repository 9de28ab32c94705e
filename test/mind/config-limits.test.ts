/** The keys of `limits:`: each is named, shown, tightened by its own rule, and read from a file or the command line. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { limitFlags } from '../../src/mind/config/limit-flags.ts';
import {
  flatLimits,
  LIMIT_KEYS,
  limitKey,
  limitPath,
  limitText,
  nestedLimits,
} from '../../src/mind/config/limit-keys.ts';
import { tighten, tightest } from '../../src/mind/config/tighten.ts';
import { DEFAULT_LIMITS, type LimitsConfig, limitsConfig, resolveLimits } from '../../src/mind/domain/limits.ts';

/** One valid value for every key, none of them the default. */
const EVERY: LimitsConfig = v.parse(limitsConfig, {
  slots: { total: 3, per_cli: { claude: 1, 'a.b': 2 } },
  budget: {
    ...{ task_usd: 1, project_usd: 2, day_usd: 3, task_tokens: 4, project_tokens: 5, day_tokens: 6 },
    ...{ estimate_usd: 7, estimate_tokens: 800_000, least_usd: 1 },
  },
  ...{ attempts: 4, crash_retries: 2, lost_retries: 3, same_errors: 4 },
  wall: '9m',
  task_age: '2h',
  landing: '7m',
  landing_batch: 3,
  max_steps: 9,
  backoff: { tries: 7, first: '1s', factor: 3, max: '90s' },
  jitter: 0.3,
  breaker: { failures: 2, window: '9m' },
  quota_wait: '2m',
  quota: { first: '30s', max: '5m', longest: '1h' },
  memory_share: 0.5,
});

test('every key of the schema is in the table, and the table has no other', () => {
  const said = [...flatLimits(EVERY).keys()].map((name) => limitKey(name)?.key);
  expect([...new Set(said)].sort()).toEqual(LIMIT_KEYS.map(({ key }) => key).sort());
});

test.each([...flatLimits(EVERY)])('%s reaches the limits in force, whichever file says it', (name, value) => {
  const alone = nestedLimits(new Map([[name, value]]));
  const key = limitKey(name);
  expect(v.parse(limitsConfig, nestedLimits(flatLimits(alone)))).toEqual(v.parse(limitsConfig, alone));
  for (const limits of [tighten(alone, {}), tighten({}, alone)])
    expect(key?.of(resolveLimits(limits))).not.toEqual(key?.of(DEFAULT_LIMITS));
  expect(limitPath(name)).toEqual(
    name.startsWith('slots.per_cli.') ? ['slots', 'per_cli', name.slice(14)] : name.split('.'),
  );
});

describe('a project', () => {
  const one = (name: string, value: unknown) => nestedLimits(new Map([[name, value]]));
  const by = (name: string, person: unknown, project: unknown) =>
    tightest(person === undefined ? {} : one(name, person), one(name, project)).get(name)?.by ?? 'default';

  test.each([
    ['crash_retries', 2, 1, 3],
    ['lost_retries', 2, 1, 3],
    ['landing', 2_000, 1_000, 3_000],
    ['landing_batch', 4, 2, 8],
    ['breaker.failures', 2, 1, 3],
    ['breaker.window', 2_000, 3_000, 1_000],
    ['budget.task_usd', 2, 1, 3],
    ['budget.day_tokens', 2, 0, null],
    ['budget.task_tokens', null, 9, null],
    ['budget.estimate_usd', 2, 3, 1],
    ['budget.least_usd', 2, 3, 1],
    ['memory_share', 0.5, 0.4, 0.6],
  ])('may set %s, which a person set to %j, to %j and not to %j', (name, person, tighter, looser) => {
    expect([by(name, person, tighter), by(name, person, looser)]).toEqual(['project', 'person']);
  });

  test.each([
    ['budget.estimate_usd', 0.6, 0],
    ['budget.estimate_tokens', 200_000, 0],
    ['budget.least_usd', 0.1, 0],
    ['memory_share', 0.7, 1],
  ])('cannot loosen the default of %s either: %j counts, %j does not', (name, tighter, looser) => {
    expect([by(name, undefined, tighter), by(name, undefined, looser)]).toEqual(['project', 'default']);
  });

  test.each(['jitter', 'quota_wait', 'quota.first', 'quota.max', 'quota.longest'])(
    'cannot change %s of a person to either side',
    (name) => {
      expect([by(name, 0.5, 0.1), by(name, 0.5, 0.9)]).toEqual(['person', 'person']);
    },
  );
});

test.each([
  ['seconds', 90, '1 m 30 s'],
  ['dollars', 0.001, '$0.001'],
  ['dollars', 5, '$5.00'],
  ['dollars', null, 'none'],
  ['retries', 1, '1 retry'],
  ['attempts', 1, '1 attempt'],
  ['share of memory', 0.8, '80 % of memory'],
  ['backoff', DEFAULT_LIMITS.backoff, '3 retries, first after 2.0 s, then x2, at most 30.0 s'],
] as const)('a limit in %s, %j, is shown as %s', (unit, value, text) => {
  expect(limitText(unit, value)).toBe(text);
});

describe('--limit', () => {
  test('is read like the value of a file', () => {
    expect(limitFlags(['wall=5m', 'budget.day_usd=0.5', 'budget.task_usd=none', 'slots.per_cli.claude=1'])).toEqual({
      wall: 300_000,
      budget: { day_usd: 0.5, task_usd: null },
      slots: { per_cli: { claude: 1 } },
    });
  });

  test.each([
    ['budget.task_usd=-1', 'budget.task_usd: must be at least 0'],
    ['budget.task_usd=much', 'budget.task_usd: must be a number'],
    ['memory_share=80', 'memory_share: must be at most 1'],
    ['attempts=1.5', 'attempts: must be a whole number from 1 to 100'],
    ['wal=5m', 'did you mean wall?'],
    ['wall', 'write KEY=VALUE'],
    ['wall=soon', 'must be a duration'],
    ['attempts=0', '--limit attempts: '],
  ])('%s: the message names the mistake: %s', (flag, words) => {
    expect(limitFlags([flag])).toContain(words);
  });
});
