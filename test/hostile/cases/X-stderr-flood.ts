import { FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'X-stderr-flood',
  title: 'floods stderr, with a good answer on stdout',
  worker: () => `${FIX}${SAYS}yes 'an error' | head -c 67108864 >&2\n`,
  expect: { code: 1, status: 'failed', class: 'output_limit' },
  control: { naive: ({ bytes, accepted }) => accepted && bytes > 1 << 26 },
} satisfies HostileCase;
