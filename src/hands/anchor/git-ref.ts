/**
 * Keeps the head of the log as a ref in the user's own repository: an edited log no longer matches what git remembers.
 */
import { join } from 'node:path';
import type { Head } from '../../engine/ports/store.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { type GitCall, git, tryGit } from '../../os/git/git.ts';
import { ownerOf } from '../../os/git/owner.ts';

/** One ref per log: two state directories may supervise the same repository. */
export type AnchorPlace = { readonly commonDir: string; readonly project: ProjectId; readonly stateDir: string };

const refOf = ({ project, stateDir }: AnchorPlace): string =>
  `refs/supervisor/anchor/${project}/${sha256(stateDir).slice(0, 12)}`;

/** Runs as the owner of the repository: the owner could not add to what root wrote there. */
const callOf = ({ commonDir }: AnchorPlace): GitCall => ({
  dir: commonDir,
  env: { GIT_DIR: commonDir },
  owner: ownerOf(join(commonDir, 'objects')),
});

/** Writes the head as a small blob and points the ref at it. The repository's branches and files are not touched. */
export async function writeAnchorRef(place: AnchorPlace, head: Head): Promise<void> {
  const call = callOf(place);
  const text = `${JSON.stringify({ project: place.project, seq: head.seq, hash: head.hash })}\n`;
  const blob = await git(['hash-object', '-w', '--stdin'], { ...call, input: text });
  await git(['update-ref', refOf(place), blob], call);
}

/** Removes the ref, when the operator asks for it. */
export async function dropAnchorRef(place: AnchorPlace): Promise<void> {
  await git(['update-ref', '-d', refOf(place)], callOf(place));
}

export async function readAnchorRef(place: AnchorPlace): Promise<{ seq: number; hash: string } | null> {
  const call = callOf(place);
  const { code, stdout } = await tryGit(['cat-file', 'blob', refOf(place)], call);
  if (code !== 0) return null;
  const parsed = /^\{"project":"[^"]+","seq":(\d+),"hash":"([0-9a-f]{64})"\}\n$/.exec(stdout);
  // An unreadable anchor was overwritten: no log matches it.
  if (parsed?.[1] === undefined || parsed[2] === undefined) return { seq: Number.MAX_SAFE_INTEGER, hash: 'unreadable' };
  return { seq: Number(parsed[1]), hash: parsed[2] };
}
