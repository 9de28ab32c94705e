/**
 * Builds the chain of programs that ends in a sandboxed one: launcher and user if needed, sandbox, first process,
 * program.
 */
import type { SandboxPolicy } from '../../../engine/ports/sandbox.ts';
import { FIRST_SHELL, firstVariables } from '../../../mind/sandbox/first-process.ts';
import { bubblewrapArguments, type SandboxMount, syntheticFiles } from '../../../mind/sandbox/profile.ts';
import { type Bind, opened } from './closed.ts';
import type { Site } from './machine-facts.ts';
import { FIRST, LAUNCHER } from './scripts.ts';

/** Descriptors after the three usual ones: 3 connects to the first process. */
const ARGUMENTS = 4;
const SHELL = 5;
const SECCOMP = 6;

/** The first process runs a copy of it. */
const SYSTEM_SHELL = '/bin/sh';

/** Runtimes reserve much address space that they never fill; V8 dies at once with a data limit of 512 MiB. */
const RESERVED_BYTES = 4 * 2 ** 30;

/**
 * A fork that the kernel refuses leaves no trace. Without a control group that counts processes, the kernel's limit is
 * therefore far above ours, so that Watch sees ours broken first: starting 512 threads took less than one interval once
 * in 15 times.
 */
const unseenProcesses = (limit: number): number => Math.max(limit, 2048);

/** Bubblewrap takes 9000 arguments, of which each word uses three; a variable may be no longer than 128 KiB. */
const MAX_TOLD = 500;
const MAX_TOLD_BYTES = 100_000;

export type SandboxCommand = {
  readonly argv: readonly [string, ...string[]];
  /** The user id that starts it; null for the current user. */
  readonly user: number | null;
  /** What bubblewrap reads on descriptor 4. */
  readonly words: string;
  /** Files to open as descriptors 5 and up. */
  readonly files: readonly string[];
};

export function commandOf(
  site: Site,
  run: {
    readonly argv: readonly string[];
    readonly policy: SandboxPolicy;
    readonly mounts: readonly SandboxMount[];
    readonly uid: number | null;
    /** Limits that control groups enforce; the first process sets the others on itself. */
    readonly bounded: { readonly memory: boolean; readonly processes: boolean };
  },
): SandboxCommand {
  const { limits, env, cwd, temporary = [] } = run.policy;
  const network = run.policy.network === 'host';
  const data = syntheticFiles(network).map(({ text }) => site.kept(text));
  const { mounts, binds } = opened(site.openDir, run.mounts, run.uid);
  const told = run.argv.length <= MAX_TOLD && run.argv.every((word) => Buffer.byteLength(word) <= MAX_TOLD_BYTES);
  const first = firstVariables({
    argv: told ? run.argv : [],
    env,
    limits: {
      processes: run.bounded.processes ? null : limits.processes + unseenProcesses(limits.processes),
      dataKib: run.bounded.memory ? null : Math.ceil((limits.memoryBytes + RESERVED_BYTES) / 1024),
    },
  });
  const options = bubblewrapArguments({
    host: site.host,
    mounts,
    cwd,
    env,
    first,
    temporary,
    network,
    data,
    shell: SHELL,
    tmpBytes: limits.diskBytes,
    shmBytes: Math.min(limits.diskBytes, limits.memoryBytes),
    seccomp: site.seccomp && SECCOMP,
  });
  const inner: [string, ...string[]] = [
    ...([site.bwrap, '--args', `${ARGUMENTS}`, '--', FIRST_SHELL, '-c', FIRST, 'sh'] as const),
    ...(told ? [] : run.argv),
  ];
  // Arguments go through a pipe: on the command line every user of the machine could read the environment.
  const words = options.map((word) => `${word}\0`).join('');
  const direct = run.uid === null || binds.length === 0;
  return {
    argv: direct ? inner : launched(binds, asUser(run.uid, inner)),
    user: direct ? run.uid : null,
    words,
    files: [SYSTEM_SHELL, ...(site.seccomp === null ? [] : [site.kept(site.seccomp)])],
  };
}

/** Only root may mount outside a sandbox, so the user changes after that. */
function launched(binds: readonly Bind[], inner: readonly string[]): [string, ...string[]] {
  return [
    // Mounts made here stay here; later mounts of the machine appear here too.
    ...(['unshare', '-m', '--propagation', 'slave', '--'] as const),
    ...['/bin/sh', '-c', LAUNCHER, 'sh', ...binds.flatMap(({ from, slot }) => ['bind', from, slot]), '--', ...inner],
  ];
}

const asUser = (uid: number, inner: readonly string[]): string[] => [
  ...['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--inh-caps=-all'],
  ...['--bounding-set=-all', '--no-new-privs', '--', ...inner],
];
