import { expect } from 'vitest';
import { ACCEPTED, FIX, FIXED, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'PR-01',
  title: 'leaves a process behind that writes later',
  worker: () => `${FIX}( setsid sh -c 'sleep 0.6; echo LATE >>src/a.js; sleep 20' >/dev/null 2>&1 & )\n${SAYS}`,
  expect: ACCEPTED,
  after: (seen) => {
    expect(`${seen.file('src/a.js')}\n`).toBe(FIXED);
    expect(seen.record.leftovers).toBeGreaterThan(0);
  },
  control: {
    look: 'sleep 1; cat worktree/src/a.js',
    naive: ({ survivors, looked }) => survivors > 0 && looked.includes('LATE'),
  },
} satisfies HostileCase;
