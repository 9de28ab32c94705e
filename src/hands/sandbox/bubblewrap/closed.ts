/**
 * Mounts what lies below a directory that is closed to the sandbox's user, such as a CLI in root's home. It is mounted
 * at a place that every user reaches, in a mount namespace of that start alone, so that parallel runs can share the
 * place.
 */
import { lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SandboxError } from '../../../engine/ports/sandbox.ts';
import { sha256 } from '../../../kernel/hash.ts';
import type { SandboxMount } from '../../../mind/sandbox/profile.ts';

/** A source and its mount point. */
export type Bind = { readonly from: string; readonly slot: string };

/** A user that owns nothing: what is closed to it is closed to every sandbox user. */
const NOBODY = 4_294_967_294;
const SHARED = '/run/supervisor-sandboxes';

/**
 * A directory that sandbox users can pass through: the run directory, or one shared by all Supervisors of root if that
 * lies below a closed directory, such as /root. Texts and mount points in it are named by their content, so they can be
 * shared.
 */
export function openDirFor(runDir: string): string {
  const closed = belowClosed(join(runDir, 'any'), NOBODY);
  if (closed === null) return runDir;
  const problem = madeShared();
  if (problem === null) return SHARED;
  const parent = dirname(closed);
  throw new SandboxError(
    `users of sandboxes cannot pass ${parent} to Supervisor's state below it, and ${SHARED} cannot stand for it (${problem}): \`chmod o+x ${parent}\`, or set SUPERVISOR_HOME to a directory elsewhere`,
  );
}

/** Returns null if it exists and belongs to root. */
function madeShared(): string | null {
  try {
    mkdirSync(SHARED, { recursive: true, mode: 0o711 });
    const { uid, mode } = lstatSync(SHARED);
    return uid === 0 && (mode & 0o170022) === 0o040000 ? null : 'it belongs to another user';
  } catch (error) {
    return (error as Error).message;
  }
}

/** The mounts by names that the user reaches, and what has to be mounted for that. */
export function opened(
  openDir: string,
  mounts: readonly SandboxMount[],
  uid: number | null,
): { readonly mounts: readonly SandboxMount[]; readonly binds: readonly Bind[] } {
  const binds = new Map<string, Bind>();
  const named = mounts.map((mount) => {
    const from = uid === null ? null : belowClosed(mount.from, uid);
    if (from === null) return mount;
    const bind = binds.get(from) ?? bindOf(openDir, from);
    binds.set(from, bind);
    return { ...mount, from: `${bind.slot}${mount.from.slice(from.length)}` };
  });
  return { mounts: named, binds: [...binds.values()] };
}

/**
 * The highest part of a path from which a user who owns nothing above can reach its end; null if that user can walk the
 * whole path. The highest, so that it is the same for many paths.
 */
function belowClosed(path: string, uid: number): string | null {
  for (let part = path; part !== '/'; part = dirname(part)) {
    const stat = statSync(dirname(part));
    if ((stat.mode & (stat.uid === uid ? 0o100 : stat.gid === uid ? 0o010 : 0o001)) === 0) return part;
  }
  return null;
}

function bindOf(openDir: string, from: string): Bind {
  const isDirectory = statSync(from).isDirectory();
  const slots = join(openDir, 'slots');
  const slot = join(slots, `${isDirectory ? 'd' : 'f'}-${sha256(from).slice(0, 16)}`);
  mkdirSync(slots, { recursive: true, mode: 0o711 });
  if (isDirectory) mkdirSync(slot, { recursive: true, mode: 0o711 });
  else writeFileSync(slot, '', { mode: 0o600 });
  return { from, slot };
}
