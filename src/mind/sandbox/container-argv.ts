/**
 * The arguments that make Docker or Podman build the sandbox for one policy: a pure function of the policy and the
 * engine.
 */
import type { EngineFacts } from './container-engine.ts';
import { FIRST_DIR } from './first-process.ts';
import { isInside, SANDBOX_HOME } from './paths.ts';
import { type SandboxMount, temporaryPaths } from './profile.ts';

/** Where a run's pipes and input are inside, until it has opened them. */
const START_DIR = '/run/supervisor/start';
const OWNER_LABEL = 'supervisor.owner';

/** Built from containers/Containerfile; each version has its own. */
export const defaultImage = (version: string): string => `supervisor-worker:${version}`;

/** Room for a copy of a shell; the largest usual ones have about 2 MB. */
const FIRST_BYTES = 4 << 20;

/**
 * These variables of the image could make the first program load code of the workspace. It drops other variables
 * itself.
 */
const LOADER = ['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT'] as const;

/** Our first process inside, and the one that ends everything when Supervisor is gone. */
export const OWN_PROCESSES = 2;

export type Contained = {
  readonly name: string;
  /** The owner of the container, for the sweep. */
  readonly owner: string;
  readonly image: string;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly mounts: readonly SandboxMount[];
  readonly temporary: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: {
    readonly memoryBytes: number;
    readonly processes: number;
    readonly cpus: number;
    readonly diskBytes: number;
  };
  readonly network: boolean;
  /** The directory of pipes on the host. */
  readonly start: string;
  /** Small generated system files. */
  readonly files: readonly { readonly from: string; readonly to: string }[];
  /** The limits of Supervisor itself: an engine without root's powers cannot exceed them. */
  readonly most: { readonly files: number; readonly processes: number };
  /** Scripts of the first process: one makes its shell, the other is what that shell runs. */
  readonly copy: string;
  readonly first: string;
};

/**
 * Contains no argument or variable of the program: every user of the machine could read them, and the engine would
 * store them. They come through a pipe.
 */
export function containerArgv(engine: EngineFacts, run: Contained): string[] {
  const { limits, user } = run;
  const podman = engine.kind === 'podman';
  return [
    ...['run', '--rm', '--name', run.name, '--label', `${OWNER_LABEL}=${run.owner}`],
    // Output goes through our pipes; an engine would store an unlimited copy on disk.
    ...['--pull', 'never', '--log-driver', 'none', '--sig-proxy=false', '--no-healthcheck', '--stop-timeout', '0'],
    ...['--network', run.network ? 'host' : 'none', '--ipc', 'private', '--hostname', 'sandbox'],
    ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    // Otherwise a system with SELinux shows no file of the host, unless its label is changed for good.
    ...['--security-opt', 'label=disable'],
    ...['--userns', podman && engine.rootless ? 'keep-id' : 'host', '--user', `${user.uid}:${user.gid}`],
    // The same number again means no swap.
    ...['--memory', `${limits.memoryBytes}`, '--memory-swap', `${limits.memoryBytes}`],
    ...['--pids-limit', `${limits.processes + OWN_PROCESSES}`, '--cpus', `${limits.cpus}`],
    ...['--ulimit', 'core=0:0', '--ulimit', `nofile=${run.most.files}:${run.most.files}`],
    ...(podman ? podmanOnly(run) : []),
    ...['--shm-size', `${Math.min(limits.diskBytes, limits.memoryBytes)}`],
    ...tmpfsPaths(run).flatMap((path) => ['--tmpfs', `${path}:${tmpfs(run, podman, limits.diskBytes)}`]),
    ...['--tmpfs', `${FIRST_DIR}:${tmpfs(run, podman, FIRST_BYTES)}`],
    ...mountsOf(run).flatMap(({ from, to, writable }) => [
      ...['--mount', `type=bind,source=${from},target=${to}${writable ? '' : ',readonly'}`],
    ]),
    ...LOADER.flatMap((name) => ['--env', `${name}=`]),
    ...['--workdir', '/', '--entrypoint', '/usr/bin/env', run.image],
    ...['-i', 'PATH=/usr/bin:/bin', '/bin/sh', '-c', run.copy, 'sh', run.first, run.name],
  ];
}

