import { expect } from 'vitest';
import { eventually } from '../../support/cli.ts';
import { leftOver } from '../../support/left-over.ts';
import { settled } from '../../support/traces.ts';
import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';
import { said } from '../harness/seen.ts';

/** Every instant of it is tried in test/crash/real-matrix.test.ts; here, with a worker that clings to life. */
export default {
  id: 'PR-20',
  title: 'Supervisor is killed while its worker runs',
  worker: () => `cat >/dev/null\ntrap '' TERM HUP INT; echo alive; (setsid sleep 6 &) ; sleep 6\n${FIX}${SAYS}`,
  attempts: 3,
  drive: async (world, start) => {
    const { child, done } = start();
    await eventually(() => said(world).includes('alive'), 'the worker is at work');
    child.kill('SIGKILL');
    await done;
    // Before anybody starts Supervisor again: no process is left that could spend anything.
    expect(await settled(() => leftOver(world).filter((one) => /^\d+$/.test(one)))).toEqual([]);
    const [task] = await world.tasks();
    return world.run(['resume', task?.task_id ?? '']);
  },
  expect: ACCEPTED,
  after: ({ attempts }) => expect(attempts.map((one) => one.class)).toEqual(['lost', 'ok']),
  control: {
    // The orchestrator is killed; what it started goes on.
    worker: () => `(setsid sleep 60 >/dev/null 2>&1 &); sh -c 'kill -9 $PPID' & wait; sleep 60\n`,
    naive: ({ signal, survivors }) => signal === 'SIGKILL' && survivors > 0,
  },
} satisfies HostileCase;
