import { expect } from 'vitest';
import { ACCEPTED, FIXED, type HostileCase, print, SAYS } from '../harness/case.ts';

const program = (breach: string) => `import { spawn } from 'node:child_process';
spawn('sh', ['-c', 'trap "" TERM HUP; sleep 2; echo late >${breach}; echo late >>src/a.js; sleep 20'], { detached: true, stdio: 'ignore' }).unref();
${FIXED}`;

export default {
  id: 'X-gate-daemon',
  title: 'code that leaves a process behind when a gate runs it',
  worker: ({ breach }) => `${print(program(breach).trim()).replace('cat <<', 'cat >src/a.js <<')}${SAYS}`,
  expect: ACCEPTED,
  after: (seen) => expect(seen.file('src/a.js').endsWith('late')).toBe(false),
  control: {
    look: 'n=0; until grep -qx late worktree/src/a.js || [ $n -ge 100 ]; do n=$((n+1)); sleep 0.1; done',
    naive: ({ outside }) => outside.includes('breach'),
  },
} satisfies HostileCase;
