/** The sandbox's pure parts: what the seccomp filter answers on both architectures, and the order of the sandbox's arguments. */
import { describe, expect, test } from 'vitest';
import { policyProblems } from '../../src/mind/sandbox/check-policy.ts';
import { type BubblewrapRun, bubblewrapArguments, temporaryPaths } from '../../src/mind/sandbox/profile.ts';
import { seccompProgram } from '../../src/mind/sandbox/seccomp.ts';

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const EINVAL = 0x00050016;
const ENOSYS = 0x00050026;
const KILL = 0x80000000;
const ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Runs a filter as the kernel does, over `struct seccomp_data`. */
function answer(program: Uint8Array, arch: number, call: number, args: readonly number[] = []): number {
  const view = new DataView(program.buffer);
  const data: Record<number, number> = { 0: call, 4: arch };
  for (const [index, value] of args.entries()) {
    data[16 + 8 * index] = value % 2 ** 32;
    data[20 + 8 * index] = Math.floor(value / 2 ** 32);
  }
  let register = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const value = view.getUint32(at * 8 + 4, true);
    const jump = (yes: boolean) => view.getUint8(at * 8 + (yes ? 2 : 3));
    const code = view.getUint16(at * 8, true);
    if (code === 0x06) return value;
    if (code === 0x20) register = data[value] ?? 0;
    else if (code === 0x15) at += jump(register === value);
    else if (code === 0x35) at += jump(register >= value);
    else if (code === 0x45) at += jump((register & value) !== 0);
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('ran off the end');
}

const X64 = { memfd: 319, msgget: 68, vmsplice: 278, shmget: 29, semget: 64, setsockopt: 54 };
const ARM64 = { memfd: 279, msgget: 186, vmsplice: 75, shmget: 194, semget: 190, setsockopt: 208 };

describe.each([
  ['x64', { read: 0, mount: 165, unshare: 272, acct: 163, clone: 56, socket: 41, ioctl: 16, ...X64 }],
  ['arm64', { read: 63, mount: 40, unshare: 97, acct: 89, clone: 220, socket: 198, ioctl: 29, ...ARM64 }],
] as const)('the filter for %s', (name, call) => {
  const ask = (number: number, args: readonly number[] = [], isBounded = true) =>
    answer(seccompProgram(name, isBounded) as Uint8Array, ARCH[name], number, args);

  test.each([
    ['an ordinary call', call.read, [], ALLOW],
    ['mount', call.mount, [], EPERM],
    ['unshare', call.unshare, [], EPERM],
    ['the last of the list', call.acct, [], EPERM],
    ['clone3', 435, [], ENOSYS],
    ['a thread', call.clone, [0x3d0f00], ALLOW],
    ['a new user namespace', call.clone, [0x10000011], EPERM],
    ['a TCP socket', call.socket, [2], ALLOW],
    ['a socket to the machine below', call.socket, [40], 0x00050061],
    ['the size of a terminal', call.ioctl, [0, 0x5413], ALLOW],
    ['typing into a terminal', call.ioctl, [0, 0x5412], EPERM],
  ])('%s', (_, number, args, action) => {
    expect(ask(number, args)).toBe(action);
  });

  test.each([
    ['a file in memory', call.memfd, [], ENOSYS],
    ['a secret one', 447, [], ENOSYS],
    ['a message queue', call.msgget, [], ENOSYS],
    ['pages given to a pipe', call.vmsplice, [], ENOSYS],
    ['a segment of more than a page', call.shmget, [0, 4097], EINVAL],
    ['one whose size has a high half only', call.shmget, [0, 2 ** 32], EINVAL],
    ['a segment of a page', call.shmget, [0, 4096], ALLOW],
    ['a large set of semaphores', call.semget, [0, 33], EINVAL],
    ['a small set of semaphores', call.semget, [0, 32], ALLOW],
    ['a larger buffer, which is answered and not made', call.setsockopt, [3, 1, 7], 0x00050000],
    ['pages of the program in a socket', call.setsockopt, [3, 1, 60], 0x0005005f],
    ['another option of a socket', call.setsockopt, [3, 1, 2], ALLOW],
    ['an option of TCP with the same number', call.setsockopt, [3, 6, 7], ALLOW],
    ['an ordinary call', call.read, [], ALLOW],
    ['mount', call.mount, [], EPERM],
  ])('%s, where no control group bounds memory; else it is allowed', (_, number, args, action) => {
    expect(ask(number, args, false)).toBe(action);
    expect(ask(number, args)).toBe(number === call.mount ? EPERM : ALLOW);
  });

  test('calls of another architecture end the program', () => {
    expect(answer(seccompProgram(name, true) as Uint8Array, 0x40000003, call.read)).toBe(KILL);
  });
});

test('the second numbering of x86_64 is refused, and an unknown machine has no filter', () => {
  expect(answer(seccompProgram('x64', true) as Uint8Array, ARCH.x64, 0x40000000)).toBe(EPERM);
  expect(seccompProgram('riscv64', false)).toBeNull();
});

const RUN: BubblewrapRun = {
  host: {
    system: [
      { path: '/usr', link: null },
      { path: '/bin', link: 'usr/bin' },
    ],
    etc: ['/etc/ssl'],
    names: [{ path: '/etc/resolv.conf', from: '/run/resolv.conf' }],
  },
  mounts: [
    { from: '/env/node_modules', to: '/workspace/node_modules', writable: false },
    { from: '/trees/1', to: '/workspace', writable: true },
  ],
  cwd: '/workspace',
  env: { HOME: '/tmp/home', A: 'b' },
  first: { SANDBOX_FIRST_V0: 'HOME=/tmp/home' },
  temporary: [],
  network: false,
  tmpBytes: 1000,
  shmBytes: 500,
  data: ['/shown/1', '/shown/2', '/shown/3', '/shown/4'],
  shell: 5,
  seccomp: 6,
};

test('mounts come outer first, the root is closed after the last of them, links are repeated', () => {
  const text = bubblewrapArguments(RUN).join(' ');
  expect(text).toMatch(
    /--symlink usr\/bin \/bin .*--bind \/trees\/1 \/workspace --ro-bind \/env\/node_modules \/workspace\/node_modules --perms 0111 --ro-bind-data 5 \/run\/supervisor\/first\/sh --remount-ro \/ --chdir \/workspace --clearenv --setenv SANDBOX_FIRST_V0 HOME=\/tmp\/home --seccomp 6$/,
  );
  expect(text).not.toContain('--ro-bind / /');
});

test('a home directory elsewhere is a small file system of its own, unless a mount brings it', () => {
  expect(temporaryPaths(RUN)).toEqual(['/tmp', '/dev/shm']);
  expect(temporaryPaths({ ...RUN, env: { HOME: '/home/me' } })).toEqual(['/tmp', '/dev/shm', '/home/me']);
  expect(temporaryPaths({ ...RUN, env: { HOME: '/workspace/home' } })).toEqual(['/tmp', '/dev/shm']);
});

const POLICY = { kind: 'gate', argv: ['true'], readable: [], writable: [], cwd: '/workspace', env: {} };

test.each([
  ['the state directory', '/state', 1],
  ['what holds the state directory', '/', 2],
  ['a tree below it', '/state/trees/1', 0],
])('a mount of %s', (_, from, problems) => {
  const policy = { ...POLICY, writable: [{ from, to: '/workspace' }] };
  expect(policyProblems(policy, ['/state'])).toHaveLength(problems);
});
