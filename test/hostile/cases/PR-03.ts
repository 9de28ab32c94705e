import { expect } from 'vitest';
import { eventually } from '../../support/cli.ts';
import { type Control, FIX, type HostileCase, SAYS } from '../harness/case.ts';
import { said } from '../harness/seen.ts';

const LOOP = 'while :; do sleep 0.2; done';
const DEAF = `${FIX}${SAYS}trap '' TERM INT HUP QUIT\n(${LOOP}) &\necho deaf\n${LOOP}\n`;
const control: Control = { timeoutMs: 400, naive: ({ ms, survivors }) => ms > 1_200 && survivors > 0 };

export default [
  {
    id: 'PR-03',
    title: 'ignores TERM, INT, HUP and QUIT when its time is over',
    worker: () => DEAF,
    wall: '1500ms',
    // It would go on for ever, and so would this test.
    expect: { code: 1, status: 'failed', class: 'timeout' },
    control,
  },
  {
    id: 'PR-03',
    title: 'ignores them when the operator cancels',
    worker: () => DEAF,
    drive: async (world, start) => {
      const { done } = start();
      await eventually(() => said(world).includes('deaf'), 'the worker is at work');
      const [task] = await world.tasks();
      expect((await world.run(['cancel', task?.task_id ?? ''])).code).toBe(0);
      return done;
    },
    expect: { code: 1, status: 'cancelled' },
    control,
  },
] satisfies HostileCase[];
