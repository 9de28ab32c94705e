/** Finds and removes what no live task needs: workspaces, pins, left-over packs and what a crash left half deleted. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tryGit } from '../../os/git/git.ts';
import { type Context, inUserRepository } from './context.ts';
import { keepFiles, listPins, type Pin, removeKeeps, unpin } from './pins.ts';

/**
 * `busy`: operations of this process are at work, so packs and scratch directories may be in use. `begun`: names of
 * workspaces whose making began after the caller looked what is live.
 */
export async function sweep(
  context: Context,
  live: ReadonlySet<string>,
  options: { readonly dryRun: boolean; readonly busy: boolean; readonly begun: ReadonlySet<string> },
): Promise<string[]> {
  const needed = (name: string) => live.has(name) || options.begun.has(name);
  const workspaces = names(context.workspaces)
    .filter((name) => !needed(name))
    .map((name) => join(context.workspaces, name));
  const scratch = join(context.privateDir, 'scratch');
  const scratches = options.busy ? [] : names(scratch).map((name) => join(scratch, name));
  // Whatever was interrupted is done again from its beginning, so its pack is not needed.
  const keeps = options.busy ? [] : keepFiles(context, null);
  const pins: (Pin & { readonly ref: string })[] = [];
  for (const one of await listPins(context)) {
    const keep = one.kind === 'published' ? !(await isOnABranch(context, one.id)) : needed(one.name);
    if (!keep) pins.push(one);
  }
  const left = context.trash.left();
  const found = [...workspaces, ...scratches, ...left, ...keeps, ...pins.map(({ ref }) => ref)];
  if (options.dryRun) return found;

  context.trash.empty();
  for (const path of [...workspaces, ...scratches]) {
    if (!needed(basename(path))) context.trash.dispose(path);
  }
  removeKeeps(keeps);
  await unpin(
    context,
    pins.filter(({ name }) => !needed(name)),
  );
  return found;
}

/** A published commit may lose its pin only when a ref of the user holds it. */
async function isOnABranch(context: Context, commit: string): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`];
  const { code, stdout } = await tryGit([...args, 'refs/heads', 'refs/tags'], inUserRepository(context));
  return code === 0 && stdout.trim() !== '';
}

function names(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
