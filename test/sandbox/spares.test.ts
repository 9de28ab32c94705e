/** A start that waits for its run does all that an ordinary one does, and is never left behind. */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findPlaces } from '../../src/hands/sandbox/bubblewrap/control-group.ts';
import { isOurs } from '../../src/hands/sandbox/shared/users.ts';
import { FIRST_PREFIX } from '../../src/mind/sandbox/first-process.ts';
import { isDead, processRow } from '../../src/os/process/table.ts';
import { eventually } from '../support/cli.ts';
import { Box, groups, UNTIL_SEEN } from './box.ts';
import { MIB, setup } from './setup.ts';

const HOLDER = fileURLToPath(new URL('../fixtures/programs/hold-spare.ts', import.meta.url));
/** Without a group to wait in there are no spares. */
const SPARES = process.getuid?.() === 0 && Object.keys(findPlaces().at).length > 0;

/** Processes in a group, of every kind of group. */
const members = (name: string): number[] => [
  ...new Set(
    Object.values(findPlaces().at).flatMap((dir) => {
      const path = join(dir, name, 'cgroup.procs');
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number) : [];
    }),
  ),
];

/** The one that waits; it is the same process in every group. */
async function ready(box: Box): Promise<{ readonly name: string; readonly pid: number }> {
  const name = `${await box.sandbox.spare()}`;
  // Until what it needs from closed directories is mounted, a `mount` is a member too.
  const [pid = 0] = await eventually(() => members(name).length === 1 && members(name), 'it waits alone');
  return { name, pid };
}

const given = (late: { readonly promise: Promise<string> }, wallMs = 60_000) => ({
  ...{ text: late.promise, wallMs: () => wallMs },
});

const UNTIL_WHOLE = `until [ "$(stat -L -c %s /dev/stdin)" = ${3 * MIB} ]; do sleep 0.02; done`;

const ODD = ['', ' ', '-n', '--', 'a b', '$HOME', '`id`', "'", '"', '\\', 'a\nb', '\n', '*', 'ü', '$(id)', '%s', '!'];

