/**
 * The arguments that make bubblewrap build the sandbox for one policy: a pure function of the policy and facts of the
 * host.
 */
import { FIRST_SHELL } from './first-process.ts';
import { isInside, SANDBOX_HOME } from './paths.ts';

/**
 * Files of the first process that reveal host directories through the mount table. Each program can still read its own
 * table: the kernel makes one for every process, and they cannot all be hidden.
 */
const FIRST_TABLES: readonly string[] = [
  ...['mountinfo', 'mounts', 'mountstats'].map((name) => `/proc/1/${name}`),
  ...['mountinfo', 'mounts'].map((name) => `/proc/1/task/1/${name}`),
];

export type HostFacts = {
  /** The entries at /usr, /bin, /lib …: a directory to mount, or a link to recreate. */
  readonly system: readonly { readonly path: string; readonly link: string | null }[];
  /** Full paths below /etc that exist here and are needed. */
  readonly etc: readonly string[];
  /** Needed to resolve host names: the real files behind /etc/resolv.conf and /etc/hosts. */
  readonly names: readonly { readonly path: string; readonly from: string }[];
};

export type SandboxMount = { readonly from: string; readonly to: string; readonly writable: boolean };

export type BubblewrapRun = {
  readonly host: HostFacts;
  readonly mounts: readonly SandboxMount[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The variables of the first process, which gives the program `env`. */
  readonly first: Readonly<Record<string, string>>;
  /** Directories inside mounts that get an empty file system on top. */
  readonly temporary: readonly string[];
  /** True for the host's network with its name resolution; else none. */
  readonly network: boolean;
  /** Size of each temporary file system. */
  readonly tmpBytes: number;
  readonly shmBytes: number;
  /** Where the generated files are, in order. */
  readonly data: readonly string[];
  /** The descriptor from which bubblewrap reads the shell of the first process. */
  readonly shell: number;
  /** The descriptor from which bubblewrap reads the filter; null if none is known for the machine. */
  readonly seccomp: number | null;
};

/**
 * Small generated files of /etc, in the order of `BubblewrapRun.data`: the real ones name the host's people. With its
 * network they include its names.
 */
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

/** The temporary file systems inside; the disk limit counts them beside the writable mounts. */
export function temporaryPaths(run: Pick<BubblewrapRun, 'env' | 'mounts' | 'temporary'>): string[] {
  const home = homeApart(run);
  return ['/tmp', '/dev/shm', ...(home === null ? [] : [home]), ...run.temporary];
}

export function bubblewrapArguments(run: BubblewrapRun): string[] {
  const { host, env, first, cwd, shell, seccomp, tmpBytes, shmBytes } = run;
  const home = homeOf(env);
  const apart = homeApart(run);
  return [
    // The first process inside is our own small shell: it counts what is left when the program has ended.
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session', '--as-pid-1'],
    ...(run.network ? ['--share-net'] : []),
    ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ...host.system.flatMap(({ path, link }) => (link === null ? ['--ro-bind', path, path] : ['--symlink', link, path])),
    ...host.etc.flatMap((path) => ['--ro-bind', path, path]),
    ...syntheticFiles(run.network).flatMap(({ path }, index) => ['--ro-bind', `${run.data[index]}`, path]),
    ...(run.network ? host.names.flatMap(({ path, from }) => ['--ro-bind', from, path]) : []),
    ...['--proc', '/proc', '--dev', '/dev'],
    // A device on a mount without devices: opening it is refused, as for the first process of the host.
    ...FIRST_TABLES.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // /dev is a file system without a size: only its shared memory stays writable, and that has one.
    ...[...tmpfs(shmBytes, '1777', '/dev/shm'), '--remount-ro', '/dev'],
    ...tmpfs(tmpBytes, '1777', '/tmp'),
    ...(apart === null ? [] : tmpfs(tmpBytes, '0700', apart)),
    ...(isInside('/tmp', home) ? ['--perms', '0700', '--dir', home] : []),
    ...outerFirst(run.mounts).flatMap(({ from, to, writable }) => [writable ? '--bind' : '--ro-bind', from, to]),
    ...run.temporary.flatMap((path) => tmpfs(tmpBytes, '0700', path)),
    // A copy for this sandbox alone, on a read-only mount and without another name: its owner, the program, cannot
    // chmod it.
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

/** The home directory, if it is not below /tmp and no mount provides it. */
function homeApart({ env, mounts }: Pick<BubblewrapRun, 'env' | 'mounts'>): string | null {
  const home = homeOf(env);
  const brought = mounts.some(({ to }) => isInside(to, home) || isInside(home, to));
  return isInside('/tmp', home) || brought ? null : home;
}

const homeOf = (env: Readonly<Record<string, string>>): string => env['HOME'] ?? SANDBOX_HOME;

/** A mount inside another one comes after it, or would be hidden by it. */
function outerFirst(mounts: readonly SandboxMount[]): SandboxMount[] {
  const depth = ({ to }: SandboxMount) => to.split('/').length;
  return [...mounts].sort((a, b) => depth(a) - depth(b));
}
