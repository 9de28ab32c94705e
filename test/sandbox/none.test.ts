/** `--unsafe-no-sandbox`: what still holds without a sandbox, and what does not. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SandboxLimits } from '../../src/engine/ports/sandbox.ts';
import { UnsafeSandbox } from '../../src/hands/sandbox/none/backend.ts';
import { killProcess, processes, processRow } from '../../src/os/process/table.ts';
import { eventually } from '../support/cli.ts';
import { standStill } from '../support/stand-still.ts';
import { MIB } from './setup.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'supervisor-none-'));
  for (const name of ['tree', 'env/bin']) mkdirSync(join(dir, name), { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function play(argv: readonly [string, ...string[]], limits: Partial<SandboxLimits> = {}, input = '') {
  const stop = new AbortController();
  let stdout = '';
  const result = await new UnsafeSandbox({ runDir: join(dir, 'run') }).run({
    argv,
    policy: {
      kind: 'gate',
      readable: [
        { from: join(dir, 'env'), to: '/env' },
        { from: join(dir, 'env'), to: '/workspace/node_modules' },
      ],
      writable: [{ from: join(dir, 'tree'), to: '/workspace' }],
      cwd: '/workspace',
      env: { PATH: '/env/bin:/usr/bin:/bin', HOME: '/tmp/home', PLACE: '/workspace/x' },
      limits: {
        ...{ memoryBytes: 256 * MIB, processes: 50, cpus: 1, wallMs: 120_000, idleMs: null, graceMs: 60_000 },
        ...{ outputBytes: MIB, diskBytes: MIB, ...limits },
      },
    },
    input,
    onOutput: (stream, bytes) => {
      if (stream === 'stdout') stdout += Buffer.from(bytes).toString();
      if (stdout.includes('stop me') && !stop.signal.aborted) {
        stop.abort();
        if (stdout.includes('and stand still')) standStill(4000);
      }
    },
    signal: stop.signal,
  });
  return { ...result, stdout };
}

test('a program that ended on request was not forced, also when this process stood still meanwhile', async () => {
  const program = 'trap "exit 0" TERM; echo "stop me and stand still"; while :; do sleep 0.05; done';
  const played = await play(['sh', '-c', program], { graceMs: 2000 });
  expect(played).toMatchObject({ end: { how: 'aborted' }, forced: false });
});

test('says loudly what it is', async () => {
  const report = await new UnsafeSandbox({ runDir: join(dir, 'run') }).probe();
  expect(report).toMatchObject({ ready: true, backend: 'none (unsafe)' });
  expect(report.limits.filter(({ enforced }) => enforced).map(({ limit }) => limit)).toEqual([
    'wallMs',
    'idleMs',
    'outputBytes',
  ]);
});

test('a program works as in the sandbox: paths, environment, input, tools, exit codes; nothing stays behind', async () => {
  writeFileSync(join(dir, 'env/bin/tool'), '#!/bin/sh\necho "tool in $PWD"\n', { mode: 0o755 });
  const program = 'tool; cat; echo x >$PLACE; touch $HOME/y; ls node_modules; env | sort | grep -v PWD; exit 7';
  const played = await play(['sh', '-c', program], {}, 'hello\n');
  const home = /HOME=(.*)/.exec(played.stdout)?.[1] ?? '';
  expect(played).toMatchObject({ end: { how: 'exit', code: 7 }, leftovers: 0, forced: false });
  expect(played.stdout).toContain(`tool in ${dir}/tree\nhello\nbin\n`);
  expect(played.stdout).toContain(`PATH=${dir}/env/bin:/usr/bin:/bin\nPLACE=${dir}/tree/x\n`);
  expect(readFileSync(join(dir, 'tree/x'), 'utf8')).toBe('x\n');
  expect(readdirSync(join(dir, 'tree'))).toEqual(['x']);
  expect(existsSync(home)).toBe(false);
  expect((await play(['no-such-program'])).end).toEqual({ how: 'exit', code: 127 });
  expect((await play(['sh', '-c', 'kill -SEGV $$'])).end).toEqual({ how: 'signal', signal: 'SIGSEGV' });
});

test('a file at the place of a mount is not touched', async () => {
  mkdirSync(join(dir, 'tree/node_modules'));
  await expect(play(['true'])).rejects.toThrow(/in the way/);
  expect(lstatSync(join(dir, 'tree/node_modules')).isDirectory()).toBe(true);
});

test.each([
  ['wall', ['sh', '-c', 'trap "" TERM; echo deaf; sleep 600 & sleep 600'], { wallMs: 300, graceMs: 300 }],
  ['idle', ['sleep', '600'], { idleMs: 300 }],
  ['output', ['yes'], {}],
] as const)('the %s limit ends the program and its children', async (limit, argv, limits) => {
  let played = await play(argv, limits);
  // One that had no time to become deaf is given more.
  for (let wallMs = 600; limit === 'wall' && played.stdout !== 'deaf\n'; wallMs *= 2)
    played = await play(argv, { ...limits, wallMs });
  expect(played.end).toEqual({ how: 'limit', limit });
  expect(played.forced).toBe(limit !== 'idle');
  expect(programs()).toEqual([]);
});

test('the operator ends it, and children that are left are counted and killed', async () => {
  const stopped = await play(['sh', '-c', 'echo stop me; sleep 600 & wait']);
  expect(stopped.end).toEqual({ how: 'aborted' });
  const left = await play(['sh', '-c', 'sleep 600 >/dev/null 2>&1 & echo bye']);
  expect(left).toMatchObject({ end: { how: 'exit', code: 0 }, leftovers: 1, stdout: 'bye\n' });
  expect(programs()).toEqual([]);
});

test('NOT protected: the rest of the disk, and processes that leave their session', async () => {
  writeFileSync(join(dir, 'secret'), 'secret');
  symlinkSync(join(dir, 'secret'), join(dir, 'tree/link'));
  const leaves = `setsid sh -c 'touch ../away; exec sleep 600' >/dev/null 2>&1 & until [ -e ../away ]; do sleep 0.05; done`;
  const program = `cat link; echo overwritten >../secret; ${leaves}`;
  const played = await play(['sh', '-c', program]);
  expect(played).toMatchObject({ end: { how: 'exit', code: 0 }, leftovers: 0 });
  expect(played.stdout).toBe('secret');
  expect(readFileSync(join(dir, 'secret'), 'utf8')).toBe('overwritten\n');
  // In the middle of its `exec` it has no environment to be known by.
  const survivors = await eventually(() => programs().length > 0 && programs(), 'it is there');
  for (const pid of survivors) killProcess(pid);
  expect(survivors).toHaveLength(1);
});

/** Living processes that work in the throw-away tree. */
function programs(): number[] {
  return processes().filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return environment.includes(`PLACE=${dir}/tree/x`) && processRow(pid)?.state !== 'Z';
    } catch {
      return false;
    }
  });
}
