/** What a sandboxed program cannot see, reach or do; each attack is shown to work without the sandbox. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SandboxError } from '../../src/engine/ports/sandbox.ts';
import { hostFacts } from '../../src/hands/sandbox/bubblewrap/host.ts';
import { Box, UNTIL_SEEN } from './box.ts';

const CANARY = 'canary-5f1c';

/** A service of the host on every kind of address; says the canary to whoever connects. */
async function service(address: string | number) {
  const server = createServer((socket) => socket.end(CANARY));
  await new Promise<void>((resolve) => {
    if (typeof address === 'number') server.listen(address, '127.0.0.1', resolve);
    else server.listen(address, resolve);
  });
  const port = server.address();
  return {
    port: port !== null && typeof port === 'object' ? port.port : 0,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Runs a command with a real terminal, as `script` gives one. */
const onTerminal = (program: string, input: string): string =>
  execFileSync('script', ['-qc', `sh ${program}; true`, '/dev/null'], { input, encoding: 'utf8', timeout: 120_000 });

test('PR-09 host secrets: files of a home, the state directory, environments and sockets', async () => {
  await using box = new Box();
  const home = join(box.dir, 'home/.ssh');
  mkdirSync(home, { recursive: true });
  const files = [join(home, 'id_ed25519'), join(box.state, 'log.db'), join(box.dir, 'other-tree')];
  for (const path of files) writeFileSync(path, CANARY);
  const socket = join(box.dir, 'docker.sock');
  await using _service = await service(socket);
  const bystander = spawn('sleep', ['600'], { env: { SECRET: CANARY } });
  try {
    const args: [string, ...string[]] = ['secrets.mjs', socket, ...files];
    const open = await box.bare(args).done;
    expect(open.split(CANARY).length - 1).toBeGreaterThanOrEqual(5);
    const closed = await box.play(args);
    expect(closed.end).toEqual({ how: 'exit', code: 0 });
    expect(closed.stdout).not.toContain(CANARY);
    expect(closed.stdout).toMatch(/socket: ENOENT/);
  } finally {
    bystander.kill('SIGKILL');
  }
});

test('PR-09 its environment is exactly the one named, and the command line of no process tells it', async () => {
  await using box = new Box();
  const env = { PATH: '/usr/bin:/bin', TOKEN: CANARY };
  expect((await box.play(['env'], { policy: { env } })).stdout.split('\n').sort()).toEqual(
    ['', 'PATH=/usr/bin:/bin', `TOKEN=${CANARY}`].sort(),
  );
  let seen = '';
  await box.play(['sh', '-c', `echo up; ${UNTIL_SEEN}`], {
    policy: { env },
    onOutput: () => {
      seen = execFileSync('ps', ['axww', '-o', 'args'], { encoding: 'utf8' });
      box.seen();
    },
  });
  expect(seen).toContain('bwrap');
  expect(seen).not.toContain(CANARY);
});

test('PR-09 a descriptor that Supervisor itself inherited does not reach the program', async () => {
  await using box = new Box();
  const secret = join(box.dir, 'secret');
  writeFileSync(secret, CANARY);
  const fd = openSync(secret, 'r');
  const run = (program: string) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'ignore', 'ignore', ...Array(14).fill('ignore'), fd],
      encoding: 'utf8',
    });
  const list = `['sh', '-c', 'cat /proc/self/fd/20']`;
  const bare = `import { spawnSync } from 'node:child_process';
    const [name, ...args] = ${list};
    process.stdout.write(spawnSync(name, args).stdout);`;
  const boxed = `import { setup } from ${JSON.stringify(join(import.meta.dirname, 'setup.ts'))};
    const { sandbox, policy } = setup(${JSON.stringify(box.dir)});
    await sandbox.run({ argv: ${list}, policy, input: '', signal: new AbortController().signal,
      onOutput: (_, bytes) => process.stdout.write(bytes) });`;
  expect(run(bare)).toBe(CANARY);
  expect(run(boxed)).not.toContain(CANARY);
  closeSync(fd);
});

test('PR-09 of the host it sees the system, what it was given, and nothing else', async () => {
  await using box = new Box();
  const { stdout } = await box.play([
    'sh',
    '-c',
    'ls -A / /opt /tmp/home; ls -d /home /root /var /srv /mnt; pwd; id -u; find /run',
  ]);
  expect(
    stdout.split('\n').filter((name) => /^(home|root|var|srv|mnt|\/home|\/root|\/run.*|\/var)$/.test(name)),
  ).toEqual(['/run', '/run/supervisor', '/run/supervisor/first', '/run/supervisor/first/sh']);
  expect(stdout).toContain('workspace');
  expect((await box.play(['ls', homedir()])).end).not.toEqual({ how: 'exit', code: 0 });
});

test('PR-11 services of the host on loopback and on abstract sockets', async () => {
  await using box = new Box();
  const name = `supervisor-test-${process.pid}`;
  await using tcp = await service(0);
  await using _abstract = await service(`\0${name}`);
  const args: [string, ...string[]] = ['loopback.mjs', `${tcp.port}`, name];
  expect(await box.bare(args).done).toBe(`${CANARY}\n${CANARY}\n`);
  const { stdout } = await box.play(args);
  expect(stdout).toBe('ECONNREFUSED\nECONNREFUSED\n');
});

