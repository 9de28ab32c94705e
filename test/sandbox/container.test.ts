/** The container backend with a real Podman: the same promises as every sandbox. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test as vitestTest } from 'vitest';
import type { SandboxEnd, SandboxLimits, SandboxPolicy } from '../../src/engine/ports/sandbox.ts';
import { EGRESS_SOCKET } from '../../src/mind/workers/bridge.ts';
import { untested } from '../support/untested.ts';
import { type Contained, ContainerBox, makePodman, podmanProblem, processesWith } from './container-box.ts';
import { MIB } from './setup.ts';

const skipped = untested('sandboxes by containers', await podmanProblem());
const test = vitestTest.skipIf(skipped);
let podman: ReturnType<typeof makePodman>;
beforeAll(() => {
  if (skipped) return;
  podman = makePodman();
});
/** No container, no process that sees the store, no mount beside the store's own. */
afterEach(async () => {
  expect(podman.run('ps', '--all', '--format', '{{.Names}}')).toBe('');
  await expect.poll(() => processesWith(podman.dir), { timeout: 60_000 }).toEqual([]);
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  expect(mounts.filter((line) => line.includes(podman.dir) && !line.includes(`${podman.dir}/store/overlay `))).toEqual(
    [],
  );
});
afterAll(() => podman?.[Symbol.dispose]());

const CANARY = 'canary-31d0';

