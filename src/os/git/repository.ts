/** What Supervisor has to know about a repository before it works on it. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { git, tryGit } from './git.ts';
import { GitError } from './git-error.ts';
import { locateCommonDir } from './locate.ts';
import { type Owner, ownerOf } from './owner.ts';

export type Repository = {
  /** The shared git directory: one identity for all worktrees of a repository. */
  readonly commonDir: string;
  readonly top: string;
  /** First commit of the history, or null (nothing committed yet, or a shallow clone that hides it). */
  readonly root: string | null;
  readonly head: string | null;
  readonly branch: string | null;
};

export async function readRepository(dir: string): Promise<Repository> {
  const found = locateCommonDir(dir);
  const owner = found === null ? null : ownerOf(found);
  const probe = await tryGit(['rev-parse', '--git-common-dir'], { dir, owner });
  if (probe.code !== 0) {
    if (probe.stderr.includes('dubious ownership'))
      throw new GitError(
        `the repository at ${dir} belongs to another user: clone it with \`git clone\`, and work in your own clone`,
      );
    throw new GitError(
      `git cannot read the repository at ${dir}: ${probe.stderr.trim().split('\n')[0] ?? 'no reason given'}`,
    );
  }
  const commonDir = realpathSync(resolve(dir, probe.stdout.trim()));
  const inTree = await tryGit(['rev-parse', '--show-toplevel'], { dir, owner });
  const top = inTree.code === 0 && inTree.stdout.trim() !== '' ? inTree.stdout.trim() : commonDir;
  const head = await optional(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { dir, owner });
  const branch = await optional(['symbolic-ref', '--quiet', '--short', 'HEAD'], { dir, owner });
  const shallow = (await optional(['rev-parse', '--is-shallow-repository'], { dir, owner })) === 'true';
  const root =
    head === null || shallow
      ? null
      : ((await git(['rev-list', '--max-parents=0', head], { dir, owner })).split('\n').sort()[0] ?? null);
  return { commonDir, top, root, head, branch };
}

/** Where `HEAD` and the other refs of this checkout are: a linked worktree has its own, beside the shared ones. */
export async function ownGitDir(dir: string): Promise<string> {
  const found = locateCommonDir(dir);
  return (
    await git(['rev-parse', '--absolute-git-dir'], { dir, owner: found === null ? null : ownerOf(found) })
  ).trim();
}

async function optional(
  args: readonly string[],
  call: { readonly dir: string; readonly owner: Owner | null },
): Promise<string | null> {
  const { code, stdout } = await tryGit(args, call);
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}
