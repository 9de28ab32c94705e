/** Each limit ends a program that breaks it, is reported as that limit, and lets through a program that keeps it. */
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { SandboxEnd, SandboxLimits } from '../../src/engine/ports/sandbox.ts';
import { Box } from './box.ts';
import { MIB } from './setup.ts';

type Limit = Extract<SandboxEnd, { how: 'limit' }>['limit'];
type Row = {
  readonly id: string;
  readonly argv: readonly [string, ...string[]];
  readonly limits: Partial<SandboxLimits>;
  readonly limit: Limit;
  /** With these the same program does what it wants: the positive control. */
  readonly enough: Partial<SandboxLimits>;
  /** Its words where it comes to an end by itself; to break the limit it has longer than a test may take. */
  readonly short?: readonly [string, ...string[]];
  readonly end: SandboxEnd;
  readonly says?: RegExp;
};

const OK: SandboxEnd = { how: 'exit', code: 0 };
const WALL: SandboxEnd = { how: 'limit', limit: 'wall' };
const IDLE: SandboxEnd = { how: 'limit', limit: 'idle' };
const ROWS: readonly Row[] = [
  {
    id: 'PR-02 48 children',
    argv: ['forks.sh'],
    limits: { processes: 24 },
    limit: 'processes',
    enough: { processes: 60 },
    end: OK,
    says: /48 children/,
  },
  {
    id: 'PR-03 deaf to signals',
    argv: ['deaf.sh'],
    limits: { wallMs: 400 },
    limit: 'wall',
    enough: { wallMs: 1500 },
    end: WALL,
    says: /deaf/,
  },
  {
    id: 'PR-04 memory growth',
    argv: ['grow.mjs'],
    limits: { memoryBytes: 128 * MIB },
    limit: 'memory',
    enough: { memoryBytes: 512 * MIB },
    end: OK,
    says: /256 MiB/,
  },
  {
    id: 'PR-05 a full workspace',
    argv: ['fill.sh', '/workspace', '600'],
    short: ['fill.sh', '/workspace', '2'],
    limits: { diskBytes: 32 * MIB },
    limit: 'disk',
    enough: { diskBytes: 256 * MIB },
    end: OK,
    says: /filled/,
  },
  {
    id: 'much output',
    argv: ['flood.sh', `${4 * MIB}`],
    limits: { outputBytes: MIB },
    limit: 'output',
    enough: { outputBytes: 8 * MIB },
    end: OK,
    says: /AAAA$/,
  },
  {
    id: 'silence',
    argv: ['sleep', '600'],
    short: ['sleep', '1'],
    limits: { idleMs: 300 },
    limit: 'idle',
    enough: { idleMs: 60_000 },
    end: OK,
  },
];

describe.each(ROWS)('$id', ({ argv, short, limits, limit, enough, end, says }) => {
  test('is ended by the limit', async () => {
    await using box = new Box();
    const played = await box.play(argv, { limits });
    expect(played.end).toEqual({ how: 'limit', limit });
  });

  test('and does its work where there is room', async () => {
    await using box = new Box();
    const played = await box.play(short ?? argv, { limits: enough, fromFirstWord: end === WALL });
    expect(played.end, played.stderr).toEqual(end);
    if (says) expect(played.stdout).toMatch(says);
  });
});

test('endless output without an end of line is no silence, and is ended by the time limit', async () => {
  await using box = new Box();
  const limits = { idleMs: 600, wallMs: 1500 };
  const play = () => box.play(['trickle.sh'], { limits, fromFirstWord: true });
  let played = await play();
  // A machine that stands still for a moment looks like silence too, but not every time.
  for (let more = 0; more < 9 && isDeepStrictEqual(played.end, IDLE); more += 1) played = await play();
  expect(played).toMatchObject({ end: WALL, stdout: expect.stringMatching(/^\.+$/) });
});

test('PR-05 the temporary directory has a size, and using it up is a breach of the disk limit', async () => {
  await using box = new Box();
  const played = await box.play(['fill.sh', '/tmp', '0'], { limits: { diskBytes: 8 * MIB } });
  expect([
    { how: 'exit', code: 28 },
    { how: 'limit', limit: 'disk' },
  ]).toContainEqual(played.end);
});

