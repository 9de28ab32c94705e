import { expect } from 'vitest';
import { ACCEPTED, FIX, FIXED, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'X-assume-unchanged',
  title: 'tells the index to overlook what it changes',
  worker: ({ repository }) =>
    `for at in . ${repository}; do git -C $at update-index --assume-unchanged src/a.js; git -C $at update-index --skip-worktree src/a.js; done 2>/dev/null\n${FIX}touch -d @0 src/a.js\n${SAYS}`,
  expect: ACCEPTED,
  after: (seen) => expect(`${seen.file('src/a.js')}\n`).toBe(FIXED),
  control: { naive: ({ gate, accepted, fixed }) => gate === 0 && accepted && !fixed },
} satisfies HostileCase;
