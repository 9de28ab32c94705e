/** The table of what follows from each way a worker can end; a class of outcome without a row here does not compile. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import { type ErrorCategory, errorCategory, type OutcomeClass, outcomeClass } from '../../src/mind/domain/values.ts';
import {
  backoffDelay,
  countsForBreaker,
  type FollowUp,
  fixFor,
  followUp,
} from '../../src/mind/safeguards/after-outcome.ts';
import { categoryOf } from '../../src/mind/safeguards/category.ts';
import { BACKOFFS } from '../../src/mind/workflows/retry-policies.ts';

const LIMITS = {
  ...DEFAULT_LIMITS,
  crash_retries: 4,
  lost_retries: 11,
  backoff: { ...DEFAULT_LIMITS.backoff, tries: 6 },
};
const ATTEMPTS = 7;
const retry = (counter: string, max: number, over: { wait?: string; failover?: boolean; end?: string } = {}) =>
  ({ do: 'retry', counter, max, wait: 'none', failover: false, end: 'by-workflow', ...over }) as FollowUp;
const crash = retry('crash', 4, { failover: true });
const escalate = { do: 'escalate', fix: false } as const;
const stop = { do: 'escalate', fix: true } as const;

type Row = {
  readonly follow: FollowUp;
  readonly againstCli: boolean;
  /** The category when nothing more is known. */
  readonly category: ErrorCategory | null;
};

const TABLE: Readonly<Record<OutcomeClass, Row>> = {
  ok: { follow: { do: 'check' }, againstCli: false, category: null },
  invalid: { follow: retry('candidates', ATTEMPTS), againstCli: false, category: 'parsing' },
  transient: {
    follow: retry('transient', 6, { wait: 'backoff', failover: true }),
    againstCli: true,
    category: 'network',
  },
  quota: { follow: { do: 'park' }, againstCli: false, category: 'resource' },
  auth: { follow: stop, againstCli: false, category: 'cli' },
  missing_cli: { follow: stop, againstCli: false, category: 'cli' },
  wrong_version: { follow: stop, againstCli: false, category: 'cli' },
  crash: { follow: crash, againstCli: true, category: 'cli' },
  timeout: { follow: crash, againstCli: true, category: 'resource' },
  killed: { follow: crash, againstCli: false, category: 'cli' },
  output_limit: { follow: crash, againstCli: true, category: 'resource' },
  resource_limit: { follow: crash, againstCli: true, category: 'resource' },
  unknown: { follow: retry('unknown', 4, { end: 'escalate' }), againstCli: true, category: 'cli' },
  lost: { follow: retry('lost', 11, { end: 'escalate' }), againstCli: false, category: 'resource' },
  interrupted: { follow: retry('none', Number.POSITIVE_INFINITY), againstCli: false, category: 'resource' },
  waiting_for_input: { follow: escalate, againstCli: false, category: 'logic' },
  blocked: { follow: escalate, againstCli: false, category: 'logic' },
};

describe('what follows from an outcome', () => {
  test('is written down for every class there is', () => {
    expect(Object.keys(TABLE).sort()).toEqual([...outcomeClass.options].sort());
  });

  test.each(Object.entries(TABLE))('of class %s is as the table says', (name, row) => {
    const outcome = name as OutcomeClass;
    expect({
      follow: followUp(outcome, LIMITS, ATTEMPTS),
      againstCli: countsForBreaker(outcome),
      category: categoryOf(outcome),
    }).toEqual(row);
  });

  test.each(Object.entries(TABLE))(
    'of class %s says how to put it right exactly when it stops for that',
    (name, row) => {
      const fix = fixFor(name as OutcomeClass, 'claude', 't-1');
      expect(fix !== null).toBe(row.follow.do === 'escalate' && row.follow.fix);
      if (fix !== null) expect(fix).toMatch(/claude.*`supervisor doctor`.*`supervisor resume t-1`/);
    },
  );
});

describe('the category of an error', () => {
  test('has six values, and every one is in use', () => {
    const used = new Set(Object.values(TABLE).flatMap(({ category }) => category ?? []));
    expect([...used, 'validation'].sort()).toEqual([...errorCategory.options].sort());
  });

  test('is what the hand says, if it says one; a success has none, whatever it says', () => {
    expect(categoryOf('invalid', { told: 'logic', gates: true })).toBe('logic');
    expect(categoryOf('ok', { told: 'logic' })).toBeNull();
  });

  test('a refusal by gates counts as validation', () => {
    expect([categoryOf('invalid', { gates: true }), categoryOf('blocked', { gates: true })]).toEqual([
      'validation',
      'validation',
    ]);
  });

  test('a crash over an answer of the server counts as network if the server itself failed', () => {
    const statuses = [null, 200, 404, 499, 500, 529];
    expect(statuses.map((status) => categoryOf('crash', { status }))).toEqual([
      ...['cli', 'cli', 'cli', 'cli', 'network', 'network'],
    ]);
    expect(categoryOf('resource_limit', { status: 500 })).toBe('resource');
  });
});

describe('the wait before a retry', () => {
  const delays = (name: keyof typeof BACKOFFS, dice: number) => {
    const limits = { ...DEFAULT_LIMITS, backoff: BACKOFFS[name] };
    return [0, 1, 2, 3, 9].map((n) => backoffDelay(limits, n, dice));
  };

  test.each([
    ['default', [2_000, 4_000, 8_000, 16_000, 30_000]],
    ['aggressive', [1_000, 1_500, 2_250, 3_375, 38_443]],
    ['conservative', [5_000, 15_000, 45_000, 120_000, 120_000]],
  ] as const)('grows as the %s policy says, up to its ceiling', (name, expected) => {
    expect(delays(name, 0.5)).toEqual(expected);
  });

  test('is spread by the dice over a tenth to either side', () => {
    expect([0, 0.25, 0.5, 0.75].map((dice) => backoffDelay(DEFAULT_LIMITS, 0, dice))).toEqual([
      1_800, 1_900, 2_000, 2_100,
    ]);
  });

  test('does not depend on the dice without jitter', () => {
    const still = { ...DEFAULT_LIMITS, jitter: 0 };
    expect([0, 0.99].map((dice) => backoffDelay(still, 1, dice))).toEqual([4_000, 4_000]);
  });

  test('is a whole number of milliseconds within the jitter, however many tries', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (n, dice) => {
        const delay = backoffDelay(DEFAULT_LIMITS, n, dice);
        expect(Number.isSafeInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(1_800);
        expect(delay).toBeLessThanOrEqual(33_000);
      }),
    );
  });
});
