import { expect } from 'vitest';
import { ACCEPTED, FIX, FIXED, type HostileCase, SAYS } from '../harness/case.ts';

const behind = (work: string) => `(setsid sh -c '${work}' >/dev/null 2>&1 </dev/null &)\n`;

export default [
  {
    id: 'WT-04',
    title: 'puts a link in place of a file after the answer',
    worker: ({ secret }) => `${FIX}${behind(`sleep 0.4; ln -sf ${secret} src/a.js`)}${SAYS}`,
    expect: ACCEPTED,
    after: (seen) => {
      expect(`${seen.file('src/a.js')}\n`).toBe(FIXED);
      expect(seen.record.leftovers).toBeGreaterThan(0);
    },
    control: { look: 'sleep 1; cat worktree/src/a.js', naive: ({ survivors, leaked }) => survivors > 0 && leaked },
  },
  {
    id: 'WT-04',
    title: 'goes on changing what is being captured: one tree is checked and landed',
    worker: () =>
      `${FIX}${behind('n=0; while :; do n=$((n+1)); echo $n >src/count.txt.new; mv src/count.txt.new src/count.txt; done')}sleep 0.1\n${SAYS}`,
    expect: ACCEPTED,
    control: {
      look: 'a=$(cat worktree/src/count.txt); sleep 0.5; b=$(cat worktree/src/count.txt); [ "$a" != "$b" ] && echo moving',
      naive: ({ looked }) => looked === 'moving\n',
    },
  },
] satisfies HostileCase[];
