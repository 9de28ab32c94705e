/** A cache of facts about the repository. Its keys are git ids, so it never goes stale. */
import type { ChangedPath } from '../../engine/ports/workspace.ts';
import type { GitCall } from '../../os/git/git.ts';
import { LruCache } from './lru-cache.ts';
import { must } from './must-git.ts';
import { TreeListings } from './tree-entries.ts';

export class Known {
  readonly trees = new TreeListings();
  /** Changes of recently captured candidates, by their ids. */
  readonly changes = new LruCache<readonly ChangedPath[]>(8);
  /** Commits that a workspace can be made from. */
  readonly bases = new LruCache<true>(100);
  /** As `read-tree` made them: without data of any file on disk. */
  readonly indexes = new LruCache<Uint8Array>(3);
  readonly #treeIds = new LruCache<string>(100);
  /** The hash format of all ids in the repository. */
  format: string | null = null;

  learnTree(commit: string, tree: string): void {
    this.#treeIds.set(commit, tree);
  }

  /** The tree of a commit. */
  async treeOf(id: string, call: GitCall): Promise<string> {
    const known = this.#treeIds.get(id);
    if (known !== undefined) return known;
    const tree = await must(['rev-parse', '--verify', '--end-of-options', `${id}^{tree}`], call);
    this.#treeIds.set(id, tree);
    return tree;
  }
}