test('not a byte beyond the output limit is passed on, and a gibibyte costs no memory', async () => {
  await using box = new Box();
  const before = process.memoryUsage.rss();
  let bytes = 0;
  let peak = 0;
  const played = await box.play(['flood.sh', `${1024 * MIB}`], {
    limits: { outputBytes: 256 * MIB },
    onOutput: (part) => {
      bytes += part.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    },
  });
  expect(played.end).toEqual({ how: 'limit', limit: 'output' });
  expect(bytes).toBe(256 * MIB);
  expect(peak - before).toBeLessThan(150 * MIB);
});

test('PR-01 a daemon dies with its program, is counted, and never writes', async () => {
  await using box = new Box();
  const played = await box.play(['daemon.sh']);
  expect(played).toMatchObject({ end: OK, stdout: 'done\n' });
  expect(played.leftovers).toBeGreaterThan(0);
  writeFileSync(`${box.tree}/go`, '');
  await sleep(1000);
  expect(existsSync(`${box.tree}/late.txt`)).toBe(false);
});

test('PR-01 without the sandbox the same daemon writes', async () => {
  await using box = new Box();
  expect(await box.bare(['daemon.sh']).done).toBe('done\n');
  writeFileSync(`${box.tree}/go`, '');
  await expect.poll(() => existsSync(`${box.tree}/late.txt`), { timeout: 60_000 }).toBe(true);
});

test('an operator who stops the run ends all of it', async () => {
  await using box = new Box();
  const stop = new AbortController();
  const played = box.play(['forks.sh'], { signal: stop.signal, onOutput: () => stop.abort() });
  expect((await played).end).toEqual({ how: 'aborted' });
  expect((await box.play(['true'], { signal: stop.signal })).end).toEqual({ how: 'aborted' });
});

test('PR-19 unread input does no harm', async () => {
  await using box = new Box();
  const played = await box.play(['closes-input.sh'], { input: 'x'.repeat(2 * MIB) });
  expect(played).toMatchObject({ end: OK, stdout: 'bye\n' });
});

describe('without control groups', () => {
  const groups = { version: 2, at: {} } as const;

  test('the number of processes is still bounded, and a program over the limit is not reported as a crash', async () => {
    await using box = new Box({ groups });
    const played = await box.play(['forks.sh'], { limits: { processes: 24 } });
    expect(played.end).toEqual({ how: 'limit', limit: 'processes' });
    expect((await box.play(['forks.sh'], { limits: { processes: 60 } })).end).toEqual(OK);
  });

  test('threads count too', async () => {
    await using box = new Box({ groups });
    const program = (count: number) =>
      `import threading, time; [threading.Thread(target=time.sleep, args=(1,)).start() for _ in range(${count})]`;
    const limits = { processes: 50 };
    expect((await box.play(['python3', '-c', program(60)], { limits })).end).toEqual({
      how: 'limit',
      limit: 'processes',
    });
    expect((await box.play(['python3', '-c', program(40)], { limits })).end).toEqual(OK);
  });

  test('beyond what is counted the kernel refuses', async () => {
    await using box = new Box({ groups });
    const most = await box.play(['sh', '-c', 'ulimit -u 2>/dev/null || ulimit -p'], { limits: { processes: 24 } });
    expect(most.stdout).toBe('2072\n');
  });

  test('memory is looked at, and the probe says so', async () => {
    await using box = new Box({ groups });
    const played = await box.play(['grow.mjs'], { limits: { memoryBytes: 128 * MIB } });
    expect(played.end).toEqual({ how: 'limit', limit: 'memory' });
    expect((await box.play(['grow.mjs'])).end).toEqual(OK);
    const { limits } = await box.sandbox.probe();
    expect(limits.filter(({ enforced }) => !enforced).map(({ limit }) => limit)).toEqual([
      'memoryBytes',
      'cpus',
      'diskBytes',
    ]);
  });
});
