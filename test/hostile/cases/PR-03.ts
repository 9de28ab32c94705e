import { expect } from 'vitest';
import { FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'PR-03',
  title: 'ignores TERM, INT, HUP and QUIT',
  worker: () =>
    `${FIX}${SAYS}trap '' TERM INT HUP QUIT\n(while :; do sleep 0.2; done) &\nwhile :; do sleep 0.2; done\n`,
  wall: '1500ms',
  expect: { code: 1, status: 'failed', class: 'timeout' },
  after: ({ events }) => {
    const times = events.map(({ time }) => time);
    // Two attempts, each with its time and a grace.
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(2 * (1_500 + 5_000));
  },
  control: { timeoutMs: 400, naive: ({ ms, survivors }) => ms > 1_200 && survivors > 0 },
} satisfies HostileCase;
