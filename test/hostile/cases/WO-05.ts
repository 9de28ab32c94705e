import { FIX, type HostileCase } from '../harness/case.ts';

export default {
  id: 'WO-05',
  title: 'never-ending output without a line end: talking does not put off the end',
  worker: () => `${FIX}(while :; do printf .; sleep 0.05; done) &\nwait\n`,
  wall: '1500ms',
  expect: { code: 1, status: 'failed', class: 'timeout' },
  control: { naive: ({ timedOut, survivors }) => timedOut && survivors > 0, timeoutMs: 700 },
} satisfies HostileCase;
