/** Keeps the head of the log as a ref in the user's own repository: an edited log no longer fits what git remembers. */
import type { Head } from '../../engine/ports/store.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { git, tryGit } from '../../os/git/git.ts';

const refOf = (project: ProjectId): string => `refs/supervisor/anchor/${project}`;

/** Writes the head as a small blob and points the ref at it. The repository's branches and files are not touched. */
export async function writeAnchorRef(commonDir: string, project: ProjectId, head: Head): Promise<void> {
  const call = { dir: commonDir, env: { GIT_DIR: commonDir } };
  const text = `${JSON.stringify({ project, seq: head.seq, hash: head.hash })}\n`;
  const blob = await git(['hash-object', '-w', '--stdin'], { ...call, input: text });
  await git(['update-ref', refOf(project), blob], call);
}

export async function readAnchorRef(
  commonDir: string,
  project: ProjectId,
): Promise<{ seq: number; hash: string } | null> {
  const { code, stdout } = await tryGit(['cat-file', 'blob', refOf(project)], {
    dir: commonDir,
    env: { GIT_DIR: commonDir },
  });
  if (code !== 0) return null;
  const parsed = /^\{"project":"[^"]+","seq":(\d+),"hash":"([0-9a-f]{64})"\}\n$/.exec(stdout);
  // An anchor nobody can read is an anchor somebody wrote over: no log fits it.
  if (parsed?.[1] === undefined || parsed[2] === undefined) return { seq: Number.MAX_SAFE_INTEGER, hash: 'unreadable' };
  return { seq: Number(parsed[1]), hash: parsed[2] };
}
