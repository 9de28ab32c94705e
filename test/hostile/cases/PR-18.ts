import { spawnSync } from 'node:child_process';
import { eventually } from '../../support/cli.ts';
import { FIX, type HostileCase } from '../harness/case.ts';

type Status = { parked: { cli: string }[]; tasks: { task_id: string; waits_for: string[]; attempts: number }[] };

/** The exit code alone does not tell them apart, nor from any other failure. */
const control = {
  pure: () =>
    ['401 Invalid API key', '429 rate_limit', 'TypeError']
      .map((words) => spawnSync('sh', ['-c', `echo '${words}' >&2; exit 1`]).status)
      .every((status, _, all) => status === all[0] && status !== 0),
};

export default [
  {
    id: 'PR-18',
    title: 'says that its key is not valid: stopped with what to do, and not tried again',
    attempts: 3,
    worker: () => `${FIX}echo '401 Invalid API key' >&2\nexit 1\n`,
    expect: { code: 4, status: 'escalated', class: 'auth', reason: /401 Invalid API key/ },
    control,
  },
  {
    id: 'PR-18',
    title: 'says that it is over its limit: it waits, uses up no attempt, and says so',
    attempts: 1,
    worker: () => `${FIX}echo '429 rate_limit' >&2\nexit 1\n`,
    drive: async (world, start) => {
      const running = start();
      const waiting = await eventually(async () => {
        const status = await world.json<Status>(['status']);
        // One is written after the other, and somebody may look in between.
        const tells = /quota, (resets|next try)/.test(status.tasks[0]?.waits_for.join() ?? '');
        return status.parked.length > 0 && tells ? status : null;
      }, 'the CLI is parked, and the task says that it waits for that');
      await eventually(
        () => /waits? .*quota, (resets|next try)/.test(running.output()),
        'the one who waits is told why',
      );
      await world.run(['cancel', waiting.tasks[0]?.task_id ?? '']);
      return running.done;
    },
    expect: { code: 1, status: 'cancelled', class: 'quota', reason: /429 rate_limit/ },
    control,
  },
] satisfies HostileCase[];
