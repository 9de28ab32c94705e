/** The arguments that make bubblewrap build the wall for one policy: a pure function of the policy and facts of the host. */
import { FIRST_SHELL } from './first-process.ts';
import { isInside, SANDBOX_HOME } from './paths.ts';

/**
 * Where the table of mounts names directories of the host, for the first process. Each program can still read its own table:
 * the kernel makes one for every process, and there is no place to hide them all.
 */
const FIRST_TABLES: readonly string[] = [
  ...['mountinfo', 'mounts', 'mountstats'].map((name) => `/proc/1/${name}`),
  ...['mountinfo', 'mounts'].map((name) => `/proc/1/task/1/${name}`),
];

export type HostFacts = {
  /** What stands at /usr, /bin, /lib …: a directory to show, or a link to repeat. */
  readonly system: readonly { readonly path: string; readonly link: string | null }[];
  /** Full paths below /etc that exist here and are wanted. */
  readonly etc: readonly string[];
  /** What finding other machines needs: the files that really stand behind /etc/resolv.conf and /etc/hosts. */
  readonly names: readonly { readonly path: string; readonly from: string }[];
};

export type WallMount = { readonly from: string; readonly to: string; readonly writable: boolean };

export type Wall = {
  readonly host: HostFacts;
  readonly mounts: readonly WallMount[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The environment of the first process, which gives the program `env`. */
  readonly first: Readonly<Record<string, string>>;
  /** Inside mounts, over which an empty file system is laid. */
  readonly temporary: readonly string[];
  /** The host's network, and how it finds names; else none. */
  readonly network: boolean;
  /** Size of each temporary file system. */
  readonly tmpBytes: number;
  readonly shmBytes: number;
  /** Where the made-up files lie, in their order. */
  readonly data: readonly string[];
  /** The descriptor that bubblewrap reads the shell of the first process from. */
  readonly shell: number;
  /** The descriptor that bubblewrap reads the filter from; null where none is known for the machine. */
  readonly seccomp: number | null;
};

/** Small made-up files of /etc, in the order of `Wall.data`: the real ones name the host's people. With its network come its names. */
export function syntheticFiles(network: boolean): readonly { readonly path: string; readonly text: string }[] {
  const hosts = network ? 'files dns' : 'files';
  return [
    {
      path: '/etc/passwd',
      text: `worker:x:1000:1000:worker:${SANDBOX_HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`,
    },
    { path: '/etc/group', text: 'worker:x:1000:\nnogroup:x:65534:\n' },
    ...(network ? [] : [{ path: '/etc/hosts', text: '127.0.0.1 localhost sandbox\n::1 localhost\n' }]),
    {
      path: '/etc/nsswitch.conf',
      text: `passwd: files\ngroup: files\nhosts: ${hosts}\nservices: files\nprotocols: files\n`,
    },
  ];
}

/** The temporary file systems inside; their use is what the disk limit counts beside the writable mounts. */
export function temporaryPaths(wall: Pick<Wall, 'env' | 'mounts' | 'temporary'>): string[] {
  const home = homeApart(wall);
  return ['/tmp', '/dev/shm', ...(home === null ? [] : [home]), ...wall.temporary];
}

export function wallArguments(wall: Wall): string[] {
  const { host, env, first, cwd, shell, seccomp, tmpBytes, shmBytes } = wall;
  const home = homeOf(env);
  const apart = homeApart(wall);
  return [
    // The first process inside is our own small shell: it counts what is left when the program has ended.
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session', '--as-pid-1'],
    ...(wall.network ? ['--share-net'] : []),
    ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ...host.system.flatMap(({ path, link }) => (link === null ? ['--ro-bind', path, path] : ['--symlink', link, path])),
    ...host.etc.flatMap((path) => ['--ro-bind', path, path]),
    ...syntheticFiles(wall.network).flatMap(({ path }, index) => ['--ro-bind', `${wall.data[index]}`, path]),
    ...(wall.network ? host.names.flatMap(({ path, from }) => ['--ro-bind', from, path]) : []),
    ...['--proc', '/proc', '--dev', '/dev'],
    // A device on a mount without devices: whoever opens it is refused, as for the first process of the host.
    ...FIRST_TABLES.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // /dev is a file system without a size of its own: only its shared memory stays writable, and that has one.
    ...[...tmpfs(shmBytes, '1777', '/dev/shm'), '--remount-ro', '/dev'],
    ...tmpfs(tmpBytes, '1777', '/tmp'),
    ...(apart === null ? [] : tmpfs(tmpBytes, '0700', apart)),
    ...(isInside('/tmp', home) ? ['--perms', '0700', '--dir', home] : []),
    ...outerFirst(wall.mounts).flatMap(({ from, to, writable }) => [writable ? '--bind' : '--ro-bind', from, to]),
    ...wall.temporary.flatMap((path) => tmpfs(tmpBytes, '0700', path)),
    // A copy for this sandbox alone, on a read-only mount and without another name: its owner, the program, cannot chmod it.
    ...['--perms', '0111', '--ro-bind-data', `${shell}`, FIRST_SHELL],
    // Without this the root is a writable, unbounded file system, and a write to a wrong path "succeeds" and is lost.
    ...['--remount-ro', '/', '--chdir', cwd, '--clearenv'],
    ...Object.entries(first).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(seccomp === null ? [] : ['--seccomp', `${seccomp}`]),
  ];
}

const tmpfs = (bytes: number, mode: string, path: string) => [
  ...['--size', `${bytes}`, '--perms', mode, '--tmpfs', path],
];

/** The home directory where it is not below /tmp and no mount brings it. */
function homeApart({ env, mounts }: Pick<Wall, 'env' | 'mounts'>): string | null {
  const home = homeOf(env);
  const brought = mounts.some(({ to }) => isInside(to, home) || isInside(home, to));
  return isInside('/tmp', home) || brought ? null : home;
}

const homeOf = (env: Readonly<Record<string, string>>): string => env['HOME'] ?? SANDBOX_HOME;

/** A mount inside another one comes after it, or would be hidden by it. */
function outerFirst(mounts: readonly WallMount[]): WallMount[] {
  const depth = ({ to }: WallMount) => to.split('/').length;
  return [...mounts].sort((a, b) => depth(a) - depth(b));
}
