/** PR-03: who breaks a limit of time, or is stopped by the operator, is asked with SIGTERM first, and killed after the grace. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Box } from './box.ts';
import { MIB } from './setup.ts';

const LISTENS = 'trap "echo asked; exit 0" TERM; echo up; while :; do sleep 0.05; done';
const GRACE = 1500;
/** Longer than a test may take: whoever waits for its end does not pass. */
const FOR_EVER = 600_000;

describe.each([
  ['the wall limit', { wallMs: 300 }, { how: 'limit', limit: 'wall' }],
  ['silence', { idleMs: 300 }, { how: 'limit', limit: 'idle' }],
  ['the operator', null, { how: 'aborted' }],
] as const)('stopped by %s', (_, limits, end) => {
  const play = async (box: Box, program: readonly [string, ...string[]], graceMs: number) => {
    const stop = new AbortController();
    let text = '';
    const played = await box.play(program, {
      limits: { ...limits, graceMs },
      fromFirstWord: limits !== null,
      signal: stop.signal,
      onOutput: (bytes) => {
        text += Buffer.from(bytes).toString();
        if (limits === null) stop.abort();
      },
    });
    return { ...played, text };
  };

  test('a program that handles SIGTERM ends by itself, and prints its last line', async () => {
    await using box = new Box();
    const played = await play(box, ['sh', '-c', LISTENS], FOR_EVER);
    expect(played).toMatchObject({ end, forced: false, text: expect.stringMatching(/^up\n[\s\S]*asked\n/) });
  });

  test('a program that ignores SIGTERM is killed after the grace', async () => {
    await using box = new Box();
    const start = performance.now();
    expect(await play(box, ['deaf.sh'], GRACE)).toMatchObject({ end, forced: true });
    expect(performance.now() - start).toBeGreaterThan(GRACE);
  });
});

test('a child in a session of its own is asked too, and is gone with the rest', async () => {
  await using box = new Box();
  const child = `trap 'echo asked >/workspace/child; exit' TERM; echo up; while :; do sleep 0.05; done`;
  const waits = 'until [ -s /workspace/child ]; do sleep 0.05; done; exit 3';
  const program = `trap '${waits}' TERM; setsid sh -c "$0" & while :; do sleep 0.05; done`;
  const limits = { wallMs: 300, graceMs: 60_000 };
  const played = await box.play(['sh', '-c', program, child], { limits, fromFirstWord: true });
  expect(played).toMatchObject({ end: { how: 'limit', limit: 'wall' }, forced: false });
  expect(readFileSync(join(box.tree, 'child'), 'utf8')).toBe('asked\n');
});

test('a program that answers with endless output breaks the next limit during the grace', async () => {
  await using box = new Box();
  const program = 'trap "yes" TERM; echo up; while :; do sleep 0.05; done';
  const played = await box.play(['sh', '-c', program], {
    limits: { wallMs: 300, graceMs: FOR_EVER, outputBytes: MIB },
    fromFirstWord: true,
    onOutput: () => {},
  });
  expect(played).toMatchObject({ end: { how: 'limit', limit: 'wall' }, forced: true });
});

test('other limits do not ask', async () => {
  await using box = new Box();
  const program = 'trap "touch /workspace/asked" TERM; yes';
  const played = await box.play(['sh', '-c', program], { limits: { outputBytes: MIB }, onOutput: () => {} });
  expect(played).toMatchObject({ end: { how: 'limit', limit: 'output' }, forced: true });
  expect(existsSync(join(box.tree, 'asked'))).toBe(false);
});

test.each([
  ['exit 139', { how: 'exit', code: 139 }],
  ['kill -SEGV $$', { how: 'signal', signal: 'SIGSEGV' }],
  ['exit 137', { how: 'exit', code: 137 }],
  ['kill -KILL $$', { how: 'signal', signal: 'SIGKILL' }],
  ['exit 134', { how: 'exit', code: 134 }],
  ['kill -ABRT $$', { how: 'signal', signal: 'SIGABRT' }],
  ['kill -INT $$', { how: 'signal', signal: 'SIGINT' }],
  ['exit 200', { how: 'exit', code: 200 }],
] as const)('%s is reported as itself', async (program, end) => {
  await using box = new Box();
  expect(await box.play(['sh', '-c', program])).toMatchObject({ end, forced: false, stderr: '' });
});
