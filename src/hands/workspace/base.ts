/** Checks the commit that a workspace starts from, and refuses repositories that are not supported yet. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { WorkspaceError } from '../../engine/ports/workspace.ts';
import { shown } from '../../mind/candidates/names.ts';
import type { GitCall } from '../../os/git/git.ts';
import { tryGit } from '../../os/git/git.ts';
import { type GitContext, inUserRepository } from './context.ts';
import { blobs, nameOf } from './tree-entries.ts';

/** The full id of a commit of the user's repository. */
export async function resolveCommit(context: GitContext, revision: string): Promise<string> {
  const call = inUserRepository(context);
  const input = `${revision}^{commit}\n${revision}^{tree}\n`;
  const asked = revision.includes('\n') ? null : await tryGit(['cat-file', '--batch-check'], { ...call, input });
  const [, commit, tree] = /^(\w+) commit \d+\n(\w+) tree \d+\n$/.exec(asked?.stdout ?? '') ?? [];
  if (commit !== undefined && tree !== undefined) {
    // The workspace is made from this tree later.
    context.known.learnTree(commit, tree);
    return commit;
  }
  const any = await tryGit(['rev-list', '--max-count=1', '--all'], call);
  throw new WorkspaceError(
    'no_commit',
    any.code === 0 && any.stdout.trim() === ''
      ? 'the repository has no commit yet: make one first, for instance `git commit --allow-empty -m first`'
      : `there is no commit "${revision}" in the repository: check the name with \`git log\``,
  );
}

/** Refuses a repository that cannot take a candidate: better before a worker is paid than after. */
export function checkWritable({ commonDir, owner }: GitContext): void {
  for (const name of ['objects', 'refs', 'refs/heads', 'refs/supervisor']) {
    const dir = join(commonDir, name);
    if (!existsSync(dir)) continue;
    try {
      accessSync(dir, constants.W_OK | constants.X_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const fix =
        code === 'EROFS' || owner !== null
          ? 'work in a clone that can be'
          : `make it writable (chmod -R u+w ${shown(commonDir)}, or ask its owner), or work in a clone`;
      throw new WorkspaceError(
        'unsupported_repository',
        `the repository cannot be written (${code}: ${shown(dir)}), and the change goes there: ${fix}`,
      );
    }
  }
}

/** Refuses what a workspace could not reproduce faithfully. */
export async function checkBase(context: GitContext, base: string, call: GitCall): Promise<void> {
  if (hasPromisor(context)) await checkComplete(base, call);
  const entries = await context.known.trees.entries(base, call);
  for (const [path, { mode }] of entries) {
    if (mode !== '160000') continue;
    throw new WorkspaceError(
      'unsupported_repository',
      `${shown(path)} is a submodule, which is not supported: run Supervisor inside the submodule, or replace it by its files`,
    );
  }
  const attributes = [...entries].filter(([path, { mode }]) => nameOf(path) === '.gitattributes' && mode !== '120000');
  const texts = await blobs(
    attributes.map(([, { id }]) => id),
    call,
  );
  const lfs = texts.findIndex((text) => /^[^#\n]*\sfilter=lfs(\s|$)/m.test(text));
  if (lfs < 0) return;
  throw new WorkspaceError(
    'unsupported_repository',
    `${shown(attributes[lfs]?.[0] ?? '')} keeps files in Git LFS, which is not supported: \`git lfs migrate export\` brings them back`,
  );
}

/** A partial clone lacks objects that git would fetch on demand; nothing is fetched here. */
async function checkComplete(base: string, call: GitCall): Promise<void> {
  const { code, stdout } = await tryGit(['rev-list', '--objects', '--missing=print', '--no-walk', base], call);
  if (code === 0 && !/^\?/m.test(stdout)) return;
  throw new WorkspaceError(
    'unsupported_repository',
    'this is a partial clone and files of the commit were not fetched: run `git fetch --refetch --no-filter` first',
  );
}

const hasPromisor = ({ commonDir }: GitContext): boolean =>
  readdirSync(join(commonDir, 'objects', 'pack')).some((name) => name.endsWith('.promisor'));
