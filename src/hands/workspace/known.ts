/** What was found out about the repository and can be asked again without git: an id never comes to mean something else. */
import type { ChangedPath } from '../../engine/ports/workspace.ts';
import type { GitCall } from '../../os/git/git.ts';
import { must } from './must-git.ts';
import { Recent } from './recent.ts';
import { TreeListings } from './tree-entries.ts';

export class Known {
  readonly trees = new TreeListings();
  /** Changes of candidates that were captured lately, whose ids are those of these changes. */
  readonly changes = new Recent<readonly ChangedPath[]>(8);
  /** Commits that a workspace can be made from. */
  readonly bases = new Recent<true>(100);
  /** As `read-tree` made them: they know nothing of any file on disk. */
  readonly indexes = new Recent<Uint8Array>(3);
  readonly #treeIds = new Recent<string>(100);
  /** Of all ids of the repository. */
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
