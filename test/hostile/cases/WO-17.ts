import { block, CAUGHT, FIX, GOOD, type HostileCase, print } from '../harness/case.ts';

const many = Array.from({ length: 3_000 }, (_, n) => `src/${n}.js`);

export default [
  {
    id: 'WO-17',
    title: 'wrong types: nothing is bent into shape',
    worker: () => FIX + print(block({ status: ['SUCCESS'], action_taken: { a: 1 }, files_modified: 'src/a.js' })),
    expect: { ...CAUGHT, reason: /status: .*action_taken: .*files_modified: / },
    // biome-ignore lint/suspicious/noDoubleEquals: that is the mistake
    control: { naive: ({ answer }) => answer.status == 'SUCCESS' },
  },
  {
    id: 'WO-17',
    title: 'a list without end',
    long: true,
    worker: () => FIX + print(block({ ...GOOD, files_modified: many })),
    expect: { ...CAUGHT, reason: /files_modified: .*2000/ },
    control: { naive: ({ answer }) => answer.files_modified.length === 3_000 },
  },
  {
    id: 'WO-17',
    title: 'a text of five megabytes',
    long: true,
    worker: () =>
      `${FIX}printf '%s\\n{"status":"SUCCESS","action_taken":"' '\`\`\`json'; head -c 5000000 /dev/zero | tr '\\0' A; printf '"}\\n%s\\n' '\`\`\`'\n`,
    expect: CAUGHT,
    control: { naive: ({ answer }) => answer.action_taken.length === 5_000_000 },
  },
  {
    id: 'WO-17',
    title: 'a claim that leaves the repository',
    worker: () => FIX + print(block({ ...GOOD, files_created: ['../../etc/passwd', '/etc/shadow'] })),
    expect: { ...CAUGHT, reason: /files_created\.0: leaves the repository/ },
    control: { naive: ({ answer }) => answer.files_created[0].startsWith('..') },
  },
] satisfies HostileCase[];
