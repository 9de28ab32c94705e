/** Programs that a small process starts for a large one: the same comes back, and it is never left behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { pipe as pipeHere } from '../../src/os/process/pipe.ts';
import { run as runHere } from '../../src/os/process/run.ts';
import { beginStarter, endStarter, pipe, run } from '../../src/os/process/starter.ts';
import { childrenOf } from '../../src/os/process/table.ts';
import { eventually } from '../support/cli.ts';

const env = { PATH: '/usr/bin:/bin' };
const STARTER = new URL('../../src/os/process/starter.ts', import.meta.url).href;

/** Who started a program: it names its parent. */
const parent = async (): Promise<number> =>
  Number((await run('sh', ['-c', 'echo $PPID'], { env, timeoutMs: 60_000 })).stdout);
const begun = () => {
  beginStarter();
  return eventually(async () => {
    const pid = await parent();
    return pid !== process.pid && pid;
  }, 'the starter listens');
};
const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};
const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const over = (pid: number) => eventually(() => !isAlive(pid), 'the starter has ended');

afterEach(() => endStarter());

describe('gives back what a start here would', () => {
  test.each([
    ['output, errors and a code', 'sh', ['-c', 'echo out; echo err >&2; exit 3'], {}],
    ['bytes', 'printf', ['\\377\\0\\n'], { encoding: 'latin1' }],
    ['its input', 'cat', [], { input: 'ü\n'.repeat(100_000) }],
    ['a directory', 'pwd', [], { cwd: '/usr' }],
    ['exactly its variables', 'env', [], {}],
    ['no such program', 'no-such-program', [], {}],
    ['a program that does not end', 'sleep', ['60'], { timeoutMs: 100 }],
    ['too much output', 'yes', [], { maxBytes: 1000 }],
  ] as const)('%s', async (_, command, args, options) => {
    await begun();
    const all = { env, timeoutMs: 60_000, ...options };
    const [there, here] = [await run(command, args, all), await runHere(command, args, all)];
    const cut = 'maxBytes' in options ? { stdout: '' } : {};
    expect({ ...there, ...cut }).toEqual({ ...here, ...cut });
  });

  test('two that are joined', async () => {
    await begun();
    const what = [
      { command: 'sh', args: ['-c', 'cat; echo err >&2; exit 2'], env },
      { command: 'wc', args: ['-c'], env },
      { input: 'abc', timeoutMs: 60_000 },
    ] as const;
    expect(await pipe(...what)).toEqual(await pipeHere(...what));
  });

  test('many at once', async () => {
    await begun();
    const all = Array.from({ length: 50 }, (_, n) => run('echo', [`${n}`], { env, timeoutMs: 60_000 }));
    expect((await Promise.all(all)).map(({ stdout }) => Number(stdout))).toEqual(all.map((_, n) => n));
  });
});

test('a signal to stop is heard: such a program is started here', async () => {
  await begun();
  const stop = new AbortController();
  const running = run('sleep', ['60'], { env, timeoutMs: 60_000, signal: stop.signal });
  stop.abort();
  expect((await running).ended).toBe('aborted');
});

test('when it is killed, what it was at fails, and the next program is started here', async () => {
  const pid = await begun();
  const running = run('sleep', ['1'], { env, timeoutMs: 60_000 });
  process.kill(pid, 'SIGKILL');
  await expect(running).rejects.toThrow('has ended');
  expect(await parent()).toBe(process.pid);
});

test('one who waits for it lives until it is told, even if it is killed', async () => {
  const { child, starter } = await other(`
    process.on('exit', (code) => console.log('exit', code));
    await run('sleep', ['600'], { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 600_000 }).catch(({ message }) => console.log(message));`);
  let said = '';
  child.stdout?.on('data', (bytes) => {
    said += bytes;
  });
  const isSleep = (pid: number) => commandOf(pid).startsWith('sleep\0');
  const sleeper = await eventually(() => childrenOf(starter).find(isSleep) ?? null, 'it is at it');
  process.kill(starter, 'SIGKILL');
  await once(child, 'close');
  process.kill(sleeper, 'SIGKILL');
  expect(said).toBe('the process that starts programs has ended\nexit 0\n');
});

test('it goes when it is told to, after what it is at', async () => {
  const pid = await begun();
  const running = run('sh', ['-c', 'sleep 0.3; echo done'], { env, timeoutMs: 60_000 });
  endStarter();
  expect((await running).stdout).toBe('done\n');
  await over(pid);
});

/** Another Supervisor, which names its starter and then does this. */
async function other(then: string): Promise<{ readonly child: ReturnType<typeof spawn>; readonly starter: number }> {
  const program = `
    import { beginStarter, run } from ${JSON.stringify(STARTER)};
    beginStarter();
    for (;;) {
      const { stdout } = await run('sh', ['-c', 'echo $PPID'], { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 60_000 });
      if (Number(stdout) !== process.pid) { console.log(stdout); break; }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout as NonNullable<typeof child.stdout>, 'data')) as [Buffer];
  return { child, starter: Number(said) };
}

test('it keeps nobody alive', async () => {
  const { child, starter } = await other('');
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
  await over(starter);
});

test('it outlives nobody who is killed', async () => {
  const { child, starter } = await other('setInterval(() => {}, 1000);');
  expect(isAlive(starter)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await over(starter);
});

test('a signal to all of a terminal does not end it: its Supervisor still has work to do', async () => {
  const pid = await begun();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
  expect(await parent()).toBe(pid);
});

test('it is given no variable', async () => {
  const pid = await begun();
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/HOME=|TOKEN|PATH=/);
});

test('who answers lines is kept by the one who asks, and keeps him not alive', async () => {
  const { child } = await other(`
    const who = () => run('sh', ['-c', 'while read -r line; do echo $$; done'],
      { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 60_000, input: 'a\\n', answers: 'lines' });
    for (let n = 0; n < 5; n += 1) console.log((await who()).stdout.trim());`);
  let said = '';
  child.stdout?.on('data', (bytes) => {
    said += bytes;
  });
  await once(child, 'close');
  const pids = said.trim().split('\n').slice(-3);
  expect(child.exitCode).toBe(0);
  expect(new Set(pids).size).toBe(1);
  await over(Number(pids[0]));
});
