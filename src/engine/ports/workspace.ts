/**
 * Trees of the user's repository, outside of it: made for an attempt, captured to a candidate, published as a branch.
 *
 * Guarantees:
 * - the user's working tree, index, HEAD and branches are never touched; Supervisor moves only refs under
 *   `refs/supervisor/` and the `ai/` branches it created, by compare-and-swap;
 * - no program that a repository or a workspace names (hook, filter, monitor, driver) is run;
 * - a candidate that was returned is pinned in the user's repository: it survives the user's `git gc --prune=now`;
 * - the same publication twice gives the same commit and the same ref.
 */
import type { Candidate } from '../../mind/domain/values.ts';

/** What a candidate changed against its base, as git sees it: no renames guessed. */
export type ChangedPath = { readonly path: string; readonly before: string | null; readonly after: string | null };

export type Captured =
  | {
      readonly type: 'candidate';
      readonly candidate: Candidate;
      readonly changed: readonly ChangedPath[] /** Left out by the base's or the candidate's ignore rules. */;
      readonly ignored: readonly string[];
    }
  | { readonly type: 'unchanged' }
  /** The tree holds something that must not become a candidate (a link that leaves it, a nested repository, a device). */
  | { readonly type: 'refused'; readonly problems: readonly { readonly path: string; readonly problem: string }[] };

export type Workspace = {
  /** The directory a sandbox mounts writable; holds no usable `.git`. */
  readonly tree: string;
  /** Reads the tree after everything in the sandbox is dead. */
  capture(): Promise<Captured>;
  /** Takes it away, whatever modes and links it holds; never follows one. */
  remove(): Promise<void>;
};

export type Publication = {
  readonly branch: string;
  readonly candidate: Candidate;
  readonly message: string /** Milliseconds; author and dates come from the log, so that the commit is the same every time. */;
  readonly time: number;
};

export interface Workspaces {
  /** From a commit, or from a candidate that builds on one. `uid` owns the files when Supervisor runs as root. */
  make(
    name: string,
    from: { readonly base: string; readonly tree: string | null },
    uid: number | null,
  ): Promise<Workspace>;
  /** Makes the deterministic commit and the branch; 'conflict' when the branch exists and points elsewhere. */
  publish(
    publication: Publication,
  ): Promise<
    { readonly type: 'published'; readonly commit: string } | { readonly type: 'conflict'; readonly found: string }
  >;
  /** The commit if this very publication was made already, else null. */
  published(publication: Publication): Promise<string | null>;
  /** Removes workspaces and pins that no live task needs; returns what was (or would be) removed. */
  sweep(live: ReadonlySet<string>, dryRun: boolean): Promise<readonly string[]>;
}
