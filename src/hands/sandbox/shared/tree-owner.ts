/** Finds the owner of a tree, and which trees must change their owner before a program can use them. */
import { statSync } from 'node:fs';
import { isInside } from '../../../mind/sandbox/paths.ts';
import type { SandboxMount } from '../../../mind/sandbox/profile.ts';
import { isOurs } from './users.ts';

/** A tree that already belongs to one of our users is used as that user, so no file changes its owner. */
export function ownerOf(mounts: readonly { readonly from: string; readonly writable: boolean }[]): number | null {
  const first = [...mounts].sort((a, b) => Number(b.writable) - Number(a.writable));
  return first.map(({ from }) => statSync(from).uid).find(isOurs) ?? null;
}

/**
 * A program must be able to read its read-only tree. If root owns the tree, as with a workspace for an answer, the
 * program's user becomes its owner. This covers the tree where the program starts, not tool chains or outputs of
 * environments.
 */
export function closedTree(mounts: readonly SandboxMount[], cwd: string, hidden: readonly string[]): string[] {
  const around = mounts.filter(({ to }) => isInside(to, cwd)).sort((a, b) => b.to.length - a.to.length);
  return around
    .slice(0, 1)
    .filter(({ from, writable }) => !writable && hidden.some((path) => path !== from && isInside(path, from)))
    .map(({ from }) => from)
    .filter((from) => statSync(from).uid === 0);
}
