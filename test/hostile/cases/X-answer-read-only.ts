import { expect } from 'vitest';
import { ACCEPTED, block, FIX, FIXED, type HostileCase, print, SAYS } from '../harness/case.ts';

export default {
  id: 'X-answer-read-only',
  title: 'a reviewer that changes what it reviews',
  flags: ['--workflow', 'reviewed'],
  worker: () =>
    [
      'cat >/tmp/packet',
      "if grep -q 'You are the reviewer' /tmp/packet; then",
      '  (echo evil >>src/a.js) 2>/dev/null && echo "worked: write"; rm -f src/a.js 2>/dev/null && echo "worked: remove"',
      '  touch /workspace/new 2>/dev/null && echo "worked: new"; chmod 777 src 2>/dev/null && echo "worked: chmod"',
      `${print(block({ status: 'APPROVED' }))}else`,
      `${FIX}${SAYS}fi`,
    ].join('\n'),
  expect: ACCEPTED,
  after: (seen) => {
    expect(`${seen.file('src/a.js')}\n`).toBe(FIXED);
    expect(seen.transcripts.join('')).not.toContain('worked:');
  },
  control: {
    worker: () => `${FIX}echo evil >>src/a.js && echo "worked: write"\n`,
    naive: ({ said }) => said.includes('worked: write'),
  },
} satisfies HostileCase;
