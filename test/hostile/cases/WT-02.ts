import { expect } from 'vitest';
import { ACCEPTED, CAUGHT, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default [
  {
    id: 'WT-02',
    title: 'writes into the main checkout, the state of Supervisor and elsewhere',
    worker: ({ repository, breach, home, state }) =>
      [
        `for place in ${repository}/src/a.js ${breach} ${home}/.profile ${state}/log.db /usr/breach /etc/breach; do`,
        '  (echo breach >"$place") 2>/dev/null && echo "wrote $place" >>notes.txt',
        'done',
        `${FIX}echo "tried" >>notes.txt\n${SAYS}`,
      ].join('\n'),
    expect: ACCEPTED,
    // The breach itself may be written: into the /tmp of the sandbox, which is gone with it.
    after: (seen) => expect(seen.file('notes.txt')).not.toMatch(/repository|profile|log\.db|\/usr|\/etc/),
    control: {
      look: 'cat repository/src/a.js home/.profile',
      naive: ({ outside, looked }) => outside.includes('breach') && looked === 'breach\nbreach\n',
    },
  },
  {
    id: 'WT-02',
    title: 'changes a file that the task did not name',
    flags: ['--files', 'src/a.js'],
    worker: () => `${FIX}echo more >src/other.js\n${SAYS}`,
    expect: { ...CAUGHT, reason: /src\/other\.js.*not among the files of this task/s },
    control: { naive: ({ landed }) => landed.includes('src/other.js') },
  },
  {
    id: 'WT-02',
    title: 'changes a locked interface',
    config: 'protect: [src/api.d.ts]',
    worker: () => `${FIX}echo '// mine' >>src/api.d.ts\n${SAYS}`,
    expect: { ...CAUGHT, reason: /src\/api\.d\.ts.*locked/s },
    control: { look: 'cd repository && git show main:src/api.d.ts', naive: ({ looked }) => looked.includes('// mine') },
  },
] satisfies HostileCase[];
