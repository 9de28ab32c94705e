/** Durations as people write them and as they are shown. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, MAX_DURATION_MS, parseDuration } from '../../src/kernel/duration.ts';

describe('a written duration', () => {
  test.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1d', 86_400_000],
    ['250ms', 250],
    ['1.5s', 1_500],
    ['0s', 0],
    ['1m1ms', 60_001],
    [30, 30_000],
    [0.25, 250],
    [0, 0],
  ])('%s is %d milliseconds', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    '',
    ' ',
    '5',
    '5 m',
    ' 5m',
    '5m ',
    '-5m',
    '5M',
    '5x',
    'm',
    '1e3s',
    '5m!',
    '.5s',
    '5ms5',
    Number.NaN,
    -1,
    Number.POSITIVE_INFINITY,
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  test('may last ten years and not a millisecond more', () => {
    expect(parseDuration('3650d')).toBe(MAX_DURATION_MS);
    expect(parseDuration('3650d1ms')).toBeNull();
    expect(parseDuration(MAX_DURATION_MS / 1_000 + 1)).toBeNull();
  });

  test('is always a whole, bounded number of milliseconds, or none', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.double(), fc.stringMatching(/^(\d{1,4}(\.\d)?(ms|s|m|h|d)){1,3}$/)),
        (text) => {
          const ms = parseDuration(text);
          expect(ms === null || (Number.isInteger(ms) && ms >= 0 && ms <= MAX_DURATION_MS)).toBe(true);
        },
      ),
    );
  });
});

describe('a shown duration', () => {
  test.each([
    [0, '0 ms'],
    [340, '340 ms'],
    [999.9, '999 ms'],
    [1_000, '1.0 s'],
    [12_400, '12.4 s'],
    [59_999, '59.9 s'],
    [60_000, '1 m 0 s'],
    [200_000, '3 m 20 s'],
    [3_599_999, '59 m 59 s'],
    [3_600_000, '1 h 0 m'],
    [7_500_000, '2 h 5 m'],
  ])('%d milliseconds are printed as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
