/** Shared by all parts of this room: the places of one project, its limits, and how to call git there. */
import { join } from 'node:path';
import { WorkspaceError } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { GitCall } from '../../os/git/git.ts';
import type { Owner } from '../../os/git/owner.ts';
import type { Background } from './background.ts';
import type { Blobs } from './blobs.ts';
import type { Ahead } from './prewarmed-trees.ts';
import type { Known } from './repository-cache.ts';
import type { Trash } from './trash.ts';

/** Far above an honest change, far below what hurts (catalogue case WT-19: 20,000 files, 200 MB). */
export const DEFAULT_LIMITS = {
  /** Paths that a candidate may change. */
  changedFiles: 10_000,
  /** Bytes of files that are new or changed in size. */
  changedBytes: 100 << 20,
  /** Entries visited, without those in ignored directories. */
  entries: 1_000_000,
} as const;
export type WorkspaceLimits = { readonly [K in keyof typeof DEFAULT_LIMITS]: number };

export type GitContext = {
  /** The user's shared git directory. */
  readonly commonDir: string;
  /** The user to run git as there; null for our own. */
  readonly owner: Owner | null;
  /** Part of our pins' names: two state directories may supervise the same repository. */
  readonly place: string;
  readonly privateDir: string;
  /** The operator's home, for the operator's own git settings; null if unknown. */
  readonly home: string | null;
  readonly workspaces: string;
  readonly trash: Trash;
  readonly background: Background;
  readonly ahead: Ahead;
  readonly known: Known;
  readonly blobs: Blobs;
  /** Names and directories of workspaces whose creation began after the last look at the live ones. */
  readonly begun: Set<string>;
  readonly limits: WorkspaceLimits;
  /** Called after each sub-step that a crash may follow. */
  readonly failpoint: (name: string) => void;
  readonly lockWaitMs: number;
};

export function placesOf(stateDir: string, project: ProjectId) {
  return {
    place: `${project}/${sha256(stateDir).slice(0, 12)}`,
    privateDir: join(stateDir, 'git', project),
    workspaces: join(stateDir, 'workspaces', project),
    trashDir: join(stateDir, 'trash', project),
  };
}

/** The time for reading and writing the user's objects, which may be large. */
const LONG_MS = 30 * 60_000;
const NAME = 'Supervisor';
const EMAIL = 'supervisor@localhost';
/** Author and committer of all commits. */
export const WHO = `${NAME} <${EMAIL}>`;

/** Git in the user's repository: only its objects and refs, never its index or working tree. */
export function inUserRepository({ commonDir, owner, lockWaitMs }: GitContext): GitCall {
  return {
    dir: commonDir,
    owner,
    // The name appears in the reflog of a branch.
    env: { GIT_DIR: commonDir, GIT_COMMITTER_NAME: NAME, GIT_COMMITTER_EMAIL: EMAIL },
    timeoutMs: LONG_MS,
    settings: [`core.filesRefLockTimeout=${lockWaitMs}`, `core.packedRefsTimeout=${lockWaitMs}`],
  };
}

/**
 * Git in the private directory, with objects and index in `scratch` (null: only reading), over a tree if there is one.
 */
export function inPrivateDir({ privateDir }: GitContext, scratch: string | null, tree?: string): GitCall {
  return {
    dir: tree ?? privateDir,
    env: {
      GIT_DIR: privateDir,
      ...(scratch === null
        ? {}
        : { GIT_OBJECT_DIRECTORY: join(scratch, 'objects'), GIT_INDEX_FILE: join(scratch, 'index') }),
      GIT_AUTHOR_NAME: NAME,
      GIT_AUTHOR_EMAIL: EMAIL,
      GIT_COMMITTER_NAME: NAME,
      GIT_COMMITTER_EMAIL: EMAIL,
      ...(tree === undefined ? {} : { GIT_WORK_TREE: tree }),
    },
    timeoutMs: LONG_MS,
    encoding: 'latin1',
    // Thrown away after use; the transfer syncs what counts.
    settings: ['core.fsync=none'],
  };
}

/** Names are parts of paths and refs. */
export function checkName(name: string): void {
  if (/^[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*$/.test(name) && name.length <= 128 && !name.endsWith('.lock')) return;
  throw new WorkspaceError('bad_name', `"${name}" is no name for a workspace: use a-z, 0-9, "-", "_" and single dots`);
}

/** Ids come from the log and become arguments. */
export function checkId(id: string): void {
  if (!isId(id)) throw new WorkspaceError('no_commit', `"${id}" is not the full id of a git object`);
}

export const isId = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
