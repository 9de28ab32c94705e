/**
 * One tree of the user's repository, read for context. Everything comes from git's objects, so nothing outside the
 * repository can get in: a link is only a name, never followed, and devices or pipes do not exist there.
 */
export type TreeFile = {
  /** The path as git has it, with `/` between names. Names that are not UTF-8 are not listed. */
  readonly path: string;
  /** The blob's id: equal content has the same id everywhere. */
  readonly id: string;
  readonly bytes: number;
  /** A symbolic link: its target is never read. */
  readonly link: boolean;
};

/** The files of a tree in git's order, without submodules. */
export type TreeListing = {
  readonly files: readonly TreeFile[];
  readonly byPath: ReadonlyMap<string, TreeFile>;
};

export interface ProjectTree {
  /** The tree's id. */
  readonly id: string;
  /** The commit it builds on; history is read from here. */
  readonly commit: string;
  listing(): Promise<TreeListing>;
  /** Contents in the order of `paths`; null if it is no regular file, or larger than `maxBytes`. */
  read(paths: readonly string[], maxBytes: number): Promise<readonly (Uint8Array | null)[]>;
  /** Calls back once for each wanted file, in any order. The bytes are valid only until `each` returns. */
  scan(wanted: readonly TreeFile[], each: (file: TreeFile, bytes: Uint8Array) => void): Promise<void>;
  /** The newest changes in the history of `commit`, at most `limit`; without merges and very large changes. */
  history(limit: number): Promise<readonly PastCommit[]>;
  /** What `tree` changed against another tree or commit, as a unified diff, cut at `maxBytes`. */
  diff(from: string, maxBytes: number): Promise<TreeDiff>;
}

export type PastCommit = {
  readonly commit: string;
  readonly time: number;
  readonly paths: readonly string[];
  /** Hashes of the words of the subject. */
  readonly words: readonly number[];
};
export type TreeDiff = {
  readonly text: string;
  /** Paths that differ and still exist. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly cut: boolean;
};

export interface ProjectTrees {
  /** Opens a commit, or a tree that builds on it. Throws if it does not exist. */
  open(commit: string, tree?: string | null): Promise<ProjectTree>;
}