describe.each([true, false])('with a spare: %s', (spares) => {
  test('words of every kind come as they are, and the environment is the one named', async () => {
    await using box = new Box({ spares });
    const args = [...ODD, ...Array.from({ length: 30 }, (_, index) => `word ${index}`)];
    const played = await box.play(['node', '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...args]);
    expect(JSON.parse(played.stdout)).toEqual(args);
    const env = { PATH: '/usr/bin:/bin', go: '1', n: '2', user: '3', input: '4', code: '5', line: 'a\nb', COUNT: '7' };
    const named = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const { stdout } = await box.play(['env', '-0'], { policy: { env } });
    expect(stdout.split('\0').filter(Boolean).sort()).toEqual(named.sort());
  });

  test('many words, long words and a large environment', async () => {
    await using box = new Box({ spares });
    const count = ['sh', '-c', 'echo $# $(printf %s "$LARGE" | wc -c); printf %s "$1" | wc -c', 'sh'] as const;
    const env = { PATH: '/usr/bin:/bin', LARGE: 'x'.repeat(90_000) };
    const many = Array.from({ length: 4000 }, (_, index) => `${index}`);
    expect((await box.play([...count, ...many])).stdout).toBe('4000 0\n1\n');
    expect((await box.play([...count, 'y'.repeat(120_000)])).stdout).toBe('1 0\n120000\n');
    expect((await box.play([...count, 'z'.repeat(70_000)], { policy: { env } })).stdout).toBe('1 90000\n70000\n');
    expect((await box.play([...count, 'z'], { policy: { env } })).stdout).toBe('1 90000\n1\n');
  });

  test('input, none or some, small or large', async () => {
    await using box = new Box({ spares });
    const look = ['sh', '-c', 'readlink /proc/self/fd/0; wc -c </dev/stdin; wc -c'] as const;
    expect((await box.play(look)).stdout).toBe('/dev/null\n0\n0\n');
    expect((await box.play(['cat', '-'], { input: 'a\0b\n' })).stdout).toBe('a\0b\n');
    expect((await box.play(['wc', '-c'], { input: 'x'.repeat(3 * MIB) })).stdout).toBe(`${3 * MIB}\n`);
  });

  test('the program is a member of every group from its first moment, and its limits hold', async () => {
    await using box = new Box({ spares });
    const places = findPlaces();
    let seen: string[] = [];
    await box.play(['sh', '-c', `sleep 30 & echo $$; ${UNTIL_SEEN}; kill $!`], {
      onOutput: () => {
        const [name = ''] = groups().filter(
          (each) => each.includes(`-${process.pid}-`) && each !== box.sandbox.waiting,
        );
        seen = members(name).map((pid) => readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
        box.seen();
      },
    });
    // At least the first process, the shell and its child; the wall itself too where it waited in the group.
    expect(seen.length).toBeGreaterThanOrEqual(3);
    const groupsIn = (text: string) => text.split('\n').filter((line) => line.includes('supervisor-sandbox-')).length;
    expect(new Set(seen.map(groupsIn))).toEqual(new Set([new Set(Object.values(places.at)).size]));
    if (places.at.pids === undefined || places.at.memory === undefined) return;
    const forks = await box.play(['forks.sh'], { limits: { processes: 24 } });
    expect(forks.end).toEqual({ how: 'limit', limit: 'processes' });
    const grow = await box.play(['grow.mjs'], { limits: { memoryBytes: 128 * MIB } });
    expect(grow.end).toEqual({ how: 'limit', limit: 'memory' });
    // As many as are allowed: neither the wall nor its first process is counted as one of the program's.
    const few = 'sleep 0.2 & sleep 0.2 & sleep 0.2 & wait; echo all';
    expect((await box.play(['sh', '-c', few], { limits: { processes: 4 } })).stdout).toBe('all\n');
  });

  test('its input may come while it runs already; how long it ran is counted from then', async () => {
    await using box = new Box({ spares });
    const late = Promise.withResolvers<string>();
    const began = performance.now();
    let said = '';
    const played = await box.play(['sh', '-c', `echo up; ${UNTIL_WHOLE}; wc -c`], {
      input: given(late),
      onOutput: (bytes) => {
        said += bytes;
        if (said === 'up\n') setTimeout(() => late.resolve('x'.repeat(3 * MIB)), 500);
      },
    });
    expect(said).toBe(`up\n${3 * MIB}\n`);
    expect(played.end).toEqual({ how: 'exit', code: 0 });
    expect(played.ms).toBeLessThan(performance.now() - began - 450);
  });

  test('its time is what is left when its input comes, not what was left when it was started', async () => {
    await using box = new Box({ spares });
    const late = Promise.withResolvers<string>();
    const began = performance.now();
    const played = await box.play(['sh', '-c', 'echo up; sleep 60'], {
      ...{ input: given(late, 700), limits: { wallMs: 1 } },
      onOutput: () => setTimeout(() => late.resolve('now'), 500),
    });
    expect(played.end).toEqual({ how: 'limit', limit: 'wall' });
    expect(performance.now() - began).toBeGreaterThan(1150);
  });

  test('an input that never comes ends the run, for the same reason', async () => {
    await using box = new Box({ spares });
    const late = Promise.withResolvers<string>();
    const why = new Error('there is nothing to say');
    const run = box.play(['sh', '-c', 'echo up; sleep 60'], {
      input: given(late),
      onOutput: () => late.reject(why),
    });
    await expect(run).rejects.toBe(why);
    box.nothingLeft();
  });

  test('an input that comes when the run is over begins nothing', async () => {
    await using box = new Box({ spares });
    const late = Promise.withResolvers<string>();
    const stop = new AbortController();
    const run = box.play(['sh', '-c', 'echo up; sleep 60'], {
      ...{ input: given(late), signal: stop.signal },
      onOutput: () => stop.abort(),
    });
    expect((await run).end).toEqual({ how: 'aborted' });
    const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    const before = timers();
    late.resolve('too late');
    await sleep(300);
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test('several at once', async () => {
    await using box = new Box({ spares });
    await box.play(['true']);
    const all = Array.from({ length: 6 }, (_, index) => {
      const from = join(box.dir, `tree-${index}`);
      mkdirSync(from);
      const writable = [{ from, to: '/workspace' }];
      return box.play(['sh', '-c', 'sleep 0.1; echo "$0"', `${index}`], { policy: { writable } });
    });
    expect((await Promise.all(all)).map(({ stdout }) => stdout)).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n', '5\n']);
  });
});

test('a read-only tree of ours that only root may read is given to the user; tool chains stay as they are', async () => {
  await using box = new Box();
  const [tree, tools, elsewhere] = [join(box.state, 'tree'), join(box.state, 'tools'), join(box.dir, 'elsewhere')];
  for (const dir of [tree, tools, elsewhere]) {
    mkdirSync(dir, { mode: 0o700 });
    writeFileSync(join(dir, 'file'), 'text', { mode: 0o600 });
  }
  const look = (from: string) =>
    box.play(['sh', '-c', 'cat file; cat /tools/file; echo x >file'], {
      policy: {
        writable: [],
        readable: [...box.policy.readable, { from: tools, to: '/tools' }, { from, to: '/workspace' }],
      },
    });
  const root = process.getuid?.() === 0;
  const played = await look(tree);
  expect(played.stdout).toBe(root ? 'text' : 'texttext');
  expect(played.stderr).toMatch(/Read-only/);
  const owners = [tree, join(tree, 'file')].map((path) => statSync(path).uid);
  expect(owners.every(isOurs)).toBe(root);
  expect([tools, join(tools, 'file')].map((path) => statSync(path).uid)).toEqual([
    process.getuid?.(),
    process.getuid?.(),
  ]);
  // Not hidden, so not ours to give away: the positive control.
  const other = look(elsewhere);
  if (root) await expect(other).rejects.toThrow(/could not be built/);
  else expect((await other).stdout).toBe('texttext');
  expect(statSync(elsewhere).uid).toBe(process.getuid?.());
});

test('variables of the first process can not be named', async () => {
  await using box = new Box();
  const env = { [`${FIRST_PREFIX}0`]: 'sh' };
  await expect(box.play(['true'], { policy: { env } })).rejects.toThrow(/can not be set/);
});

describe.runIf(SPARES)('what waits', () => {
  test('is one process, becomes the next run, and another takes its place', async () => {
    await using box = new Box();
    await box.play(['true']);
    const { name, pid } = await ready(box);
    expect(members(name)).toEqual([pid]);
    let during: number[] = [];
    await box.play(['sh', '-c', `echo up; ${UNTIL_SEEN}`], {
      onOutput: () => {
        during = members(name);
        box.seen();
      },
    });
    // Bubblewrap is the process that waited.
    expect(during).toContain(pid);
    expect(during.length).toBeGreaterThan(2);
    expect((await ready(box)).name).not.toBe(name);
  });

  test('sees what lies below a closed directory, as it is then', async () => {
    await using box = new Box();
    const closed = mkdtempSync(join(tmpdir(), 'supervisor-closed-'));
    const tools = join(closed, 'opt/tools');
    const install = (version: number) => {
      mkdirSync(tools, { recursive: true });
      writeFileSync(join(tools, 'hello'), `#!/bin/sh\necho ${version}; ${UNTIL_SEEN}\n`, { mode: 0o755 });
    };
    install(1);
    const hello = async () => {
      const waiting = box.sandbox.waiting ?? 'none';
      let during: number[] = [];
      let said = '';
      await box.play(['/opt/tools/hello'], {
        policy: { readable: [...box.policy.readable, { from: tools, to: '/opt/tools' }] },
        onOutput: (bytes) => {
          said += bytes;
          during = members(waiting);
          box.seen();
        },
      });
      return { said: said.trim(), spare: during.length > 0 };
    };
    try {
      expect(statSync(closed).mode & 0o777).toBe(0o700);
      await box.play(['true']);
      await ready(box);
      // What waits could not know of it.
      expect(await hello()).toEqual({ said: '1', spare: false });
      await ready(box);
      expect(await hello()).toEqual({ said: '1', spare: true });
      await ready(box);
      renameSync(tools, `${tools}.old`);
      install(2);
      expect(await hello()).toEqual({ said: '2', spare: true });
      await ready(box);
      renameSync(join(closed, 'opt'), join(closed, 'old'));
      install(3);
      expect(await hello()).toEqual({ said: '3', spare: false });
      // What is gone does not keep others from waiting.
      await ready(box);
      await box.play(['true']);
      rmSync(join(closed, 'opt'), { recursive: true });
      await ready(box);
      expect((await box.play(['echo', 'fine'])).stdout).toBe('fine\n');
    } finally {
      rmSync(closed, { recursive: true });
    }
  });

  test('and was killed is replaced by an ordinary start', async () => {
    await using box = new Box();
    await box.play(['true']);
    const { name, pid } = await ready(box);
    process.kill(pid, 'SIGKILL');
    // At once, before anybody has noticed; the tests of `play` then see to it that nothing of it is left.
    expect(await box.play(['echo', 'fine'])).toMatchObject({ end: { how: 'exit', code: 0 }, stdout: 'fine\n' });
    const next = await ready(box);
    expect(next.name).not.toBe(name);
    process.kill(next.pid, 'SIGKILL');
    await expect.poll(() => groups().includes(next.name), { timeout: 60_000 }).toBe(false);
    expect((await box.play(['echo', 'fine'])).stdout).toBe('fine\n');
  });

  test('is not begun for a run that was stopped before', async () => {
    await using box = new Box();
    await box.play(['true']);
    await ready(box);
    const stop = new AbortController();
    const played = box.play(['touch', 'ran'], { signal: stop.signal });
    stop.abort();
    expect((await played).end).toEqual({ how: 'aborted' });
  });

  test('is gone after close, and runs start in the ordinary way', async () => {
    await using box = new Box();
    await box.play(['true']);
    const { pid } = await ready(box);
    await box.sandbox.close();
    expect(processRow(pid)).toBeNull();
    expect(box.sandbox.waiting).toBeNull();
    box.nothingLeft();
    expect((await box.play(['echo', 'fine'])).stdout).toBe('fine\n');
    expect(box.sandbox.waiting).toBeNull();
  });

  test.each(['end', 'exit', 'close'])('neither keeps its Supervisor alive nor outlives it (%s)', async (how) => {
    const dir = mkdtempSync(join(tmpdir(), 'supervisor-spare-'));
    const holder = spawn(process.execPath, [HOLDER, dir, how], { stdio: ['ignore', 'pipe', 'inherit'] });
    const name = new Promise<string>((resolve) => holder.stdout.once('data', (text) => resolve(`${text}`.trim())));
    expect(await new Promise((resolve) => holder.once('exit', resolve))).toBe(0);
    expect(await name).toMatch(/^supervisor-sandbox-/);
    expect(members(await name)).toEqual([]);
    expect(groups()).not.toContain(await name);
    expect(readdirSync(join(dir, 'run/runs'))).toEqual([]);
    rmSync(dir, { recursive: true });
  });

  test('PR-20 ends by itself when Supervisor is killed, 20 times, and a sweep takes the rest', async () => {
    const kill = async (delay: number) => {
      const dir = mkdtempSync(join(tmpdir(), 'supervisor-spare-'));
      const holder = spawn(process.execPath, [HOLDER, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = new Promise((resolve) => holder.once('exit', resolve));
      const name = `${await new Promise((resolve) => holder.stdout.once('data', resolve))}`.trim();
      // From the middle of its making to long after it.
      if (delay >= 20) await expect.poll(() => members(name).length, { timeout: 60_000 }).toBe(1);
      else await sleep(delay);
      const pids = members(name);
      if (delay >= 20) expect(pids.filter((pid) => !isDead(processRow(pid)))).toHaveLength(1);
      holder.kill('SIGKILL');
      await exited;
      await expect.poll(() => pids.filter((pid) => !isDead(processRow(pid))), { timeout: 60_000 }).toEqual([]);
      await expect.poll(() => members(name), { timeout: 60_000 }).toEqual([]);
      await setup(dir).sandbox.sweep();
      expect(groups()).not.toContain(name);
      expect(readdirSync(join(dir, 'run/runs'))).toEqual([]);
      rmSync(dir, { recursive: true });
    };
    for (let delay = 0; delay < 40; delay += 4) await Promise.all([kill(delay), kill(delay + 2)]);
  });
});
