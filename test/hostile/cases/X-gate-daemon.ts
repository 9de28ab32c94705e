import { expect } from 'vitest';
import { ACCEPTED, FIXED, type HostileCase, print, SAYS } from '../harness/case.ts';

const program = (breach: string) => `import { spawn } from 'node:child_process';
spawn('sh', ['-c', 'trap "" TERM HUP; sleep 0.5; echo late >${breach}; echo late >>src/a.js; sleep 20'], { detached: true, stdio: 'ignore' }).unref();
${FIXED}`;

export default {
  id: 'X-gate-daemon',
  title: 'code that leaves a process behind when a gate runs it',
  worker: ({ breach }) => `${print(program(breach).trim()).replace('cat <<', 'cat >src/a.js <<')}${SAYS}`,
  expect: ACCEPTED,
  after: (seen) => expect(seen.file('src/a.js').endsWith('late')).toBe(false),
  control: { look: 'sleep 1', naive: ({ outside }) => outside.includes('breach') },
} satisfies HostileCase;
