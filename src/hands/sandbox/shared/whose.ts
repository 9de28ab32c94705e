/** Whose a tree is, and whose it has to be for a program to use it. */
import { statSync } from 'node:fs';
import { isInside } from '../../../mind/sandbox/paths.ts';
import type { WallMount } from '../../../mind/sandbox/profile.ts';
import { isOurs } from './users.ts';

/** A tree that already belongs to one of our users is run as that user: nothing needs to change hands. */
export function ownerOf(mounts: readonly { readonly from: string; readonly writable: boolean }[]): number | null {
  const first = [...mounts].sort((a, b) => Number(b.writable) - Number(a.writable));
  return first.map(({ from }) => statSync(from).uid).find(isOurs) ?? null;
}

/**
 * A program that may only read its tree must be able to read it: one of ours that belongs to root, such as a workspace for
 * an answer, is given to the user like one to write in. Tool chains and outputs of environments are not where it starts.
 */
export function closedTree(mounts: readonly WallMount[], cwd: string, hidden: readonly string[]): string[] {
  const around = mounts.filter(({ to }) => isInside(to, cwd)).sort((a, b) => b.to.length - a.to.length);
  return around
    .slice(0, 1)
    .filter(({ from, writable }) => !writable && hidden.some((path) => path !== from && isInside(path, from)))
    .map(({ from }) => from)
    .filter((from) => statSync(from).uid === 0);
}
