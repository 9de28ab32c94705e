import { spawnSync } from 'node:child_process';
import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

/** More than a pipe takes without a reader. */
const TASK = `Make value() return 2. ${'Read all of this. '.repeat(5_000)}`;
const CARELESS = `require('node:child_process').spawn('true').stdin.write('x'.repeat(1 << 21))`;

export default [
  {
    id: 'PR-19',
    title: 'closes its input, and never reads the packet',
    task: TASK,
    worker: () => `exec 0<&-\n${FIX}${SAYS}`,
    expect: ACCEPTED,
    control: { pure: () => /EPIPE/.test(spawnSync(process.execPath, ['-e', CARELESS]).stderr.toString()) },
  },
  {
    id: 'PR-19',
    title: 'ends before the packet was written',
    task: TASK,
    worker: () => 'exit 0\n',
    expect: { code: 1, status: 'failed', class: 'invalid', reason: /missing result/ },
    control: { pure: () => spawnSync(process.execPath, ['-e', CARELESS]).status !== 0 },
  },
] satisfies HostileCase[];
