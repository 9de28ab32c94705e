/** The further down a file stands, the less of it is shown. */
import { expect, test } from 'vitest';
import { shareFor } from '../../../src/mind/ranking/shares.ts';

test('the first file gets the cap, the fifth half of it, and none less than is of use', () => {
  expect([0, 4, 12, 100].map((place) => shareFor(place, 2_500))).toEqual([2_500, 1_250, 625, 600]);
});

test('a small cap is never exceeded', () => {
  expect([0, 1, 50].map((place) => shareFor(place, 400))).toEqual([400, 400, 400]);
});
