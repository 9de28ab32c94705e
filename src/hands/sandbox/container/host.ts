/** What a container needs to know of this machine. */
import { chownSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isInside } from '../../../mind/sandbox/paths.ts';
import type { SandboxMount } from '../../../mind/sandbox/profile.ts';

/** Podman lowers its own limit of processes to this, and cannot give more then. */
const PROCESSES = 32_768;
const FILES = 65_536;

/** The limits of this process: an engine that cannot raise limits cannot give more. */
export function mostOf(): { readonly files: number; readonly processes: number } {
  const text = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name: string) => Number(new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Infinity);
  return { files: Math.min(FILES, hard('open files')), processes: Math.min(PROCESSES, hard('processes')) };
}

/** Makes mount points inside writable trees: an engine would make them too, but as root, who then owns them. */
export function makePlaces(mounts: readonly SandboxMount[], uid: number | null): void {
  for (const outer of mounts.filter(({ writable }) => writable))
    for (const inner of mounts)
      if (inner !== outer && isInside(outer.to, inner.to) && lstatSync(inner.from).isDirectory())
        makePlace(outer.from, relative(outer.to, inner.to), uid);
}

/** There is no link on the way; that was checked. */
function makePlace(root: string, below: string, uid: number | null): void {
  let path = root;
  for (const name of below.split('/')) {
    path = join(path, name);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    mkdirSync(path);
    if (uid !== null) chownSync(path, uid, uid);
  }
}
