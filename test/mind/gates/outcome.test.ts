/** What several checks of one gate come to. */
import { describe, expect, test } from 'vitest';
import { type CheckResult, gateStatusOf, measuredOf, testScore } from '../../../src/mind/gates/outcome.ts';

const check = (more: Partial<CheckResult> = {}): CheckResult => ({
  label: 'a',
  weight: 1,
  status: 'pass',
  score: null,
  tests: null,
  findings: null,
  flaky: null,
  ...more,
});
const NONE = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };

test.each([
  [[], 'pass'],
  [['pass', 'pass'], 'pass'],
  [['pass', 'error'], 'error'],
  [['error', 'fail'], 'fail'],
  [['fail', 'pass'], 'fail'],
] as const)('checks that ended %j: the gate is %s', (statuses, status) => {
  expect(gateStatusOf(statuses.map((one) => check({ status: one })))).toBe(status);
});

describe('the score', () => {
  test.each([
    ['both pass', 1, 1, 1],
    ['the heavy one fails', 0, 1, 0.4],
    ['the light one fails', 1, 0, 0.6],
    ['half of each', 0.5, 0.5, 0.5],
    ['a check without a score has no say', null, 0.5, 0.5],
    ['nothing was measured', null, null, null],
  ])('of unit .6 and integration .4: %s', (_, unit, integration, score) => {
    const parts = [check({ weight: 0.6, score: unit }), check({ weight: 0.4, score: integration })];
    const found = measuredOf(parts).score;
    if (score === null) expect(found).toBeNull();
    else expect(found).toBeCloseTo(score, 10);
  });

  test('without any weight is unknown, not a division by zero', () => {
    expect(measuredOf([check({ weight: 0, score: 1 })]).score).toBeNull();
  });

  test.each([
    [20, 0, 1],
    [20, 1, 0.95],
    [20, 20, 0],
    [0, 0, null],
    // Failures outside of tests are counted by some runners.
    [1, 3, 0],
  ])('of %d tests with %d failed is %d', (ran, failed, score) => {
    expect(testScore(ran, failed)).toBe(score);
  });
});

test('counts are added; an unknown one makes the sum unknown', () => {
  const parts = [
    check({ tests: { run: 3, failed: 1, skipped: 2 }, findings: { ...NONE, low: 1, high: 2 }, flaky: false }),
    check({ tests: { run: 4, failed: 0, skipped: null }, findings: { ...NONE, low: 2 }, flaky: true }),
    check(),
  ];
  expect(measuredOf(parts)).toEqual({
    score: null,
    tests: { run: 7, failed: 1, skipped: null },
    findings: { ...NONE, low: 3, high: 2 },
    flaky: true,
  });
});

test('nothing measured is null everywhere, not zero', () => {
  expect(measuredOf([check(), check()])).toEqual({ score: null, tests: null, findings: null, flaky: null });
  expect(measuredOf([check({ flaky: false }), check()]).flaky).toBe(false);
});
