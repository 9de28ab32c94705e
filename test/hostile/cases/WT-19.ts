import { CAUGHT, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default [
  {
    id: 'WT-19',
    title: 'too many files',
    worker: () => `${FIX}mkdir many; cd many; seq 1 20000 | xargs touch; cd ..\n${SAYS}`,
    expect: { ...CAUGHT, reason: /too large: 2000\d files/ },
    control: { naive: ({ landed }) => landed.length > 20_000 },
  },
  {
    id: 'WT-19',
    title: 'a file of 200 MB',
    worker: () => `${FIX}yes 'a line of text' | head -c 200000000 >big.txt\n${SAYS}`,
    expect: { ...CAUGHT, reason: /too large: .*2000\d{5} bytes/ },
    control: { naive: ({ landed }) => landed.includes('big.txt') },
  },
] satisfies HostileCase[];