/**
 * Otherwise it mounts writable file systems without a size at /run and /var/tmp, makes volumes, passes on proxy
 * variables, and asks for more processes than its own limit.
 */
const podmanOnly = ({ most }: Contained): string[] => [
  ...['--read-only-tmpfs=false', '--image-volume', 'ignore', '--http-proxy=false', '--passwd=false'],
  ...['--ulimit', `nproc=${most.processes}:${most.processes}`],
];

/**
 * It belongs to the user: its mode is often that of the directory below, whatever we set. Podman copies earlier content
 * of that place into it, unless told not to.
 */
function tmpfs({ user }: Contained, podman: boolean, bytes: number): string {
  const own = podman ? 'U,notmpcopyup' : `uid=${user.uid},gid=${user.gid}`;
  return `rw,exec,nosuid,nodev,size=${bytes},mode=1777,${own}`;
}

/** The engine itself makes the shared memory. */
export const tmpfsPaths = (run: Pick<Contained, 'env' | 'mounts' | 'temporary'>): string[] =>
  temporaryPaths(run).filter((path) => path !== '/dev/shm');

/** Outer ones first. */
function mountsOf(run: Contained): SandboxMount[] {
  const depth = ({ to }: SandboxMount) => to.split('/').length;
  const own = [...run.files, { from: run.start, to: START_DIR }];
  return [...own.map((mount) => ({ ...mount, writable: false })), ...run.mounts].sort((a, b) => depth(a) - depth(b));
}

/** Removes a container with all its processes, running or not; a missing one is no error. */
export const removalArgv = ({ kind }: EngineFacts, names: readonly string[]): string[] =>
  kind === 'podman' ? ['rm', '--force', '--ignore', '--time', '0', ...names] : ['rm', '--force', ...names];

/** One line each: the name, a blank, the owner. */
export const listArgv = ({ kind }: EngineFacts): string[] => [
  ...['ps', '--all', '--filter', `label=${OWNER_LABEL}`, '--format'],
  kind === 'podman' ? `{{.Names}} {{index .Labels "${OWNER_LABEL}"}}` : `{{.Names}} {{.Label "${OWNER_LABEL}"}}`,
];

/** The files that name the user; programs look up their own name there. */
export function madeUpFiles({ uid, gid }: Contained['user'], home: string) {
  return [
    { to: '/etc/passwd', text: `worker:x:${uid}:${gid}:worker:${home}:/bin/sh\n` },
    { to: '/etc/group', text: `worker:x:${gid}:\n` },
  ] as const;
}

export const homeOf = (env: Readonly<Record<string, string>>): string => env['HOME'] ?? SANDBOX_HOME;

type ContainerMounts = {
  readonly readable: readonly { readonly from: string; readonly to: string }[];
  readonly writable: readonly { readonly from: string; readonly to: string }[];
  readonly temporary?: readonly string[];
  readonly egress?: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Problems for engines, beside those of any sandbox: their mount arguments are lists with commas. */
export function containerProblems(policy: ContainerMounts): string[] {
  const mounts = [...policy.readable, ...policy.writable];
  const paths = [
    ...mounts.flatMap(({ from, to }) => [from, to]),
    ...(policy.egress === undefined ? [] : [policy.egress]),
  ];
  return [
    ...paths.filter((path) => /[,"]/.test(path)).map((path) => `a container cannot show ${path}: no comma or quote`),
    ...[...(policy.temporary ?? []), homeOf(policy.env)]
      .filter((path) => /[,":]/.test(path))
      .map((path) => `a container cannot make ${path}: no comma, colon or quote`),
    ...mounts
      .filter(({ to }) => isInside(START_DIR, to) || isInside(to, START_DIR))
      .map(({ to }) => `${to} belongs to the sandbox itself`),
  ];
}
