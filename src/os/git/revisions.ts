/** Questions about commits of the user's repository, answered from its objects and refs alone. */
import { type GitCall, git, tryGit } from './git.ts';
import { ownerOf } from './owner.ts';

const callIn = (commonDir: string): GitCall => ({
  dir: commonDir,
  owner: ownerOf(commonDir),
  env: { GIT_DIR: commonDir },
});

/** The full id of a commit; null: there is none of that name. */
export async function commitNamed(commonDir: string, revision: string): Promise<string | null> {
  if (revision.startsWith('-') || /[\n\0]/.test(revision)) return null;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const { code, stdout } = await tryGit(args, callIn(commonDir));
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

/** Where the branch is, local or of a remote; null: there is no such branch. */
export async function branchNamed(commonDir: string, name: string): Promise<string | null> {
  for (const place of ['refs/heads/', 'refs/remotes/']) {
    const found = await commitNamed(commonDir, `${place}${name}`);
    if (found !== null && name !== '') return found;
  }
  return null;
}

/** Parents that the repository names; a shallow clone may not hold them. */
export async function parentsOf(commonDir: string, commit: string): Promise<readonly string[]> {
  const text = await git(['cat-file', 'commit', commit], callIn(commonDir));
  const head = text.split('\n\n', 1)[0] ?? '';
  return [...head.matchAll(/^parent (\w+)$/gm)].map(([, id = '']) => id);
}

/** Null: they share no history. */
export async function mergeBase(commonDir: string, one: string, other: string): Promise<string | null> {
  const { code, stdout } = await tryGit(['merge-base', one, other], callIn(commonDir));
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

/** Messages of the commits that the range adds, oldest first; merges are left out. */
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

/** Of the last `most` commits up to this one, those that touch one of the paths, newest first; merges are left out. */
export async function commitsTouching(
  commonDir: string,
  commit: string,
  { paths, most }: { readonly paths: readonly string[]; readonly most: number },
): Promise<readonly string[]> {
  const call = callIn(commonDir);
  const ids = async (args: readonly string[]) =>
    (await git(['rev-list', '--no-merges', ...args], call)).split('\n').filter((id) => id !== '');
  const oldest = (await ids([`--max-count=${most}`, commit])).at(-1);
  if (oldest === undefined || paths.length === 0) return [];
  const literal = paths.map((path) => `:(literal)${path}`);
  return ids([`--max-count=${most}`, commit, `^${oldest}`, '--', ...literal]);
}
