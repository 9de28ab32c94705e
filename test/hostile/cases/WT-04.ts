import { expect } from 'vitest';
import { ACCEPTED, FIX, FIXED, type HostileCase, SAYS } from '../harness/case.ts';

/** `$0` in it is the worker. */
const behind = (work: string) => `(setsid sh -c '${work}' $$ >/dev/null 2>&1 </dev/null &)\n`;
/** Not at once: a link that is there before everybody inside has been killed is a link in the answer, and refused as one. */
const AFTER = 'while kill -0 $0; do sleep 0.05; done; sleep 3';
const patiently = (condition: string) => `n=0; until ${condition} || [ $n -ge 100 ]; do n=$((n+1)); sleep 0.1; done`;

export default [
  {
    id: 'WT-04',
    title: 'puts a link in place of a file after the answer',
    worker: ({ secret }) => `${FIX}${behind(`${AFTER}; ln -sf ${secret} src/a.js; sleep 60`)}${SAYS}`,
    expect: ACCEPTED,
    after: (seen) => {
      expect(`${seen.file('src/a.js')}\n`).toBe(FIXED);
      expect(seen.record.leftovers).toBeGreaterThan(0);
    },
    control: {
      look: `${patiently('[ -L worktree/src/a.js ]')}; cat worktree/src/a.js`,
      naive: ({ survivors, leaked }) => survivors > 0 && leaked,
    },
  },
  {
    id: 'WT-04',
    title: 'goes on changing what is being captured: one tree is checked and landed',
    worker: () =>
      `${FIX}${behind('n=0; while :; do n=$((n+1)); echo $n >src/count.txt.new; mv src/count.txt.new src/count.txt; done')}${patiently('[ -s src/count.txt ]')}\n${SAYS}`,
    expect: ACCEPTED,
    control: {
      look: `a=$(cat worktree/src/count.txt); ${patiently('[ "$(cat worktree/src/count.txt)" != "$a" ]')}; [ $n -lt 100 ] && echo moving`,
      naive: ({ looked }) => looked === 'moving\n',
    },
  },
] satisfies HostileCase[];
