/** Where the user has a branch checked out, including rebases in progress. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type GitContext, inUserRepository } from './context.ts';
import { must } from './must-git.ts';

export type Worktree = { readonly path: string /** Holds its HEAD and index. */; readonly gitDir: string };

/** The worktree's HEAD is the branch itself: no rebase or bisect is in progress. */
export const isPlainlyOn = ({ gitDir }: Worktree, branch: string): boolean =>
  text(join(gitDir, 'HEAD')) === `ref: refs/heads/${branch}`;

export async function worktreesOn(context: GitContext, branch: string): Promise<Worktree[]> {
  const bare = (await must(['rev-parse', '--is-bare-repository'], inUserRepository(context))) === 'true';
  return (await worktrees(context, bare)).filter(({ gitDir }) => isOn(gitDir, `refs/heads/${branch}`));
}

export async function worktreeAt(context: GitContext, path: string): Promise<Worktree | null> {
  const bare = (await must(['rev-parse', '--is-bare-repository'], inUserRepository(context))) === 'true';
  return (await worktrees(context, bare)).find((one) => resolve(one.path) === resolve(path)) ?? null;
}

/** Reads git's own files: no git runs in a working tree of the user. */
async function worktrees({ commonDir }: GitContext, bare: boolean): Promise<Worktree[]> {
  const linked = join(commonDir, 'worktrees');
  const others = existsSync(linked) ? readdirSync(linked).map((name) => join(linked, name)) : [];
  const main = bare ? [] : [{ path: mainTree(commonDir), gitDir: commonDir }];
  return [
    ...main,
    ...others.flatMap((gitDir) => {
      const dotGit = text(join(gitDir, 'gitdir'));
      return dotGit === null ? [] : [{ path: dirname(resolve(gitDir, dotGit)), gitDir }];
    }),
  ];
}

/** A submodule's repository names its tree in its config; others have it beside them. */
function mainTree(commonDir: string): string {
  const named = /^\s*worktree\s*=\s*(.+)$/m.exec(text(join(commonDir, 'config')) ?? '')?.[1];
  return named === undefined ? dirname(commonDir) : resolve(commonDir, named);
}

function isOn(gitDir: string, ref: string): boolean {
  const places = ['HEAD', 'rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'];
  const short = ref.slice('refs/heads/'.length);
  return places.some((place) => {
    const said = text(join(gitDir, place))?.replace(/^ref: */, '');
    return said === ref || (place === 'BISECT_START' && said === short);
  });
}

function text(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
