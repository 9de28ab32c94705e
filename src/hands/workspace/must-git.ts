/** Runs git for this room and turns failures into sentences. */
import { WorkspaceError } from '../../engine/ports/workspace.ts';
import { type GitCall, tryGit } from '../../os/git/git.ts';

/** Runs git; a failure becomes a sentence, which names the file of a foreign lock. */
export async function must(args: readonly string[], call: GitCall): Promise<string> {
  const { code, stdout, stderr } = await tryGit(args, call);
  if (code !== 0) throw failure(`git ${args[0]}`, stderr);
  return stdout.replace(/\n$/, '');
}

export function failure(what: string, stderr: string): WorkspaceError {
  const lock = /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1];
  if (lock !== undefined) {
    return new WorkspaceError(
      'locked',
      `${lock} is held by another git process: wait for it; if none is running, remove that file yourself`,
    );
  }
  const said = stderr.trim().split('\n').slice(0, 3).join('; ');
  return new WorkspaceError('git_failed', `${what} failed: ${said === '' ? 'no message' : said}`);
}
