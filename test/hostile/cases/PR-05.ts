import { FIX, type HostileCase, SAYS } from '../harness/case.ts';

const fill = (to: string) =>
  `mkdir -p ${to}; i=0; while [ $i -lt 96 ]; do head -c 1048576 /dev/zero >${to}/big.$i || break; i=$((i+1)); done; echo "$i MiB"`;

export default [
  {
    id: 'PR-05',
    title: 'fills the disk',
    worker: () => `${FIX}${fill('full')}; sleep 3; rm -r full\n${SAYS}`,
    config: 'sandbox: {worker: {disk: 64MiB}}',
    expect: { code: 1, status: 'failed', class: 'resource_limit', reason: /disk/ },
    control: { naive: ({ said, accepted }) => accepted && said.includes('96 MiB') },
  },
  {
    id: 'PR-05',
    title: 'fills its temporary directory, which is memory',
    worker: () => `${FIX}${fill('/tmp/full')}; sleep 3; rm -r /tmp/full\n${SAYS}`,
    config: 'sandbox: {worker: {disk: 64MiB}}',
    expect: { code: 1, status: 'failed', class: 'resource_limit', reason: /disk|memory/ },
    control: { naive: ({ said, accepted }) => accepted && said.includes('96 MiB') },
  },
] satisfies HostileCase[];
