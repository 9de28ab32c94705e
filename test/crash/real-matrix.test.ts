/** OF-01, OF-02, PR-20 over the real hands, at each kind of failpoint; `real-matrix.long.ts` strikes every one. */
import { expect, test } from 'vitest';
import { faultFree, killAtTimes, strike } from './real-kills.ts';

test('at the last failpoint of each kind that the hands have: kill -9, resume: same tree, one commit, nothing lost, doubled or left behind', {
  timeout: 600_000,
}, async () => {
  const found = await faultFree();
  const last = new Map(found.names.map((name, n) => [name, n + 1]));
  for (const name of [
    ...['capture.surveyed', 'capture.hashed', 'capture.transferred', 'capture.pinned', 'capture.released'],
    ...['publish.committed', 'publish.transferred', 'publish.pinned', 'publish.branched', 'publish.released'],
    ...['effect.before worker.run', 'effect.after gate.run', 'effect.before candidate.apply', 'append.inside'],
  ]) {
    expect([...last.keys()]).toContain(name);
  }
  // Those of the engine alone are struck in matrix.test.ts.
  const hands = [...last].filter(([name]) => /^(capture|publish|effect|lease|release)/.test(name));
  await strike(
    hands.map(([, n]) => n),
    found,
  );
});

test('5 kills at random times', { timeout: 400_000 }, async () => {
  await killAtTimes(5, await faultFree());
});
