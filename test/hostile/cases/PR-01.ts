import { expect } from 'vitest';
import { ACCEPTED, FIX, FIXED, type HostileCase, SAYS } from '../harness/case.ts';

const late = (outputs: string) => `( setsid sh -c 'sleep 0.6; echo LATE >>src/a.js; sleep 20' ${outputs} & )`;

export default [
  {
    id: 'PR-01',
    title: 'leaves a process behind that writes later',
    worker: () => `${FIX}${late('>/dev/null 2>&1')}\n${SAYS}`,
    expect: ACCEPTED,
    after: (seen) => {
      expect(`${seen.file('src/a.js')}\n`).toBe(FIXED);
      expect(seen.record.leftovers).toBeGreaterThan(0);
    },
    control: {
      look: 'sleep 1; cat worktree/src/a.js',
      naive: ({ survivors, looked }) => survivors > 0 && looked.includes('LATE'),
    },
  },
  {
    id: 'PR-01',
    title: 'leaves one behind that keeps its outputs open',
    worker: () => `${FIX}${late('')}\n${SAYS}`,
    expect: ACCEPTED,
    after: (seen) => {
      expect(`${seen.file('src/a.js')}\n`).toBe(FIXED);
      expect(seen.record.ms).toBeLessThan(10_000);
    },
    control: { naive: ({ survivors }) => survivors > 0 },
  },
] satisfies HostileCase[];
