/** How git is called to read the user's repository: its objects only, never its index, working tree or programs. */
import { type GitCall, tryGit } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { ownerOf } from '../../os/git/owner.ts';

/** Reading takes as long as the user's objects are large; a git that hangs is ended all the same. */
const LONG_MS = 10 * 60_000;

export function inRepository(commonDir: string): GitCall {
  return {
    dir: commonDir,
    owner: ownerOf(commonDir),
    // Without it `git log` writes after every commit: 3,000 pieces, each of which takes longer to get than to read.
    env: { GIT_DIR: commonDir, GIT_FLUSH: '0' },
    timeoutMs: LONG_MS,
    encoding: 'latin1',
    // The first two run programs or read files that the repository's own configuration names.
    settings: ['log.showSignature=false', 'diff.orderFile=/dev/null', 'core.quotePath=false'],
  };
}

/** Runs git and returns what it printed as a byte string; a failure becomes a sentence. */
export async function must(args: readonly string[], call: GitCall): Promise<string> {
  const { code, stdout, stderr } = await tryGit(args, call);
  if (code !== 0) throw new GitError(`git ${args[0]} failed: ${firstLine(stderr)}`);
  return stdout;
}

export const firstLine = (text: string): string => text.trim().split('\n')[0] || 'no message';

/** Ids go into argument lists and into lines that git reads. */
export function checkId(id: string): void {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) {
    throw new GitError(`${JSON.stringify(id)} is not the full id of a git object`);
  }
}
