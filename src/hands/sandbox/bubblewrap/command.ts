/** The chain of programs that ends in a sandboxed one: launcher, user, wall, first process, program. */
import { lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SandboxError, type SandboxPolicy } from '../../../engine/ports/sandbox.ts';
import { isInside } from '../../../mind/sandbox/paths.ts';
import { SYNTHETIC_FILES, type WallMount, wallArguments } from '../../../mind/sandbox/profile.ts';
import { reaches } from './host.ts';
import { FIRST, LAUNCHER } from './scripts.ts';
import type { Site } from './site.ts';

/** Descriptors after the three usual ones: go, report, arguments, seccomp, made-up files. */
const ARGUMENTS = 5;
const SECCOMP = 6;
const DATA = 7;

/** Runtimes reserve much address space that they never fill; V8 dies at once where 512 MiB of data is the limit. */
const RESERVED_BYTES = 4 * 2 ** 30;

export type Command = {
  readonly argv: readonly [string, ...string[]];
  /** What is to be written, at once, on descriptors 5 and up. */
  readonly feeds: readonly (string | Uint8Array)[];
};

export function commandOf(
  site: Site,
  run: {
    readonly argv: readonly string[];
    readonly policy: SandboxPolicy;
    readonly mounts: readonly WallMount[];
    readonly uid: number | null;
    /** Control groups to join. */
    readonly doors: readonly string[];
    /** What the groups bound; for the rest the first process sets limits on itself. */
    readonly bounded: { readonly memory: boolean; readonly processes: boolean };
  },
): Command {
  const { limits, env, cwd } = run.policy;
  const binds: string[] = [];
  const mounts = run.mounts.map((mount, index) => {
    if (run.uid === null || reaches(mount.from, run.uid)) return mount;
    const slot = slotFor(site.runDir, mount.from, index);
    binds.push('bind', mount.from, slot);
    return { ...mount, from: slot };
  });
  const wall = wallArguments({
    host: site.host,
    mounts,
    cwd,
    env,
    tmpBytes: limits.diskBytes,
    shmBytes: Math.min(limits.diskBytes, limits.memoryBytes),
    fds: { seccomp: site.seccomp && SECCOMP, data: SYNTHETIC_FILES.map((_, index) => DATA + index) },
  });
  const first = [
    ...['/bin/sh', '-c', FIRST, 'sh'],
    run.bounded.processes ? '-' : `${limits.processes + 2}`,
    run.bounded.memory ? '-' : `${Math.ceil((limits.memoryBytes + RESERVED_BYTES) / 1024)}`,
    ...run.argv,
  ];
  const inner = [site.bwrap, '--args', `${ARGUMENTS}`, '--', ...first];
  return {
    argv: run.uid === null ? ([site.bwrap, ...inner.slice(1)] as const) : asUser(run.uid, run.doors, binds, inner),
    // Arguments go through a pipe: on the command line every user of the machine could read the environment.
    feeds: [wall.map((word) => `${word}\0`).join(''), site.seccomp ?? '', ...SYNTHETIC_FILES.map(({ text }) => text)],
  };
}

function asUser(
  uid: number,
  doors: readonly string[],
  binds: readonly string[],
  inner: readonly string[],
): [string, ...string[]] {
  return [
    ...(binds.length === 0 ? [] : ['unshare', '-m', '--propagation', 'private', '--']),
    ...['/bin/sh', '-c', LAUNCHER, 'sh', ...doors.flatMap((door) => ['join', door]), ...binds, '--'],
    ...['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--inh-caps=-all'],
    ...['--bounding-set=-all', '--no-new-privs', '--', ...inner],
  ] as [string, ...string[]];
}

/**
 * A place that every user reaches, onto which the launcher mounts what lies below a closed directory (a tool chain in
 * root's home). The mount exists in the launcher's own mount namespace only, so parallel runs share the place.
 */
function slotFor(runDir: string, from: string, index: number): string {
  const directory = statSync(from).isDirectory();
  const slot = join(runDir, 'slots', `${directory ? 'd' : 'f'}${index}`);
  mkdirSync(join(runDir, 'slots'), { recursive: true, mode: 0o711 });
  if (directory) mkdirSync(slot, { recursive: true, mode: 0o711 });
  else writeFileSync(slot, '', { mode: 0o600 });
  return slot;
}

/** The mounts as they really lie on the disk. */
export function resolveMounts(policy: SandboxPolicy): WallMount[] {
  const all = [
    ...policy.readable.map((mount) => ({ ...mount, writable: false })),
    ...policy.writable.map((mount) => ({ ...mount, writable: true })),
  ].map((mount) => ({ ...mount, from: realpathSync(mount.from) }));
  for (const inner of all)
    for (const outer of all) if (inner !== outer && isInside(outer.to, inner.to)) refuseLinks(outer, inner.to);
  return all;
}

/** A mount inside a tree must not go through a link of that tree: it would cover what the link points at. */
function refuseLinks(outer: WallMount, to: string): void {
  let path = outer.from;
  for (const name of relative(outer.to, to).split('/')) {
    path = join(path, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isSymbolicLink()) throw new SandboxError(`${path} is a link where ${to} is to be mounted`);
  }
}
