/** OF-01, OF-02, PR-20: kill -9 at every failpoint of a real task, and at 30 random times. */
import { test } from 'vitest';
import { faultFree, killAtTimes, strike } from './real-kills.ts';
import { RealWork, STAGED } from './real-work.ts';

test('for every failpoint n: kill -9 at n, resume: same tree, one commit, nothing lost, doubled or left behind', {
  timeout: 1_200_000,
}, async () => {
  const found = await faultFree();
  await strike(
    found.names.map((_, n) => n + 1),
    found,
  );
});

test('30 kills at random times: same tree, one commit, nothing left behind', { timeout: 600_000 }, async () => {
  await killAtTimes(30, await faultFree());
});

test('the same with gates in stages, side by side, and a canary, at every failpoint and at 10 random times', {
  timeout: 2_400_000,
}, async () => {
  const found = await faultFree(() => new RealWork(STAGED));
  await strike(
    found.names.map((_, n) => n + 1),
    found,
  );
  await killAtTimes(10, found);
});
