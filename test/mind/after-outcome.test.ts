/** The table of what follows from each way a worker can end; a class of outcome without a row here does not compile. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BACKOFFS, DEFAULT_LIMITS } from '../../src/mind/config/limits.ts';
import { type OutcomeClass, outcomeClass } from '../../src/mind/domain/values.ts';
import { backoffDelay, countsForBreaker, type FollowUp, followUp } from '../../src/mind/safeguards/after-outcome.ts';

const LIMITS = {
  ...DEFAULT_LIMITS,
  crash_retries: 4,
  lost_retries: 11,
  backoff: { ...DEFAULT_LIMITS.backoff, tries: 6 },
};
const ATTEMPTS = 7;
const retry = (counter: string, max: number, wait: string, failover: boolean) =>
  ({ do: 'retry', counter, max, wait, failover }) as FollowUp;
const crash = retry('crash', 4, 'none', true);
const escalate = { do: 'escalate' } as const;

const TABLE: Readonly<Record<OutcomeClass, { readonly follow: FollowUp; readonly againstCli: boolean }>> = {
  ok: { follow: { do: 'check' }, againstCli: false },
  invalid: { follow: retry('candidates', ATTEMPTS, 'none', false), againstCli: false },
  transient: { follow: retry('transient', 6, 'backoff', true), againstCli: true },
  quota: { follow: retry('quota', 6, 'reset', true), againstCli: false },
  crash: { follow: crash, againstCli: true },
  timeout: { follow: crash, againstCli: true },
  killed: { follow: crash, againstCli: false },
  output_limit: { follow: crash, againstCli: true },
  resource_limit: { follow: crash, againstCli: true },
  unknown: { follow: retry('unknown', 4, 'none', false), againstCli: true },
  lost: { follow: retry('lost', 11, 'none', false), againstCli: false },
  interrupted: { follow: retry('none', Number.POSITIVE_INFINITY, 'none', false), againstCli: false },
  auth: { follow: escalate, againstCli: true },
  waiting_for_input: { follow: escalate, againstCli: false },
  blocked: { follow: escalate, againstCli: false },
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
    }).toEqual(row);
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
