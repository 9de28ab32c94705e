/**
 * Trees of the user's repository, outside of it: made for an attempt, captured as a candidate, published as a branch.
 * Guarantees:
 * - The user's working tree, index and HEAD are never touched. Supervisor only moves refs under `refs/supervisor/`,
 *   creates branches that do not exist yet, and moves a user's branch by `land`; all by compare-and-swap. It adds a
 *   worktree only by `checkOut`.
 * - No program that a repository or a workspace names (hook, filter, monitor, driver) is run.
 * - A returned candidate is pinned in the user's repository together with its base, so it survives the user's `git gc
 *   --prune=now`.
 * - Repeating a publication gives the same commit and the same ref, also after a crash between any two sub-steps.
 */
import { assertNever } from '../../kernel/assert-never.ts';
import type { Candidate } from '../../mind/domain/values.ts';

/** A changed path of a candidate, as git sees it; renames are not guessed. */
export type ChangedPath = {
  readonly path: string;
  /** Mode and blob id, as in `100644 3b18e51…`; null if the path does not exist. */
  readonly before: string | null;
  readonly after: string | null;
};

export type Captured =
  | {
      readonly type: 'candidate';
      readonly candidate: Candidate;
      readonly changed: readonly ChangedPath[];
      /**
       * Left out because the base's or the candidate's ignore rules match; a directory ends with a slash and stands for
       * everything below.
       */
      readonly ignored: readonly string[];
    }
  | { readonly type: 'unchanged'; readonly ignored: readonly string[] }
  /**
   * The tree holds something that must not become a candidate (a link that leads outside, a nested repository, a
   * device).
   */
  | { readonly type: 'refused'; readonly problems: readonly { readonly path: string; readonly problem: string }[] };

export type Workspace = {
  /** The directory that a sandbox mounts writable; it holds no `.git`. */
  readonly tree: string;
  /** The full id of the commit it builds on. */
  readonly base: string;
  /** Whether that directory still exists in its place. */
  isThere(): boolean;
  /** A new, empty directory beside the tree for a sandbox to write to; it is removed with the tree. */
  beside(name: string): string;
  /** Captures the tree, after every process in the sandbox is dead. */
  capture(): Promise<Captured>;
  /** Removes it, whatever modes and links it holds; never follows a link. Deletion continues in the background. */
  remove(): Promise<void>;
};

