/** The JSON of vitest and jest. */
import { describe, expect, test } from 'vitest';
import { changed, isGreen, problemOf, recorded, said } from './read.ts';

test('vitest: statuses, a retry, an expected failure and tests of one name', () => {
  expect(said('vitest', recorded('vitest-mixed.report'))).toEqual([
    '+ mixed.test.ts > good',
    'x mixed.test.ts > bad <one> & "two"',
    '+ mixed.test.ts > expected to fail',
    '~ mixed.test.ts > flaky',
    'x mixed.test.ts > suite > inner',
    '- mixed.test.ts > suite > skipped',
    '- mixed.test.ts > suite > later',
    '+ mixed.test.ts > twin',
    '+ mixed.test.ts > twin',
  ]);
});

test('jest: statuses, a retry and an expected failure', () => {
  const text = recorded('jest-mixed.report');
  const lines = [
    '+ t/mixed.test.js > good',
    'x t/mixed.test.js > bad <one> & "two"',
    '+ t/mixed.test.js > expected to fail',
    '~ t/mixed.test.js > flaky',
    'x t/mixed.test.js > suite › of many › inner',
    '- t/mixed.test.js > suite › skipped',
    '- t/mixed.test.js > suite › later',
  ];
  expect(said('jest', text)).toEqual(lines);
  const reasons = changed(text, '"invocations":2,', '"invocations":1,').replaceAll(
    '"retryReasons":[]',
    '"retryReasons":["x"]',
  );
  expect(said('jest', reasons)[3]).toBe(lines[3]);
});

describe('traps', () => {
  test.each(['nothing', 'empty', 'noload', 'skip', 'exit', 'hook'])('vitest-%s is not green', (name) => {
    expect(isGreen('vitest', recorded(`vitest-${name}.report`))).toBe(false);
  });
  test.each(['nothing', 'empty', 'noload', 'skip', 'late', 'hook'])('jest-%s is not green', (name) => {
    expect(isGreen('jest', recorded(`jest-${name}.report`))).toBe(false);
  });

  test('the control: runs that pass are green', () => {
    expect(isGreen('vitest', recorded('vitest-green.report'))).toBe(true);
    expect(isGreen('jest', recorded('jest-green.report'))).toBe(true);
  });

  test('facts missing from a report come from its exit code or the base: an error after the tests of vitest, and `.only`', () => {
    expect(said('vitest', recorded('vitest-late.report'))).toEqual(['+ late.test.ts > a', '+ late.test.ts > b']);
    expect(said('vitest', recorded('vitest-only.report'))).toEqual(['- only.test.ts > a', '+ only.test.ts > b']);
    expect(said('jest', recorded('jest-only.report'))).toEqual(['- t/only.test.js > a', '+ t/only.test.js > b']);
  });

  test('a hook that failed', () => {
    expect(said('vitest', recorded('vitest-hook.report'))).toContain('! hook.test.ts failed outside of its tests');
    expect(said('jest', recorded('jest-hook.report'))).toContain('! 1 test files failed outside of their tests');
  });

  const green = recorded('jest-green.report');
  test.each([
    ['a run that failed without a failed test', '"success":true', '"success":false'],
    ['an interrupted run', '"wasInterrupted":false', '"wasInterrupted":true'],
    ['a suite that failed to run', '"numRuntimeErrorTestSuites":0', '"numRuntimeErrorTestSuites":1'],
    ['a failed suite', '"numFailedTestSuites":0', '"numFailedTestSuites":1'],
    ['a file that did not run', '"numTotalTestSuites":1', '"numTotalTestSuites":2'],
    ['a file that failed', '"status":"focused"', '"status":"failed"'],
  ])('%s is a problem', (_, from, to) => {
    const lines = said('jest', changed(green, from, to));
    expect(lines.filter((line) => line.startsWith('!'))).toHaveLength(1);
  });

  test('vitest: a test that did not run to its end is a problem', () => {
    const text = changed(recorded('vitest-green.report'), '"status":"skipped"', '"status":"pending"');
    expect(said('vitest', text)).toContain('! green.test.ts: c did not run to its end');
  });

  test.each([
    ['fewer tests', 'jest-mixed.report', '"numTotalTests":7', '"numTotalTests":6'],
    ['no failures', 'jest-mixed.report', '"numFailedTests":2', '"numFailedTests":0'],
    ['more passes', 'jest-green.report', '"numPassedTests":2', '"numPassedTests":3'],
    ['no skips', 'vitest-green.report', '"numPendingTests":1', '"numPendingTests":0'],
    ['success with failures', 'vitest-mixed.report', '"success":false', '"success":true'],
    ['no totals', 'vitest-green.report', '"numTotalTests":3,', ''],
    ['an unknown status', 'vitest-green.report', '"status":"skipped"', '"status":"fine"'],
    ['text behind the end', 'vitest-green.report', /$/, '{}'],
  ])('%s is unusable', (_, name, from, to) => {
    const format = name.startsWith('jest') ? 'jest' : 'vitest';
    expect(problemOf(format, changed(recorded(name), from, to))).not.toBeNull();
  });
});
