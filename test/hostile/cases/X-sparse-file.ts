import { CAUGHT, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'X-sparse-file',
  title: 'puts a file of a tebibyte, which takes no space, in the place of its tree',
  gates: ['tests=true'],
  worker: () => `find . -mindepth 1 -not -name .git -delete; truncate -s 1T huge\n${SAYS}`,
  expect: { ...CAUGHT, reason: /too large: .*1099511627776 bytes/ },
  control: {
    look: 'stat -c %s worktree/huge',
    naive: ({ looked }) => looked === '1099511627776\n',
    // Accepted, git would read all of it.
    gate: 'false',
  },
} satisfies HostileCase;
