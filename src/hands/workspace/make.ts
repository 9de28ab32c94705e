/** Makes the tree of a workspace: files of a commit or a candidate, without `.git`. */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WorkspaceError, type WorkspaceSource } from '../../engine/ports/workspace.ts';
import { checkBase, resolveCommit } from './base.ts';
import { checkId, checkName, type GitContext, inPrivateDir, isId } from './context.ts';
import { type Input, loadInput } from './input.ts';
import { must } from './must-git.ts';
import { type Pin, pin } from './pins.ts';
import { withScratch } from './private-dir.ts';

export type MadeWorkspace = {
  readonly name: string;
  /** The directory's own name: no other call, in any process, gets the same. */
  readonly place: string;
  readonly tree: string;
  readonly base: string;
  /** The checked-out input. */
  readonly input: Input;
  /** Shows whether another directory took its place. */
  readonly identity: string;
};

export async function makeTree(
  context: GitContext,
  { name, place }: Pick<MadeWorkspace, 'name' | 'place'>,
  from: WorkspaceSource,
): Promise<MadeWorkspace> {
  checkName(name);
  if (from.tree !== null) checkId(from.tree);
  const known = from.pinned === true;
  if (known) checkId(from.base);
  const isBase = known || context.known.bases.has(from.base);
  // The base is nearly always an id already; then checking it takes no extra time.
  const base = isBase || isId(from.base) ? from.base : await resolveCommit(context, from.base);
  const input = { base, tree: from.tree ?? base, asInBase: from.asInBase ?? [], planted: from.planted ?? [] };
  const tree = join(context.workspaces, place, 'tree');
  const isCandidate = known && from.tree !== null && input.asInBase.length + input.planted.length === 0;
  if (!(isCandidate && (await context.ahead.take(input.tree, place)))) {
    const pins = [
      { kind: 'base', name, id: base } as const,
      ...(from.tree === null ? [] : [{ kind: 'input', name, id: from.tree } as const]),
    ];
    await write(context, { name, tree, input, check: !isBase, pins: known ? [] : pins, signal: from.signal });
    if (!known) context.known.bases.set(base, true);
  }
  return { name, place, tree, base, input, identity: identityOf(tree) ?? '' };
}

/** Writes all of it, or nothing. */
async function write(
  context: GitContext,
  what: Pick<MadeWorkspace, 'name' | 'tree' | 'input'> & {
    readonly check: boolean;
    readonly pins: readonly Pin[];
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { name, tree, input, check, pins, signal } = what;
  try {
    await withScratch(context, name, async (scratch) => {
      const call = inPrivateDir(context, scratch);
      // Started first, because it takes longest.
      const written = loadInput(context, scratch, input).then(() => writeTree(context, scratch, tree, signal));
      // Objects are only borrowed; without a pin the user's gc could remove them at any time.
      const pinned = pins.length === 0 ? null : pin(context, pins);
      const checked = check ? checkBase(context, input.base, call) : null;
      const isCommit = check ? checkCommit(context, input.base) : null;
      // Errors of the checks say what to do, so they come first; the scratch directory waits for all of them.
      const done = await Promise.allSettled([isCommit, checked, written, pinned]);
      for (const one of done) if (one.status === 'rejected') throw one.reason;
    });
  } catch (error) {
    context.trash.dispose(dirname(tree));
    throw error;
  }
}

/** An id may belong to something else, such as a tag. */
async function checkCommit(context: GitContext, base: string): Promise<void> {
  const commit = await resolveCommit(context, base);
  if (commit !== base) throw new WorkspaceError('no_commit', `${base} is no commit: name ${commit} instead`);
}

function makePlace(context: GitContext, tree: string): void {
  for (const [path, mode] of [
    [context.workspaces, 0o711],
    [dirname(tree), 0o711],
    [tree, 0o700],
  ] as const) {
    mkdirSync(path, { recursive: true });
    chmodSync(path, mode);
  }
}

/** Writes the files of the scratch directory's index into an empty place. */
export async function writeTree(
  context: GitContext,
  scratch: string,
  tree: string,
  signal?: AbortSignal,
): Promise<void> {
  makePlace(context, tree);
  const call = { ...inPrivateDir(context, scratch, tree), ...(signal === undefined ? {} : { signal }) };
  await must(['checkout-index', '--all', '--force', '--quiet'], call);
}

export function makeBeside(tree: string, name: string): string {
  const dir = join(dirname(tree), name);
  mkdirSync(dir, { mode: 0o700 });
  return dir;
}

/** Device and inode of a real directory in a real directory; null if there is none. */
export function identityOf(tree: string): string | null {
  const [parent, stat] = [dirname(tree), tree].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  return parent?.isDirectory() && stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : null;
}
