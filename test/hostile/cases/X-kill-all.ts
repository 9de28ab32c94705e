import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'X-kill-all',
  title: 'kills every process it can name',
  worker: () =>
    `sleep 30 >/dev/null 2>&1 & kill -9 -1 2>/dev/null; for n in $(seq 1 300); do [ $n = $$ ] || kill -9 $n; done 2>/dev/null\n${FIX}${SAYS}`,
  expect: ACCEPTED,
  control: {
    // In the box of the orchestrator it is the orchestrator that dies, so its own child stands for it.
    worker: () => `sh -c 'sleep 30' & pid=$!; sh -c "kill -9 $pid" && wait $pid; echo "ended $?"\n`,
    naive: ({ said }) => said.includes('ended 137'),
  },
} satisfies HostileCase;
