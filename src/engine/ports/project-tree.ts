/**
 * One tree of the user's repository, read for context. Everything comes from git's objects, so nothing outside of the
 * repository can get in: a link is a name, never followed, and devices or pipes do not exist there.
 */
export type TreeFile = {
  /** As git has it, `/` between names. Names that are not UTF-8 are not listed. */
  readonly path: string;
  /** Id of the blob: the same content has the same one everywhere. */
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
  /** Id of the tree. */
  readonly id: string;
  /** The commit it builds on; history is read from here. */
  readonly commit: string;
  listing(): Promise<TreeListing>;
  /** Contents in the order asked; null: no such plain file, or larger than `maxBytes`. */
  read(paths: readonly string[], maxBytes: number): Promise<readonly (Uint8Array | null)[]>;
  /** Each wanted file once, in no order. The bytes are good only until `each` returns. */
  scan(wanted: readonly TreeFile[], each: (file: TreeFile, bytes: Uint8Array) => void): Promise<void>;
  /** The newest changes on the way to `commit`, at most so many; merges and very large ones left out. */
  history(limit: number): Promise<readonly PastChange[]>;
  /** What `tree` changed against another tree or commit, as a unified diff, cut at `maxBytes`. */
  diff(from: string, maxBytes: number): Promise<TreeDiff>;
}

export type PastChange = {
  readonly commit: string;
  readonly time: number;
  readonly paths: readonly string[];
  /** Hashes of the words of its subject. */
  readonly words: readonly number[];
};
export type TreeDiff = {
  readonly text: string;
  /** Paths that differ and are still there. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly cut: boolean;
};

export interface ProjectTrees {
  /** A commit, or a tree that builds on it. Throws when there is no such thing. */
  open(commit: string, tree?: string | null): Promise<ProjectTree>;
}
