import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

/** The control of the harness itself: an honest worker gets through all of it. */
export default {
  id: 'X-honest',
  title: 'an honest worker is accepted',
  worker: () => `${FIX}${SAYS}`,
  expect: { ...ACCEPTED, reason: /gates passed: tests/ },
  control: { naive: ({ accepted, fixed }) => accepted && fixed },
} satisfies HostileCase;
