/**
 * Trees of the user's repository, outside of it: made for an attempt, captured to a candidate, published as a branch.
 *
 * Guarantees:
 * - the user's working tree, index and HEAD are never touched; Supervisor moves only refs under `refs/supervisor/`, creates
 *   branches that do not exist yet, and moves a branch of the user only by `land`; all by compare-and-swap;
 * - no program that a repository or a workspace names (hook, filter, monitor, driver) is run;
 * - a candidate that was returned is pinned in the user's repository, with its base: it survives the user's
 *   `git gc --prune=now`;
 * - the same publication twice gives the same commit and the same ref, also after a crash between any two sub-steps.
 */
import { assertNever } from '../../kernel/assert-never.ts';
import type { Candidate } from '../../mind/domain/values.ts';

/** What a candidate changed against its base, as git sees it: no renames guessed. */
export type ChangedPath = {
  readonly path: string;
  /** Mode and blob id, as in `100644 3b18e51…`; null: the path is not there. */
  readonly before: string | null;
  readonly after: string | null;
};

export type Captured =
  | {
      readonly type: 'candidate';
      readonly candidate: Candidate;
      readonly changed: readonly ChangedPath[];
      /** Left out by the base's or the candidate's ignore rules; a directory ends with a slash and stands for all below. */
      readonly ignored: readonly string[];
    }
  | { readonly type: 'unchanged'; readonly ignored: readonly string[] }
  /** The tree holds something that must not become a candidate (a link that leaves it, a nested repository, a device). */
  | { readonly type: 'refused'; readonly problems: readonly { readonly path: string; readonly problem: string }[] };

export type Workspace = {
  /** The directory a sandbox mounts writable; holds no `.git`. */
  readonly tree: string;
  /** The commit it builds on, as a full id. */
  readonly base: string;
  /** Whether that very directory is still in its place. */
  isThere(): boolean;
  /** A new, empty directory beside the tree, for a sandbox to write to; it goes away with the tree. */
  beside(name: string): string;
  /** Reads the tree after everything in the sandbox is dead. */
  capture(): Promise<Captured>;
  /** Takes it away, whatever modes and links it holds; never follows one. Deleting goes on in the background. */
  remove(): Promise<void>;
};

export type WorkspaceSource = {
  readonly base: string;
  readonly tree: string | null;
  /** These paths are as the base has them, whatever the tree says: existing tests, for a second run of a gate. */
  readonly asInBase?: readonly string[];
  /** Files that are added, replaced or (`null`) left out. Nothing in the tree tells them from the others: they are written with them. */
  readonly planted?: readonly { readonly path: string; readonly text: string | null }[];
  /** The caller knows that base and tree are pinned already: a candidate that was captured. */
  readonly pinned?: boolean;
  /** Stops the making: `make` then throws, and nothing stays. */
  readonly signal?: AbortSignal;
};

export type Integrated =
  | {
      readonly type: 'integrated';
      readonly candidate: Candidate;
      /** The tree of the line without the change. */
      readonly tipTree: string;
      /** The newest commits of the line since the candidate's base, newest first. */
      readonly since: readonly string[];
    }
  /** The line holds the change already. */
  | { readonly type: 'nothing_left' }
  | { readonly type: 'conflict'; readonly paths: readonly string[] };

export type Publication = {
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly candidate: Candidate;
  readonly message: string;
  /** Milliseconds; author and dates come from the log, so that the commit is the same every time. */
  readonly time: number;
  /** `Name <mail>`; absent: Supervisor, who is the committer in any case. */
  readonly author?: string | undefined;
  /** The commit of an earlier candidate of the same task: the branch may move from it. */
  readonly replaces?: string;
  /** A second parent. */
  readonly merges?: string;
};

export type Published =
  | { readonly type: 'published'; readonly commit: string }
  /** The branch exists and does not hold this commit. */
  | { readonly type: 'conflict'; readonly found: string };

/** What may become the tip of a branch. */
export type LandedChange = {
  /** The change that was accepted. */
  readonly own: Candidate;
  /** The tree that the gates ran on: the same, or the change on top of the branch. */
  readonly gated: Candidate;
};

export type Landed =
  | { readonly type: 'landed'; readonly commit: string }
  /** The branch went on meanwhile: the commit does not build on where it is now. */
  | { readonly type: 'moved'; readonly at: string }
  /** Nothing was moved: the branch is checked out here, and clean, so that `fastForward` can move both. */
  | { readonly type: 'checked_out'; readonly path: string }
  /** Nothing was moved; the message says what the user can do. */
  | { readonly type: 'refused'; readonly message: string };