test('PR-13 namespaces, mounts and boxes of its own', async () => {
  await using box = new Box();
  const names = ['user', 'mount', 'net', 'nested', 'tmpfs'];
  expect(await box.bare(['tricks.sh']).done).toBe(names.map((name) => `${name} worked\n`).join(''));
  expect((await box.play(['tricks.sh'])).stdout).toBe(names.map((name) => `${name} refused\n`).join(''));
});

test('PR-13 no capability, no new privileges, a filter, and not the uid of Supervisor', async () => {
  await using box = new Box();
  const { stdout } = await box.play(['sh', '-c', 'cat /proc/self/status; cat /proc/self/uid_map']);
  expect(stdout).toMatch(/CapEff:\t0+\n/);
  expect(stdout).toMatch(/CapBnd:\t0+\n/);
  expect(stdout).toMatch(/NoNewPrivs:\t1\n/);
  expect(stdout).toMatch(/Seccomp:\t2\n/);
});

test('PR-06, PR-14 there is no terminal to ask on or to type into, and input ends', async () => {
  await using box = new Box();
  const programs = join(import.meta.dirname, '../fixtures/programs/hostile');
  expect(onTerminal(`${programs}/ask.sh`, 'y\nyes\n')).toMatch(/terminal: y[\s\S]*input: yes/);
  expect((await box.play(['ask.sh'])).stdout).toMatch(/no terminal\ninput closed\n$/);
  // Whether the kernel still lets a program type into its terminal is a setting; that it has one is enough here.
  expect(onTerminal(`${programs}/terminal.sh`, '\n')).toContain('has a terminal');
  expect((await box.play(['terminal.sh'])).stdout).toBe('no terminal\nnot typed: Operation not permitted\n');
});

test('WT-02 writing anywhere but in its workspace fails loudly, and the workspace takes it', async () => {
  await using box = new Box();
  const outside = [join(box.dir, 'main-checkout'), join(box.dir, 'state/x'), join(box.dir, 'new')];
  const all = [...outside, '/usr/x', '/etc/x', '/x', '/programs/x', '/dev/x', '/workspace/x'];
  const { stdout } = await box.play(['outside.sh', ...all]);
  expect(stdout.split('\n').filter((line) => line.startsWith('wrote'))).toEqual(['wrote /workspace/x']);
  expect(await box.bare(['outside.sh', ...outside]).done).toBe(outside.map((path) => `wrote ${path}\n`).join(''));
  expect(readFileSync(join(box.tree, 'x'), 'utf8')).toBe('x\n');
});

test('a link of /etc into /usr is a link inside too, such as that by which a time zone has its name', async () => {
  await using box = new Box();
  const links = hostFacts().system.filter(({ path }) => path.startsWith('/etc/'));
  const look = 'for path; do readlink "$path" && test -e "$path" || echo "none: $path"; done';
  const played = await box.play(['sh', '-c', look, 'sh', ...links.map(({ path }) => path)]);
  expect(played.stdout).toBe(links.map(({ link }) => `${link}\n`).join(''));
  const zone = 'console.log(new Intl.DateTimeFormat().resolvedOptions().timeZone)';
  const { TZ: _, ...env } = process.env;
  const outside = execFileSync(process.execPath, ['-e', zone], { encoding: 'utf8', env });
  expect((await box.play(['node', '-e', zone])).stdout).toBe(outside);
});

test('tool chains below a directory that no other user may enter work', async () => {
  await using box = new Box();
  const closed = mkdtempSync(join(tmpdir(), 'supervisor-closed-'));
  mkdirSync(join(closed, 'tools/bin'), { recursive: true });
  writeFileSync(join(closed, 'tools/bin/hello'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
  try {
    const readable = [...box.policy.readable, { from: join(closed, 'tools'), to: '/opt/tools' }];
    const played = await box.play(['/opt/tools/bin/hello'], { policy: { readable } });
    expect(played.stdout).toBe('hello\n');
  } finally {
    rmSync(closed, { recursive: true });
  }
});

test('a mount inside a tree does not go through a link of that tree', async () => {
  await using box = new Box();
  mkdirSync(join(box.tree, 'src'));
  symlinkSync('src', join(box.tree, 'node_modules'));
  const readable = [...box.policy.readable, { from: box.dir, to: '/workspace/node_modules' }];
  await expect(box.play(['true'], { policy: { readable } })).rejects.toThrow(SandboxError);
  const shown = [...box.policy.readable, { from: box.dir, to: '/all' }];
  await expect(box.play(['true'], { policy: { readable: shown } })).rejects.toThrow(/would show/);
});

test('ordinary work goes on as usual: exit codes, signals, shared memory, two at once', async () => {
  await using box = new Box();
  await using other = new Box();
  expect((await box.play(['sh', '-c', 'exit 7'])).end).toEqual({ how: 'exit', code: 7 });
  expect((await box.play(['sh', '-c', 'kill -SEGV $$'])).end).toEqual({ how: 'signal', signal: 'SIGSEGV' });
  expect((await box.play(['no-such-program'])).end).toEqual({ how: 'exit', code: 127 });
  expect((await box.play(['cat'], { input: 'äöü' })).stdout).toBe('äöü');
  expect((await box.play(['sh', '-c', 'cat /dev/stdin; echo x >/dev/stderr'])).stderr).toBe('x\n');
  const work =
    'echo x >/dev/shm/a && echo y >$HOME/b && trap "echo caught" INT && kill -INT $$ && git init -q . && ls -A';
  const both = await Promise.all([box.play(['sh', '-c', work]), other.play(['sh', '-c', work])]);
  expect(both.map(({ stdout }) => stdout)).toEqual(['caught\n.git\n', 'caught\n.git\n']);
});
