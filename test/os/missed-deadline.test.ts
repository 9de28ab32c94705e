/** This process itself stood still for longer than a limit of time: who was in time is not called late. */
import { describe, expect, test } from 'vitest';
import { pipe } from '../../src/os/process/pipe.ts';
import { run } from '../../src/os/process/run.ts';
import { stream } from '../../src/os/process/stream.ts';
import { killProcess } from '../../src/os/process/table.ts';
import { standStill } from '../support/stand-still.ts';

const timeoutMs = 1000;
const env = { PATH: '/usr/bin:/bin' };
const quick = { command: 'sh', args: ['-c', 'echo done'], env };
const slow = { command: 'sleep', args: ['600'], env };

const WAYS = {
  run: async ({ command, args }: typeof quick) => (await run(command, args, { env, timeoutMs })).ended,
  stream: async (program: typeof quick) => (await stream(program, { timeoutMs }, () => true)).ended,
  pipe: async (program: typeof quick) =>
    (await pipe(quick, program, { input: '', timeoutMs })).timedOut ? 'timeout' : 'exit',
};

describe.each(Object.entries(WAYS))('%s', (_, ended) => {
  test('a process that ended meanwhile was in time', async () => {
    const ending = ended(quick);
    // Long enough for the program on a slow machine, and far over its time.
    standStill(3000);
    expect(await ending).toBe('exit');
  });

  test('a running process is late', async () => {
    expect(await ended(slow)).toBe('timeout');
  });
});

test('an ended process is not waited for when a child of it holds its outputs', async () => {
  const { ended, code, stdout } = await run('sh', ['-c', 'sleep 600 & echo $!'], { env, timeoutMs });
  killProcess(Number(stdout));
  expect({ ended, code }).toEqual({ ended: 'exit', code: 0 });
});
