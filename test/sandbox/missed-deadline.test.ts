/** Supervisor itself stood still for longer than a limit of time: what happened meanwhile counts, the pause does not. */
import { expect, test } from 'vitest';
import { standStill } from '../support/stand-still.ts';
import { Box } from './box.ts';

test('a program that keeps printing is not idle', async () => {
  await using box = new Box();
  let stalled = false;
  const played = await box.play(['sh', '-c', 'for n in $(seq 1 60); do echo $n; sleep 0.1; done'], {
    limits: { idleMs: 3000 },
    onOutput: () => {
      if (!stalled) standStill(4000);
      stalled = true;
    },
  });
  expect(played.end).toEqual({ how: 'exit', code: 0 });
});

test('a program that ended on request was not forced', async () => {
  await using box = new Box();
  const stop = new AbortController();
  const played = await box.play(['sh', '-c', 'trap "exit 0" TERM; echo up; while :; do sleep 0.05; done'], {
    limits: { graceMs: 2000 },
    signal: stop.signal,
    onOutput: () => {
      if (stop.signal.aborted) return;
      stop.abort();
      standStill(4000);
    },
  });
  expect(played).toMatchObject({ end: { how: 'aborted' }, forced: false });
});
