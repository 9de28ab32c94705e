import { expect } from 'vitest';
import { ACCEPTED, FIX, FIXED, type HostileCase, SAYS } from '../harness/case.ts';

/** Writes when the worker, `$0` in it, has ended; a busy machine takes a moment until all that was in the box is gone. */
const late = (outputs: string) =>
  `( setsid sh -c 'while kill -0 $0 2>/dev/null; do sleep 0.05; done; sleep 1; echo LATE >>src/a.js; sleep 60' $$ ${outputs} & )`;

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
      look: 'n=0; until grep LATE worktree/src/a.js || [ $n -ge 100 ]; do n=$((n+1)); sleep 0.1; done',
      naive: ({ survivors, looked }) => survivors > 0 && looked.includes('LATE'),
    },
  },
  {
    id: 'PR-01',
    title: 'leaves one behind that keeps its outputs open',
    worker: () => `${FIX}${late('')}\n${SAYS}`,
    // It would hold them for longer than the attempt may take.
    expect: ACCEPTED,
    after: (seen) => expect(`${seen.file('src/a.js')}\n`).toBe(FIXED),
    control: { naive: ({ survivors }) => survivors > 0 },
  },
] satisfies HostileCase[];
