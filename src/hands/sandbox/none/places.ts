/** Maps the paths that a program would see in a sandbox, if there is none. */
import { lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Mount, SandboxError, type SandboxPolicy } from '../../../engine/ports/sandbox.ts';
import { isInside } from '../../../mind/sandbox/paths.ts';

/** Replaces the path of a mount at the start of a text by its path outside; the innermost mount counts. */
export function mapped(mounts: readonly Mount[]): (text: string) => string {
  const inner = [...mounts].sort((a, b) => b.to.length - a.to.length);
  return (text) => {
    const mount = inner.find(({ to }) => isInside(to, text));
    return mount === undefined ? text : mount.from + text.slice(mount.to.length);
  };
}

/** Places links inside a writable tree for what should appear there, until disposed. */
export function showInside(policy: SandboxPolicy): Disposable {
  const made: Mount[] = [];
  const remove = () => {
    for (const { from, to } of made) if (pointsTo(to) === from) unlinkSync(to);
  };
  try {
    for (const { from, to } of policy.readable) {
      const outer = policy.writable.find((mount) => isInside(mount.to, to));
      if (outer === undefined) continue;
      const link = join(outer.from, relative(outer.to, to));
      mkdirSync(dirname(link), { recursive: true });
      if (pointsTo(link) !== from) {
        if (lstatSync(link, { throwIfNoEntry: false }) !== undefined)
          throw new SandboxError(`${link} is in the way of ${from}: without a sandbox nothing can be laid over it`);
        symlinkSync(from, link);
      }
      made.push({ from, to: link });
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { [Symbol.dispose]: remove };
}

function pointsTo(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
}
