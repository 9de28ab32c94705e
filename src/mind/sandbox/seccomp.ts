/** The system calls that no sandboxed program may make, as data, and the classic BPF program that tells the kernel. */
/**
 * Every call: its number on x86_64 and on arm64. They concern namespaces, mounts, kernel modules, keys or large kernel
 * surfaces.
 */
const DENIED: readonly (readonly [string, number, number])[] = [
  ['mount', 165, 40],
  ['umount2', 166, 39],
  ['pivot_root', 155, 41],
  ['chroot', 161, 51],
  ['unshare', 272, 97],
  ['setns', 308, 268],
  ['open_tree', 428, 428],
  ['move_mount', 429, 429],
  ['fsopen', 430, 430],
  ['fsconfig', 431, 431],
  ['fsmount', 432, 432],
  ['fspick', 433, 433],
  ['mount_setattr', 442, 442],
  ['open_by_handle_at', 304, 265],
  ['add_key', 248, 217],
  ['request_key', 249, 218],
  ['keyctl', 250, 219],
  ['bpf', 321, 280],
  ['perf_event_open', 298, 241],
  ['userfaultfd', 323, 282],
  ['pidfd_getfd', 438, 438],
  ['kexec_load', 246, 104],
  ['kexec_file_load', 320, 294],
  ['init_module', 175, 105],
  ['finit_module', 313, 273],
  ['delete_module', 176, 106],
  ['quotactl', 179, 60],
  ['swapon', 167, 224],
  ['swapoff', 168, 225],
  ['reboot', 169, 142],
  ['syslog', 103, 116],
  ['acct', 163, 89],
];

/**
 * Answered as if the kernel did not know them, so that libraries use their older way: clone3 hides its flags from a
 * filter.
 */
const UNKNOWN: readonly (readonly [string, number, number])[] = [
  ['clone3', 435, 435],
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
];

/**
 * Answered as if the kernel did not know them, if no control group bounds memory. Each allocates memory that belongs to
 * no process and so appears in no resident size: a file in memory outlives its descriptors in a mapping or on its way
 * through a socket, and messages and spliced pages wait in the kernel. Shared memory in /dev/shm stays allowed: that
 * file system has a size.
 */
const UNOWNED: readonly (readonly [string, number, number])[] = [
  ['memfd_create', 319, 279],
  ['memfd_secret', 447, 447],
  ['msgget', 68, 186],
  ['vmsplice', 278, 75],
];
/**
 * The kernel has at most 4096 segments and 32,000 sets of System V. So 16 MiB and 75 MiB; PostgreSQL asks for 56 bytes.
 */
const SEGMENT_BYTES = 4096;
const SET_SEMAPHORES = 32;
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_ZEROCOPY = 60;

const CALLS = {
  clone: [56, 220],
  ioctl: [16, 29],
  socket: [41, 198],
  shmget: [29, 194],
  semget: [64, 190],
  setsockopt: [54, 208],
} as const;
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET and TIME (which shares its bit with a signal number: unshare only). */
const NEW_NAMESPACE = 0x7e020000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** UNIX, INET, INET6, NETLINK: what lives in the sandbox's own network. VSOCK, for one, would reach out of it. */
const FAMILIES = [1, 2, 10, 16] as const;

const EPERM = 1;
const EINVAL = 22;
const ENOSYS = 38;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const refuse = (errno: number) => 0x00050000 | errno;

/**
 * The filter in the kernel's form; null for a machine whose numbers are unknown here. `memoryIsBounded`: a control
 * group counts all memory; otherwise the filter denies memory that nobody could count.
 */
export function seccompProgram(architecture: string, memoryIsBounded: boolean): Uint8Array | null {
  if (architecture !== 'x64' && architecture !== 'arm64') return null;
  const at = architecture === 'x64' ? 0 : 1;
  const numbers = (table: typeof DENIED) => table.map((row) => row[at === 0 ? 1 : 2]);
  const steps: Instruction[] = [
    load(4),
    unless('equal', AUDIT[architecture], KILL_PROCESS),
    load(0),
    // The second numbering of x86_64 (x32) would bypass every number below.
    ...(architecture === 'x64' ? when('atLeast', 0x40000000, refuse(EPERM)) : []),
    ...numbers(DENIED).flatMap((number) => when('equal', number, refuse(EPERM))),
    ...numbers(UNKNOWN).flatMap((number) => when('equal', number, refuse(ENOSYS))),
    ...onCall(CALLS.clone[at], 0, when('anyOf', NEW_NAMESPACE, refuse(EPERM))),
    ...onCall(
      CALLS.ioctl[at],
      1,
      [TIOCSTI, TIOCLINUX].flatMap((request) => when('equal', request, refuse(EPERM))),
    ),
    ...onCall(CALLS.socket[at], 0, [
      ...FAMILIES.flatMap((family) => when('equal', family, ALLOW)),
      give(refuse(EAFNOSUPPORT)),
    ]),
    ...(memoryIsBounded ? [] : unowned(at)),
    give(ALLOW),
  ].flat();
  return assemble(steps);
}

function unowned(at: 0 | 1): Instruction[] {
  const tooLarge = (least: number) => [
    ...when('atLeast', least, refuse(EINVAL)),
    load(16 + 8 + 4),
    ...unless('equal', 0, refuse(EINVAL)),
  ];
  return [
    ...UNOWNED.flatMap((row) => when('equal', row[at === 0 ? 1 : 2], refuse(ENOSYS))),
    ...onCall(CALLS.shmget[at], 1, tooLarge(SEGMENT_BYTES + 1)),
    ...onCall(CALLS.semget[at], 1, when('atLeast', SET_SEMAPHORES + 1, refuse(EINVAL))),
    // Reports success without doing it: the size is only a request, and each socket keeps the default one, by which it
    // is counted.
    ...onCall(CALLS.setsockopt[at], 1, [
      ...unless('equal', SOL_SOCKET, ALLOW),
      load(16 + 8 * 2),
      ...when('equal', SO_SNDBUF, refuse(0)),
      // A page that waits in a socket may keep a huge page from being freed.
      ...when('equal', SO_ZEROCOPY, refuse(EOPNOTSUPP)),
    ]),
  ];
}

type Instruction = { readonly code: number; readonly yes: number; readonly no: number; readonly value: number };
const COMPARE = { equal: 0x15, atLeast: 0x35, anyOf: 0x45 } as const;

const load = (value: number): Instruction => ({ code: 0x20, yes: 0, no: 0, value });
const give = (value: number): Instruction => ({ code: 0x06, yes: 0, no: 0, value });
const when = (how: keyof typeof COMPARE, value: number, then: number): Instruction[] => [
  { code: COMPARE[how], yes: 0, no: 1, value },
  give(then),
];
const unless = (how: keyof typeof COMPARE, value: number, then: number): Instruction[] => [
  { code: COMPARE[how], yes: 1, no: 0, value },
  give(then),
];
/** For one call, checks the low half of an argument; everything that is not refused is allowed. */
const onCall = (number: number, argument: number, rules: readonly Instruction[]): Instruction[] => [
  { code: COMPARE.equal, yes: 0, no: rules.length + 2, value: number },
  load(16 + 8 * argument),
  ...rules,
  give(ALLOW),
];

/** `struct sock_filter`: u16 code, u8 jt, u8 jf, u32 k. */
function assemble(steps: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(steps.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, yes, no, value }] of steps.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, yes);
    view.setUint8(index * 8 + 3, no);
    view.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return bytes;
}
