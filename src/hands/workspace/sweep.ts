/** Finds and removes what no live task needs: workspaces, pins, left-over packs and half-deleted files. */

import { basename, join } from 'node:path';
import { namesIn } from '../../os/files/names-in.ts';
import { tryGit } from '../../os/git/git.ts';
import { type GitContext, inUserRepository } from './context.ts';
import { leftovers, settle } from './notes.ts';
import { keepFiles, listPins, type Pin, removeKeeps, unpin } from './pins.ts';
import { othersAtWork } from './presence.ts';

/**
 * `needed` gets the name of a workspace without its unique suffix. `busy`: operations of this process are running, so
 * packs and scratch directories may be in use. `begun`: names of workspaces whose making began after the caller looked
 * what is live.
 */
export async function sweep(
  context: GitContext,
  asked: (name: string) => boolean | Promise<boolean>,
  options: { readonly dryRun: boolean; readonly busy: boolean; readonly begun: ReadonlySet<string> },
): Promise<string[]> {
  // Files that this process is deleting anyway are no finding.
  await context.trash.idle();
  const pinned = await listPins(context);
  const unneeded = new Set<string>();
  for (const name of new Set([...namesIn(context.workspaces), ...pinned.map((pin) => pin.name)]))
    if (!(await asked(name.replace(/\.[0-9a-f]{12}$/, '')))) unneeded.add(name);
  const needed = (name: string) => !unneeded.has(name) || options.begun.has(name);
  const { workspaces, scratches, keeps } = halfMade(context, needed, options.busy);
  const pins: (Pin & { readonly ref: string })[] = [];
  for (const one of pinned) {
    const keep = one.kind === 'published' ? !(await isOnABranch(context, one.id)) : needed(one.name);
    if (!keep) pins.push(one);
  }
  const left = context.trash.left();
  const found = [...workspaces, ...scratches, ...left, ...keeps, ...leftovers(context), ...pins.map(({ ref }) => ref)];
  if (options.dryRun) return found;

  clear(context, needed, { workspaces, scratches, keeps });
  await unpin(
    context,
    pins.filter(({ name }) => !needed(name)),
  );
  return found;
}

/** Removes what an earlier process left; pins stay, so no work is lost. Costs a few look-ups. */
export function clearUp(
  context: GitContext,
  options: { readonly busy: boolean; readonly begun: ReadonlySet<string> },
): void {
  const needed = (name: string) => options.begun.has(name);
  clear(context, needed, halfMade(context, needed, options.busy));
}

type HalfMade = {
  readonly workspaces: readonly string[];
  readonly scratches: readonly string[];
  readonly keeps: readonly string[];
};

/** Interrupted work starts again from its beginning, so its tree, index and pack are not needed. */
function halfMade(context: GitContext, needed: (name: string) => boolean, busy: boolean): HalfMade {
  const scratch = join(context.privateDir, 'scratch');
  const found = {
    workspaces: namesIn(context.workspaces)
      .filter((name) => !needed(name))
      .map((name) => join(context.workspaces, name)),
    scratches: busy ? [] : namesIn(scratch).map((name) => join(scratch, name)),
    keeps: busy ? [] : keepFiles(context, null),
  };
  // Checked after the look: a process that made any of it was there before.
  return othersAtWork(context) ? { workspaces: [], scratches: [], keeps: [] } : found;
}

function clear(context: GitContext, needed: (name: string) => boolean, found: HalfMade): void {
  settle(context);
  context.trash.empty();
  for (const path of found.workspaces) if (!needed(basename(path))) context.trash.dispose(path);
  for (const path of found.scratches) context.trash.dispose(path);
  removeKeeps(found.keeps);
}

/** A published commit may lose its pin only if a ref of the user holds it. */
async function isOnABranch(context: GitContext, commit: string): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`];
  const { code, stdout } = await tryGit([...args, 'refs/heads', 'refs/tags'], inUserRepository(context));
  return code === 0 && stdout.trim() !== '';
}
