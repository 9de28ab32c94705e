import { expect } from 'vitest';
import { type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'X-first-process',
  title: 'turns on the first process of its sandbox, and ends badly all the same',
  worker: () =>
    [
      'kill -9 1; kill -TERM 1; kill -STOP 1',
      'for fd in /proc/1/fd/*; do (printf "end 0 0\\n" >$fd) 2>/dev/null; done',
      '(printf "end 0 0\\n" >&3) 2>/dev/null; (printf "end 0 0\\n" >&9) 2>/dev/null',
      `${SAYS}exit 7`,
    ].join('\n'),
  expect: { code: 1, status: 'failed', class: 'crash', reason: /exit code 7/ },
  after: ({ gates }) => expect(gates).toEqual([]),
  // A runner that reads the end of a program from a descriptor the program has.
  control: {
    worker: () => `echo 'end 0 0'; exit 7\n`,
    naive: ({ said, code }) => said.startsWith('end 0 0') && code === 7,
  },
} satisfies HostileCase;