export interface Workspaces {
  /**
   * From a commit, or from a candidate that builds on one. Every making has a directory of its own, also two of one name in
   * two processes.
   */
  make(name: string, from: WorkspaceSource): Promise<Workspace>;
  /** Throws when nothing can be made from this commit (no such commit, submodules, LFS …); makes nothing. */
  check(base: string): Promise<void>;
  /** What lies between two commits, as a candidate. Nothing is pinned: refs of the user hold both. */
  between(base: string, commit: string): Promise<Candidate>;
  /**
   * What a checkout holds and the commit does not, untracked files included, ignored ones not. The user's index and files
   * are read only. The candidate is pinned under `name` until `release`. Null: git cannot tell.
   */
  captureCheckout(name: string, checkout: string, base: string): Promise<Captured | null>;
  /** Removes the pins of this name; it belongs to the caller alone. */
  release(name: string): Promise<void>;
  /** The same for all names that begin so, when no other living process works here: then their owners are dead. */
  releaseAbandoned(prefix: string): Promise<void>;
  /** What a candidate changed, read from git: also long after it was captured. */
  changes(candidate: Candidate): Promise<readonly ChangedPath[]>;
  /** What differs between two commits or trees. */
  changesBetween(from: string, to: string): Promise<readonly ChangedPath[]>;
  /** The newest commits before this one, itself included, that changed one of the paths; merges are left out. */
  history(
    commit: string,
    paths: readonly string[],
    most: number,
  ): Promise<readonly { commit: string; parent: string }[]>;
  /** All files of a commit or tree, by path. */
  paths(tree: string): Promise<readonly string[]>;
  /** Texts of files of a commit or tree; null where there is no regular file of at most 1 MiB, or it is not UTF-8. */
  read(tree: string, paths: readonly string[]): Promise<readonly (string | null)[]>;
  /**
   * The candidate's change on top of another commit: the same trees merged, no working tree involved. Free of conflicts or
   * not at all. The new candidate is pinned under `name`.
   */
  integrate(name: string, candidate: Candidate, onto: string): Promise<Integrated>;
  /** Makes the deterministic commit and the branch. */
  publish(publication: Publication): Promise<Published>;
  /** The commit if this very publication was made already, else null. */
  published(publication: Publication): Promise<string | null>;
  /** Files of a checkout that the commit does not have as they are; null: git does not tell. */
  uncommitted(checkout: string, commit: string): Promise<readonly string[] | null>;
  /** The commit that a branch is at; null: there is no such branch. */
  tip(branch: string): Promise<string | null>;
  /** Whether a branch has this commit in its history. */
  holds(branch: string, commit: string): Promise<boolean>;
  /**
   * Moves a branch of the user forward by one commit, unless it is checked out somewhere. The commit builds on the tip of the
   * branch and holds the accepted change and nothing else, or the branch does not move.
   */
  land(branch: string, commit: string, change: LandedChange): Promise<Landed>;
  /** The same for a clean checkout and its branch, as `git merge --ff-only` does; a sentence when it is refused. */
  fastForward(
    checkout: { readonly path: string; readonly branch: string },
    commit: string,
    change: LandedChange,
  ): Promise<string | null>;
  /** Whether another living process works on this project's trees, with the lease or without. */
  othersAtWork(): Promise<boolean>;
  /** Takes away what an earlier process was at when it was killed; only the holder of the project's lease may call it. */
  clearUp(): Promise<void>;
  /**
   * Removes workspaces and pins whose names are not needed, and what a crash left half-made; returns what was (or would
   * be) removed. Only the holder of the project's lease may call it without a dry run.
   */
  sweep(needed: (name: string) => boolean | Promise<boolean>, dryRun: boolean): Promise<readonly string[]>;
  /** Resolves when nothing of this process works there any more. A process of its own may go on deleting removed trees. */
  close(): Promise<void>;
}

export type WorkspaceProblem =
  | 'bad_name'
  | 'no_commit'
  | 'unsupported_repository'
  | 'locked'
  | 'not_the_candidate'
  | 'git_failed';

/** The machine or the repository did not allow it; the message says what to do. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly code: WorkspaceProblem;

  constructor(code: WorkspaceProblem, message: string) {
    super(message);
    this.code = code;
  }

  /** Whether the same call may succeed later without anybody changing the request. */
  get retryable(): boolean {
    switch (this.code) {
      case 'locked':
      case 'git_failed':
        return true;
      case 'bad_name':
      case 'no_commit':
      case 'unsupported_repository':
      case 'not_the_candidate':
        return false;
      default:
        return assertNever(this.code);
    }
  }
}
