/** Makes the tree of a workspace: files of a commit or a candidate, owned by the one who works on them, without `.git`. */
import { chmodSync, lchownSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { WorkspaceError, type WorkspaceSource } from '../../engine/ports/workspace.ts';
import { bytePath, walkTree } from '../../os/files/walk-tree.ts';
import { checkBase, resolveCommit } from './base.ts';
import { type Context, checkId, checkName, inPrivateDir, must } from './context.ts';
import { type Input, loadInput } from './input.ts';
import { pin } from './pins.ts';
import { withScratch } from './private-dir.ts';

export type Made = {
  readonly name: string;
  /** The directory's own name: no other making, of whatever process, ever gets the same. */
  readonly place: string;
  readonly tree: string;
  readonly base: string;
  /** What was checked out. */
  readonly input: Input;
  /** To notice that somebody put another directory in its place. */
  readonly identity: string;
};

export async function makeTree(
  context: Context,
  { name, place }: { readonly name: string; readonly place: string },
  from: WorkspaceSource,
  uid: number | null,
): Promise<Made> {
  checkName(name);
  if (from.tree !== null) checkId(from.tree);
  const known = from.pinned === true;
  if (known) checkId(from.base);
  // A listing that is remembered was of a commit that is there; it was checked then.
  const base = known || context.trees.known(from.base) !== null ? from.base : await resolveCommit(context, from.base);
  const input = { base, tree: from.tree ?? base, asInBase: from.asInBase ?? [] };
  const tree = join(context.workspaces, place, 'tree');
  await withScratch(context, name, async (scratch) => {
    const call = inPrivateDir(context, scratch, tree);
    // Objects are only borrowed: without the pin, a gc of the user could take them while a worker is at it.
    const pins = [
      { kind: 'base', name, id: base } as const,
      ...(from.tree === null ? [] : [{ kind: 'input', name, id: from.tree } as const]),
    ];
    const loading = Promise.allSettled([
      known ? null : pin(context, pins),
      loadInput(input, inPrivateDir(context, scratch)),
    ]);
    // Its error is the one that says what to do, so it is asked first; the scratch directory waits for all of them.
    const check = known ? null : checkBase(context, base, inPrivateDir(context, scratch));
    const [checked] = await Promise.allSettled([check, loading]);
    for (const one of [checked, ...(await loading)]) if (one.status === 'rejected') throw one.reason;
    for (const [path, mode] of [
      [context.workspaces, 0o711],
      [dirname(tree), 0o711],
      [tree, 0o700],
    ] as const) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, mode);
    }
    await must(['checkout-index', '--all', '--force', '--quiet'], call);
  });
  if (uid !== null && process.geteuid?.() === 0) await giveTo(tree, uid);
  return { name, place, tree, base, input, identity: identityOf(tree) ?? '' };
}

/** Device and inode of a real directory in a real directory; null when there is none. */
export function identityOf(tree: string): string | null {
  const [parent, stat] = [dirname(tree), tree].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  return parent?.isDirectory() && stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : null;
}

async function giveTo(tree: string, uid: number): Promise<void> {
  const walked = await walkTree(tree, {
    enter: async (directories) => directories,
    maxEntries: Number.POSITIVE_INFINITY,
  });
  if (walked.type !== 'walked') throw new WorkspaceError('git_failed', `${tree} can not be read after it was made`);
  for (const [i, { path }] of walked.entries.entries()) {
    lchownSync(bytePath(tree, path), uid, uid);
    if (i % 500 === 499) await setImmediate();
  }
  lchownSync(tree, uid, uid);
}
