import { statSync } from 'node:fs';
import { expect } from 'vitest';
import { FIX, type HostileCase, SAYS } from '../harness/case.ts';
import { filesBelow } from '../harness/seen.ts';

/** The memory this takes is measured in test/workers/flood.test.ts. */
export default {
  id: 'WO-04',
  title: 'an output without end, and a good answer behind it',
  worker: () => `${FIX}head -c 67108864 /dev/zero | tr '\\0' A\necho\n${SAYS}`,
  expect: { code: 1, status: 'failed', class: 'output_limit', reason: /nothing after that was read/ },
  after: ({ world }) => {
    const sizes = filesBelow(world.state).map((path) => statSync(path).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40 << 20);
  },
  control: { naive: ({ bytes, answer }) => bytes > 1 << 26 && answer?.status === 'SUCCESS' },
} satisfies HostileCase;
