/** As in killed.test.ts, at more times. */
import { test } from 'vitest';
import { killAtAnyTime } from './kills.ts';
import { world } from './repository.ts';

test('30 kills at any time', { timeout: 600_000 }, async () => {
  const w = world();
  try {
    await killAtAnyTime(w, 30);
  } finally {
    await w.end();
  }
});
