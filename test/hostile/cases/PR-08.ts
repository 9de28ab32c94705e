import { expect } from 'vitest';
import { FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default [
  {
    id: 'PR-08',
    title: 'dies in the middle of its answer',
    worker: () => `${FIX}printf '%s\\n{"status":"SUCCESS","action_taken":"ma' '\`\`\`json'; kill -9 $$\n`,
    expect: { code: 1, status: 'failed', class: 'killed', reason: /SIGKILL/ },
    after: ({ gates }) => expect(gates).toEqual([]),
    control: { naive: ({ signal, accepted }) => signal === 'SIGKILL' && accepted },
  },
  {
    id: 'PR-08',
    title: 'dies after it, or ends badly: what it said does not count',
    worker: () => `${FIX}${SAYS}exit 3\n`,
    expect: { code: 1, status: 'failed', class: 'crash', reason: /exit code 3/ },
    after: ({ gates }) => expect(gates).toEqual([]),
    control: { naive: ({ code, accepted }) => code === 3 && accepted },
  },
] satisfies HostileCase[];