/** A server of the host, which says the canary to any client. */
async function service(address: string | number) {
  const server = createServer((socket) => socket.end(CANARY));
  await new Promise<void>((resolve) => {
    if (typeof address === 'number') server.listen(address, '127.0.0.1', resolve);
    else server.listen(address, resolve);
  });
  const at = server.address();
  return {
    port: at !== null && typeof at === 'object' ? at.port : 0,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test('is ready, and says what it enforces', async () => {
  using box = new ContainerBox(podman);
  const report = await box.sandbox.probe();
  expect(report).toMatchObject({ ready: true, problem: null, fix: null });
  expect(report.backend).toMatch(/^podman \d.*, as root, seccomp, image supervisor-test:1$/);
  expect(report.limits.filter(({ enforced }) => !enforced).map(({ limit }) => limit)).toEqual(['diskBytes']);
});

test('shows what the policy names and no more, to a user of its own without any power', async () => {
  using box = new ContainerBox(podman);
  writeFileSync(join(box.state, 'log.db'), CANARY);
  mkdirSync(join(box.tree, 'cache'), { mode: 0o555 });
  writeFileSync(join(box.tree, 'cache/before'), '');
  const odd = `a b\n'"\\n$HOME\\\\ é€\u0081 \t`;
  const program = `
    id -u; id -un
    cat; echo; printf '%s|' "$1" "$2"; echo
    grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status
    cat /proc/net/dev | grep -c :
    for place in /etc/x /usr/x /programs/x /x /run/x /var/x /run/supervisor/start/x; do touch $place 2>/dev/null && echo "wrote $place"; done
    for place in /workspace/x /tmp/x /tmp/home/x /dev/shm/x /workspace/cache/x; do touch $place || echo "closed: $place"; done
    ls /workspace/cache /run/supervisor/start
    [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo no terminal
    echo again >/dev/stderr; cat ${join(box.state, 'log.db')}
    tr '\\0' '\\n' </proc/1/environ
    sleep 60 & sleep 60 & exit 7`;
  let seen = '';
  const played = await box.play(['sh', '-c', program, 'sh', odd, CANARY], {
    policy: { env: { ...box.policy.env, ODD: odd, TOKEN: CANARY }, temporary: ['/workspace/cache'] },
    input: `typed ${CANARY}`,
    onOutput: () => {
      seen ||= execFileSync('ps', ['axww', '-o', 'args'], { encoding: 'utf8' });
    },
  });
  expect(played.end, played.stderr).toEqual({ how: 'exit', code: 7 });
  expect(played).toMatchObject({ leftovers: 2, forced: false });
  const { uid } = statSync(join(box.tree, 'x'));
  expect(uid).toBeGreaterThanOrEqual(61_000);
  expect(played.stdout.split('\n')).toEqual([
    ...[`${uid}`, 'worker', `typed ${CANARY}`, ...`${odd}|${CANARY}|`.split('\n')],
    ...['CapBnd:', 'CapEff:']
      .map((name) => `${name}\t0000000000000000`)
      .sort()
      .reverse(),
    ...[
      'NoNewPrivs:\t1',
      'Seccomp:\t2',
      '1',
      '/run/supervisor/start:',
      '',
      '/workspace/cache:',
      'x',
      'no terminal',
      '',
    ],
  ]);
  expect(played.stderr).toMatch(/^again\ncat: .*No such file or directory\n.*\/proc\/1\/environ: Permission denied\n$/);
  // What the container made there is gone with it, and what was there before is as it was.
  expect(readdirSync(join(box.tree, 'cache'))).toEqual(['before']);
  // The command line of no process tells a value or a word; of the engine neither.
  expect(seen).toContain(podman.dir);
  expect(seen.split('\n').filter((line) => line.includes(CANARY) && !line.includes('grep -E'))).toEqual([]);
  expect(readdirSync(join(box.dir, 'run/containers'))).toEqual([]);
});

test('its environment is exactly the one named', async () => {
  using box = new ContainerBox(podman);
  const env = { PATH: '/usr/bin:/bin', IFS: 'x', PWD: '/nowhere', variables: '3', code: '4' };
  const played = await box.play(['env', '-0'], { policy: { env } });
  const found = played.stdout.split('\0').filter(Boolean).sort();
  expect(found).toEqual(
    Object.entries(env)
      .map((pair) => pair.join('='))
      .sort(),
  );
});

type Row = {
  readonly limit: Extract<SandboxEnd, { how: 'limit' }>['limit'];
  readonly argv: readonly [string, ...string[]];
  /** Where it comes to an end by itself; to break the limit it has longer than a test may take. */
  readonly short?: readonly [string, ...string[]];
  readonly limits: Partial<SandboxLimits>;
  readonly enough: Partial<SandboxLimits>;
  readonly says: RegExp;
};
const ROWS: readonly Row[] = [
  {
    limit: 'memory',
    argv: ['node', '/programs/grow.mjs'],
    limits: { memoryBytes: 128 * MIB },
    enough: { memoryBytes: 512 * MIB },
    says: /256 MiB/,
  },
  {
    limit: 'processes',
    argv: ['sh', '/programs/forks.sh'],
    limits: { processes: 24 },
    enough: { processes: 60 },
    says: /48 children/,
  },
  {
    limit: 'output',
    argv: ['sh', '/programs/flood.sh', `${2 * MIB}`],
    limits: { outputBytes: MIB },
    enough: {},
    says: /AAAA$/,
  },
  {
    limit: 'idle',
    argv: ['sh', '-c', 'sleep 600'],
    short: ['sh', '-c', 'sleep 1.5; echo awake'],
    limits: { idleMs: 300 },
    enough: { idleMs: 60_000 },
    says: /awake/,
  },
  {
    limit: 'disk',
    argv: ['sh', '-c', 'head -c 40000000 /dev/zero >big; sleep 600'],
    short: ['sh', '-c', 'head -c 40000000 /dev/zero >big; sleep 2; echo filled'],
    limits: { diskBytes: 16 * MIB },
    enough: {},
    says: /filled/,
  },
];

test.each(ROWS)('the limit of $limit ends a program, and another one does its work', async (row) => {
  using box = new ContainerBox(podman);
  const [ended, done] = await Promise.all([
    box.play(row.argv, { limits: row.limits }),
    // Its own tree: two of our users cannot share one.
    (async () => {
      using other = new ContainerBox(podman);
      return await other.play(row.short ?? row.argv, { limits: row.enough });
    })(),
  ]);
  expect(ended.end).toEqual({ how: 'limit', limit: row.limit });
  expect(ended.stdout.length).toBeLessThanOrEqual(row.limits.outputBytes ?? Infinity);
  expect(done.end, done.stderr).toEqual({ how: 'exit', code: 0 });
  expect(done.stdout).toMatch(row.says);
});

test('time and the operator ask first, and kill what is deaf', async () => {
  using deaf = new ContainerBox(podman);
  using polite = new ContainerBox(podman);
  const stop = new AbortController();
  const program = 'trap "echo asked; exit 0" TERM; echo up; while :; do sleep 0.1; done';
  /** One that had no time to become deaf is given more. */
  const ended = async (wallMs: number): Promise<Contained> => {
    const played = await deaf.play(['sh', '/programs/deaf.sh'], { limits: { wallMs, graceMs: 300 } });
    return played.stdout === 'deaf\n' ? played : ended(2 * wallMs);
  };
  const [wall, aborted] = await Promise.all([
    ended(500),
    polite.play(['sh', '-c', program], {
      limits: { graceMs: 60_000 },
      signal: stop.signal,
      onOutput: (text) => {
        if (text.startsWith('up')) stop.abort();
      },
    }),
  ]);
  expect(wall).toMatchObject({ end: { how: 'limit', limit: 'wall' }, forced: true });
  expect(aborted).toMatchObject({ end: { how: 'aborted' }, forced: false, stdout: 'up\nasked\n' });
});

test('a stop before the program has started', async () => {
  using box = new ContainerBox(podman);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 150);
  expect((await box.play(['sh', '-c', 'touch ran; sleep 20'], { signal: stop.signal })).end).toEqual({
    how: 'aborted',
  });
});

test('no way out but the proxy of the policy, which the user of the program can use', async () => {
  using box = new ContainerBox(podman);
  const socket = join(box.dir, 'egress.sock');
  await using _proxy = await service(socket);
  await using tcp = await service(0);
  const program = `
    import { connect } from 'node:net';
    const attempt = (to) => new Promise((resolve) => {
      const socket = connect(to);
      socket.on('data', (bytes) => resolve('' + bytes)).on('error', ({ code }) => resolve(code));
    });
    const places = ['${EGRESS_SOCKET}', '${socket}', { host: '127.0.0.1', port: ${tcp.port} }];
    console.log((await Promise.all(places.map(attempt))).join(' '));`;
  const play = (policy: Partial<SandboxPolicy>) =>
    box.play(['node', '--input-type=module', '-e', program], { policy: { kind: 'worker', ...policy } });
  expect(await play({ egress: socket })).toMatchObject({ stdout: `${CANARY} ENOENT ECONNREFUSED\n`, stderr: '' });
  expect(await play({})).toMatchObject({ stdout: 'ENOENT ENOENT ECONNREFUSED\n' });
  // By the operator's word, and the control of the two above.
  expect(await play({ kind: 'prepare', network: 'host' })).toMatchObject({ stdout: `ENOENT ENOENT ${CANARY}\n` });
});

test('a program that is not there, one that a signal ended, and mounts inside of mounts', async () => {
  using box = new ContainerBox(podman);
  expect((await box.play(['no-such-program'])).end).toEqual({ how: 'exit', code: 127 });
  expect((await box.play(['sh', '-c', 'kill -KILL $$'])).end).toEqual({ how: 'signal', signal: 'SIGKILL' });
  const outputs = join(box.dir, 'outputs');
  mkdirSync(outputs);
  writeFileSync(join(outputs, 'tool'), 'made');
  const readable = [...box.policy.readable, { from: outputs, to: '/workspace/deep/node_modules' }];
  const nested = await box.play(['sh', '-c', 'cat deep/node_modules/tool && touch deep/node_modules/x'], {
    policy: { readable },
  });
  expect(nested.stdout).toBe('made');
  expect(nested.stderr).toMatch(/Read-only file system/);
  expect(statSync(join(box.tree, 'deep')).uid).toBe(statSync(box.tree).uid);
  expect(existsSync(join(outputs, 'x'))).toBe(false);
});

test('an engine that takes limits and does not set them: nothing is run', async () => {
  const bin = mkdtempSync(join(podman.dir, 'deaf-'));
  const drop = `n=$#
    while [ $n -gt 0 ]; do
      word=$1; shift; n=$((n - 1))
      case $word in --memory|--memory-swap|--pids-limit|--cpus) shift; n=$((n - 1)); continue ;; esac
      set -- "$@" "$word"
    done
    exec ${podman.dir}/bin/podman "$@"`;
  writeFileSync(join(bin, 'podman'), `#!/bin/sh\n${drop}\n`, { mode: 0o755 });
  using box = new ContainerBox({ ...podman, path: `${bin}:${podman.path}` });
  await expect(box.play(['touch', 'ran'])).rejects.toThrow(/did not set the limits of memory, processes, cpus/);
  expect(existsSync(join(box.tree, 'ran'))).toBe(false);
});
