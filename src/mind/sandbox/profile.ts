/** The arguments that make bubblewrap build the wall for one policy: a pure function of the policy and facts of the host. */
import { isInside, SANDBOX_HOME } from './paths.ts';

export type HostFacts = {
  /** What stands at /usr, /bin, /lib …: a directory to show, or a link to repeat. */
  readonly system: readonly { readonly path: string; readonly link: string | null }[];
  /** Full paths below /etc that exist here and are wanted. */
  readonly etc: readonly string[];
};

export type WallMount = { readonly from: string; readonly to: string; readonly writable: boolean };

export type Wall = {
  readonly host: HostFacts;
  readonly mounts: readonly WallMount[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Size of each temporary file system. */
  readonly tmpBytes: number;
  readonly shmBytes: number;
  /** Descriptors that bubblewrap reads from; seccomp null where no filter is known for the machine. */
  readonly fds: { readonly seccomp: number | null; readonly data: readonly number[] };
};

/** Small made-up files of /etc, in the order of `fds.data`: the real ones name the host's people. */
export const SYNTHETIC_FILES: readonly { readonly path: string; readonly text: string }[] = [
  {
    path: '/etc/passwd',
    text: `worker:x:1000:1000:worker:${SANDBOX_HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`,
  },
  { path: '/etc/group', text: 'worker:x:1000:\nnogroup:x:65534:\n' },
  { path: '/etc/hosts', text: '127.0.0.1 localhost sandbox\n::1 localhost\n' },
  {
    path: '/etc/nsswitch.conf',
    text: 'passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n',
  },
];

/** The temporary file systems inside; their use is what the disk limit counts beside the writable mounts. */
export function temporaryPaths(wall: Pick<Wall, 'env' | 'mounts'>): string[] {
  const home = homeOf(wall.env);
  const apart = !isInside('/tmp', home) && !wall.mounts.some(({ to }) => isInside(to, home) || isInside(home, to));
  return apart ? ['/tmp', '/dev/shm', home] : ['/tmp', '/dev/shm'];
}

export function wallArguments(wall: Wall): string[] {
  const { host, env, cwd, fds, tmpBytes, shmBytes } = wall;
  const home = homeOf(env);
  const [, , homeApart] = temporaryPaths(wall);
  return [
    // The first process inside is our own small shell: it counts what is left when the program has ended.
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session', '--as-pid-1'],
    ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ...host.system.flatMap(({ path, link }) => (link === null ? ['--ro-bind', path, path] : ['--symlink', link, path])),
    ...host.etc.flatMap((path) => ['--ro-bind', path, path]),
    ...SYNTHETIC_FILES.flatMap(({ path }, index) => ['--perms', '0444', '--ro-bind-data', `${fds.data[index]}`, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    // /dev is a file system without a size of its own: only its shared memory stays writable, and that has one.
    ...['--size', `${shmBytes}`, '--perms', '1777', '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--size', `${tmpBytes}`, '--perms', '1777', '--tmpfs', '/tmp'],
    ...(homeApart === undefined ? [] : ['--size', `${tmpBytes}`, '--perms', '0700', '--tmpfs', homeApart]),
    ...(isInside('/tmp', home) ? ['--perms', '0700', '--dir', home] : []),
    ...outerFirst(wall.mounts).flatMap(({ from, to, writable }) => [writable ? '--bind' : '--ro-bind', from, to]),
    // Without this the root is a writable, unbounded file system, and a write to a wrong path "succeeds" and is lost.
    ...['--remount-ro', '/', '--chdir', cwd, '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(fds.seccomp === null ? [] : ['--seccomp', `${fds.seccomp}`]),
  ];
}

const homeOf = (env: Readonly<Record<string, string>>): string => env['HOME'] ?? SANDBOX_HOME;

/** A mount inside another one comes after it, or would be hidden by it. */
function outerFirst(mounts: readonly WallMount[]): WallMount[] {
  const depth = ({ to }: WallMount) => to.split('/').length;
  return [...mounts].sort((a, b) => depth(a) - depth(b));
}
