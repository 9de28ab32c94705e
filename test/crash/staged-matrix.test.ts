/** Kill -9 around each gate of a real task whose gates run in stages, side by side, with a canary. */
import { expect, test } from 'vitest';
import { faultFree, strike } from './real-kills.ts';
import { RealWork, STAGED } from './real-work.ts';

test('at every failpoint around a gate the end is the same', {
  timeout: 600_000,
}, async () => {
  const found = await faultFree(() => new RealWork(STAGED));
  const points = found.names.flatMap((name, n) => (/^effect\.(?:before|after) gate\.run$/.test(name) ? [n + 1] : []));
  // Two attempts: the first is red in its second stage, the second passes all three.
  expect(points.length).toBeGreaterThanOrEqual(2 * (4 + 6));
  await strike(points, found);
});
