/** Resolves what a policy mounts to real paths. */
import { lstatSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SandboxError, type SandboxPolicy } from '../../../engine/ports/sandbox.ts';
import { isInside } from '../../../mind/sandbox/paths.ts';
import type { SandboxMount } from '../../../mind/sandbox/profile.ts';
import { EGRESS_SOCKET } from '../../../mind/workers/bridge.ts';

export function resolveMounts(policy: SandboxPolicy): SandboxMount[] {
  const all = [
    ...policy.readable.map((mount) => ({ ...mount, writable: false })),
    ...policy.writable.map((mount) => ({ ...mount, writable: true })),
  ].map((mount) => ({ ...mount, from: realpathSync(mount.from) }));
  for (const inner of all)
    for (const outer of all) if (inner !== outer && isInside(outer.to, inner.to)) refuseLinks(outer, inner.to);
  for (const path of policy.temporary ?? []) checkTemporary(all, path);
  return all;
}

/** The socket of a proxy, or nothing. A link there would expose its target. */
export function egressMount({ egress }: SandboxPolicy): SandboxMount[] {
  if (egress === undefined) return [];
  if (!lstatSync(egress, { throwIfNoEntry: false })?.isSocket())
    throw new SandboxError(`${egress} is no socket: the proxy is closed`);
  return [{ from: egress, to: EGRESS_SOCKET, writable: false }];
}

/** A mount inside a tree must not go through a link of that tree: it would cover the link's target. */
function refuseLinks(outer: SandboxMount, to: string): void {
  let path = outer.from;
  for (const name of relative(outer.to, to).split('/')) {
    path = join(path, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isSymbolicLink()) throw new SandboxError(`${path} is a link where ${to} is to be mounted`);
  }
}

/** The directory must exist: in a read-only mount the sandbox cannot make it, and in a tree it would stay behind. */
function checkTemporary(mounts: readonly SandboxMount[], to: string): void {
  const [mount] = mounts.filter((each) => isInside(each.to, to)).sort((a, b) => b.to.length - a.to.length);
  if (mount === undefined) throw new SandboxError(`${to} is not inside a mount`);
  refuseLinks(mount, to);
  const path = join(mount.from, relative(mount.to, to));
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new SandboxError(`${path} is no directory: make it before ${to} can be a temporary place`);
}