export type WorkspaceSource = {
  readonly base: string;
  readonly tree: string | null;
  /** Paths that get the base's content, whatever the tree says: existing tests, for a second run of a gate. */
  readonly asInBase?: readonly string[];
  /** Files that are added, replaced or (`null`) left out. Nothing in the tree distinguishes them from other files. */
  readonly planted?: readonly { readonly path: string; readonly text: string | null }[];
  /** True if base and tree are pinned already, as those of a captured candidate are. */
  readonly pinned?: boolean;
  /** Cancels `make`, which then throws and leaves nothing. */
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
  /** `since`: the commits of the line that changed these paths meanwhile, newest first. */
  | { readonly type: 'conflict'; readonly paths: readonly string[]; readonly since: readonly string[] };

export type Publication = {
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly candidate: Candidate;
  readonly message: string;
  /** Milliseconds. Author and dates come from the log, so that the commit is the same every time. */
  readonly time: number;
  /** `Name <mail>`; default: Supervisor, which is the committer in any case. */
  readonly author?: string | undefined;
  /** The commit of an earlier candidate of the same task; the branch may move away from it. */
  readonly replaces?: string;
  /** The second parent. */
  readonly merges?: string;
};

export type Published =
  | { readonly type: 'published'; readonly commit: string }
  /** The branch exists and does not hold this commit. */
  | { readonly type: 'conflict'; readonly found: string };

export type CheckOut = {
  readonly dir: string;
  readonly base: string;
  /** The files to start with; null for those of the base. */
  readonly tree: string | null;
  /** Marks the checkout as complete, because it is written last. */
  readonly note: string;
};

/** A commit that may become the tip of a branch. */
export type LandedChange = {
  /** The change that was accepted. */
  readonly own: Candidate;
  /** The tree that the gates ran on: the same, or the change on top of the branch. Null: they have to run again first. */
  readonly gated: Candidate | null;
};

/** The commit of a change, as it becomes part of a branch. */
export type LandedCommit = { readonly commit: string; readonly change: LandedChange };

export type Landed =
  | { readonly type: 'landed'; readonly commit: string }
  /** The branch has moved: the commit does not build on its current tip. */
  | { readonly type: 'moved'; readonly at: string }
  /** Nothing moved: the branch is checked out here and the checkout is clean, so `fastForward` can move both. */
  | { readonly type: 'checked_out'; readonly path: string }
  /** Nothing moved; the message says what the user can do. */
  | { readonly type: 'refused'; readonly message: string };

export interface Workspaces {
  /**
   * Makes a workspace from a commit, or from a candidate that builds on one. Each call gets its own directory, even for
   * the same name in two processes.
   */
  make(name: string, from: WorkspaceSource): Promise<Workspace>;
  /** Throws if nothing can be made from this commit (no such commit, submodules, LFS …); makes nothing. */
  check(base: string): Promise<void>;
  /** The difference between two commits, as a candidate. Nothing is pinned, because refs of the user hold both. */
  between(base: string, commit: string): Promise<Candidate>;
  /**
   * What a checkout holds and the commit does not: untracked files included, ignored ones not. Only reads the user's
   * index and files. The candidate stays pinned under `name` until `release`. Null if git cannot tell.
   */
  captureCheckout(name: string, checkout: string, base: string): Promise<Captured | null>;
  /** Files of a checkout that differ from a commit or tree, whatever is staged; null if git does not tell. */
  differing(dir: string, tree: string): Promise<readonly string[] | null>;
  /**
   * Makes a checkout for a person to work in: a linked worktree of the user's repository, made only when that person
   * asks. It has the files of the tree (null for the base), HEAD detached at the base, and a note in its git directory,
   * whose path is returned. Calling it again completes an interrupted checkout. Throws if something else is in its
   * place.
   */
  checkOut(what: CheckOut): Promise<string>;
  /** Removes the pins of this name, which belongs to the caller alone. */
  release(name: string): Promise<void>;
  /** Releases all names with this prefix, if no other living process works here: then their owners are dead. */
  releaseAbandoned(prefix: string): Promise<void>;
  /** What a candidate changed, read from git; works long after the capture. */
  changes(candidate: Candidate): Promise<readonly ChangedPath[]>;
  /** The difference between two commits or trees. */
  changesBetween(from: string, to: string): Promise<readonly ChangedPath[]>;
  /** The newest commits, up to and including this one, that changed one of the paths; without merges. */
  history(
    commit: string,
    paths: readonly string[],
    most: number,
  ): Promise<readonly { commit: string; parent: string }[]>;
  /** All files of a commit or tree, by path. */
  paths(tree: string): Promise<readonly string[]>;
  /** Texts of files of a commit or tree; null if it is no regular file of at most 1 MiB, or not UTF-8. */
  read(tree: string, paths: readonly string[]): Promise<readonly (string | null)[]>;
  /**
   * Puts the candidate's change on top of another commit by merging trees, without a working tree. Succeeds only
   * without conflicts. The new candidate is pinned under `name`. `above`: a tree that other changes made of that commit
   * already; the change goes on top of those.
   */
  integrate(name: string, candidate: Candidate, onto: string, above?: string): Promise<Integrated>;
  /** Makes the deterministic commit and the branch. */
  publish(publication: Publication): Promise<Published>;
  /** The commit if this publication was made already, else null. */
  published(publication: Publication): Promise<string | null>;
  /** Files of a checkout that differ from the commit; null if git does not tell. */
  uncommitted(checkout: string, commit: string): Promise<readonly string[] | null>;
  /** The tip of a branch; null if there is no such branch. */
  tip(branch: string): Promise<string | null>;
  /** Whether a branch has this commit in its history. */
  holds(branch: string, commit: string): Promise<boolean>;
  /**
   * Moves a user's branch forward by one commit, unless it is checked out somewhere. The commit must build on the
   * branch's tip and hold exactly the accepted change, or the branch does not move. `below`: commits that come with it,
   * oldest first, each held to the same.
   */
  land(branch: string, commit: string, change: LandedChange, below?: readonly LandedCommit[]): Promise<Landed>;
  /** The same for a clean checkout and its branch, as `git merge --ff-only` does; returns a sentence if it refuses. */
  fastForward(
    checkout: { readonly path: string; readonly branch: string },
    commit: string,
    change: LandedChange,
    below?: readonly LandedCommit[],
  ): Promise<string | null>;
  /** Whether another living process works on this project's trees, with or without the lease. */
  othersAtWork(): Promise<boolean>;
  /** Removes what a killed process left behind. Only the lease holder may call it. */
  clearUp(): Promise<void>;
  /**
   * Removes workspaces and pins whose names are not needed, and half-made leftovers of a crash; returns what was (or
   * would be) removed. Without a dry run only the lease holder may call it.
   */
  sweep(needed: (name: string) => boolean | Promise<boolean>, dryRun: boolean): Promise<readonly string[]>;
  /** Resolves when this process does nothing there any more. A separate process may go on deleting removed trees. */
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

  /** Whether the same call may succeed later, with the same request. */
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
