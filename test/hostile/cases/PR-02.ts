import { FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'PR-02',
  title: 'forks 48 children that ignore TERM',
  worker: () =>
    `${FIX}trap '' TERM; i=0; while [ $i -lt 48 ]; do sleep 20 >/dev/null 2>&1 & i=$((i+1)); done; echo "$i children"; sleep 0.5\n${SAYS}`,
  config: 'sandbox: {worker: {processes: 20}}',
  expect: { code: 1, status: 'failed', class: 'resource_limit', reason: /processes/ },
  control: { naive: ({ survivors }) => survivors >= 48 },
} satisfies HostileCase;
