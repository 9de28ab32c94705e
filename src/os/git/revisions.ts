/** Questions about commits of the user's repository, answered only from its objects and refs. */
import { type GitCall, git, tryGit } from './git.ts';
import { GitError } from './git-error.ts';
import { ownerOf } from './owner.ts';

const callIn = (commonDir: string): GitCall => ({
  dir: commonDir,
  owner: ownerOf(commonDir),
  env: { GIT_DIR: commonDir },
});

/** The full id of a commit; null if there is none of that name. */
export async function commitNamed(commonDir: string, revision: string): Promise<string | null> {
  if (revision.startsWith('-') || /[\n\0]/.test(revision)) return null;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const { code, stdout } = await tryGit(args, callIn(commonDir));
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

/** The tip of a local or remote branch; null if there is no such branch. */
export async function branchNamed(commonDir: string, name: string): Promise<string | null> {
  for (const place of ['refs/heads/', 'refs/remotes/']) {
    const found = await commitNamed(commonDir, `${place}${name}`);
    if (found !== null && name !== '') return found;
  }
  return null;
}

/** Parents that the repository names; a shallow clone may not contain them. */
export async function parentsOf(commonDir: string, commit: string): Promise<readonly string[]> {
  const text = await git(['cat-file', 'commit', commit], callIn(commonDir));
  const head = text.split('\n\n', 1)[0] ?? '';
  return [...head.matchAll(/^parent (\w+)$/gm)].map(([, id = '']) => id);
}

/** All paths of a commit, as byte strings. */
export async function pathsAt(commonDir: string, commit: string): Promise<readonly string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit];
  const listed = await git(args, { ...callIn(commonDir), encoding: 'latin1' });
  return listed.split('\0').filter((path) => path !== '');
}

/** Returns null if they share no history. */
export async function mergeBase(commonDir: string, one: string, other: string): Promise<string | null> {
  const { code, stdout } = await tryGit(['merge-base', one, other], callIn(commonDir));
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

/** Messages of the commits in the range, oldest first; without merges. */
export async function messagesIn(commonDir: string, base: string, tip: string): Promise<readonly string[]> {
  const args = ['log', '--no-merges', '--reverse', '--max-count=200', '--format=%B%x00', `${base}..${tip}`];
  return (await git(args, callIn(commonDir)))
    .split('\0')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

export async function messageOf(commonDir: string, commit: string): Promise<string> {
  return (await git(['log', '--max-count=1', '--format=%B', commit], callIn(commonDir))).trim();
}

/**
 * The patches, without context, of the last `most` commits that touch one of the paths; without merges. Empty if there
 * are none, or they are too large to search.
 */
export async function recentPatches(
  commonDir: string,
  commit: string,
  { paths, most }: { readonly paths: readonly string[]; readonly most: number },
): Promise<string> {
  const call = callIn(commonDir);
  const commits = await git(['rev-list', '--no-merges', `--max-count=${most}`, commit], call);
  if (commits === '' || paths.length === 0) return '';
  const args = [
    'diff-tree',
    '--stdin',
    '-r',
    '-p',
    '-U0',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
  ];
  const literal = paths.map((path) => `:(literal)${path}`);
  const input = `${commits}\n`;
  const settings = ['core.quotePath=false'];
  try {
    const prefixes = ['--src-prefix=a/', '--dst-prefix=b/'];
    return await git([...args, ...prefixes, '--', ...literal], { ...call, input, settings });
  } catch (error) {
    if (error instanceof GitError) return '';
    throw error;
  }
}
