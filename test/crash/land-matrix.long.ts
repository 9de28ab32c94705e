/** OF-19: kill -9 at every failpoint of a landing. */
import { test } from 'vitest';
import { type Case, landingPoints, strikeLanding } from './land-kills.ts';

test.each<Case>(['untouched', 'moved', 'checked out'])(
  'a line that is %s, for every failpoint n: kill -9 at n, go on: moved once, one fact, nothing left behind',
  { timeout: 1_200_000 },
  async (at) => {
    const found = await landingPoints(at);
    await strikeLanding(
      found.names.map((_, n) => n + 1),
      found,
    );
  },
);
