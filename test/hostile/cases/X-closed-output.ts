import { CAUGHT, FIX, type HostileCase } from '../harness/case.ts';

export default {
  id: 'X-closed-output',
  title: 'closes its outputs and goes on for a while',
  worker: () => `exec >&- 2>&-; sleep 0.5\n${FIX}exit 0\n`,
  expect: { ...CAUGHT, reason: /missing result/ },
  control: { naive: ({ accepted, bytes }) => accepted && bytes === 0 },
} satisfies HostileCase;
