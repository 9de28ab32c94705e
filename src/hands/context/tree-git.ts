/** Calls git to read the user's repository: only its objects, never its index, working tree or programs. */
import { type GitCall, tryGit } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { ownerOf } from '../../os/git/owner.ts';

/** Reading takes as long as the objects are large; a git that hangs is still ended. */
const LONG_MS = 10 * 60_000;

export function inRepository(commonDir: string): GitCall {
  return {
    dir: commonDir,
    owner: ownerOf(commonDir),
    // Without it `git log` flushes after every commit: 3,000 pieces, each slower to receive than to parse.
    env: { GIT_DIR: commonDir, GIT_FLUSH: '0' },
    timeoutMs: LONG_MS,
    encoding: 'latin1',
    // The first two would run programs or read files that the repository's configuration names.
    settings: ['log.showSignature=false', 'diff.orderFile=/dev/null', 'core.quotePath=false'],
  };
}

/** Runs git and returns its output as a byte string; a failure becomes a sentence. */
export async function must(args: readonly string[], call: GitCall): Promise<string> {
  const { code, stdout, stderr } = await tryGit(args, call);
  if (code !== 0) throw new GitError(`git ${args[0]} failed: ${firstLine(stderr)}`);
  return stdout;
}

export const firstLine = (text: string): string => text.trim().split('\n')[0] || 'no message';

/** Ids become arguments, and lines that git reads. */
export function checkId(id: string): void {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) {
    throw new GitError(`${JSON.stringify(id)} is not the full id of a git object`);
  }
}
