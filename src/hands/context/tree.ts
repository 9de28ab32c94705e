/** Reads trees of the user's repository for context; everything comes from git's objects. */
import { setImmediate } from 'node:timers/promises';
import type {
  PastCommit,
  ProjectTree,
  ProjectTrees,
  TreeDiff,
  TreeFile,
  TreeListing,
} from '../../engine/ports/project-tree.ts';
import type { GitCall } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { ContentCache } from './content-cache.ts';
import { eachBlob } from './tree-blobs.ts';
import { Checkout } from './tree-checkout.ts';
import { diffTrees } from './tree-diff.ts';
import { checkId, inRepository, must } from './tree-git.ts';
import { bytesOf as bytesOfPast, pastChanges } from './tree-history.ts';
import { bytesOf, listingOf, listTree } from './tree-listing.ts';

type TreesOptions = {
  /** The user's shared git directory. Candidates are pinned there, so it holds all trees. */
  readonly commonDir: string;
  /** The operator's checkout, a faster source of contents; null if there is none. */
  readonly worktree: string | null;
  readonly cache?: ContentCache;
};

/** Larger files are not scanned: a match in them would not help. */
const MAX_SCANNED = 16 << 20;
/** During a scan the event loop gets a turn after this time. */
const TURN_MS = 12;

type TreeSource = TreesOptions & { readonly call: GitCall; readonly cache: ContentCache };

export class GitTrees implements ProjectTrees {
  readonly #source: TreeSource;

  constructor(options: TreesOptions) {
    const { commonDir, worktree, cache = new ContentCache() } = options;
    this.#source = { commonDir, worktree, cache, call: inRepository(commonDir) };
  }

  async open(commit: string, tree: string | null = null): Promise<ProjectTree> {
    const { cache, call } = this.#source;
    for (const id of tree === null ? [commit] : [commit, tree]) checkId(id);
    const key = `open ${commit} ${tree}`;
    const ids = await cache.once(
      key,
      () => 300,
      () => cache.stored(key, () => treeIds(commit, tree, call)),
    );
    return new GitTree(this.#source, ids);
  }
}

type TreeIds = { readonly commit: string; readonly tree: string };

async function treeIds(commit: string, tree: string | null, call: GitCall): Promise<TreeIds> {
  const names = [`${commit}^{commit}`, `${tree ?? commit}^{tree}`];
  const input = `${names.join('\n')}\n`;
  const printed = await must(['cat-file', '--batch-check=%(objectname)'], { ...call, input });
  const [found = '', own = ''] = printed.split('\n').map((id, n) => {
    if (/^[0-9a-f]+$/.test(id) || n >= names.length) return id;
    throw new GitError(`the repository has no ${n === 0 ? `commit ${commit}` : `tree ${tree ?? commit}`}`);
  });
  return { commit: found, tree: own };
}

class GitTree implements ProjectTree {
  readonly id: string;
  readonly commit: string;
  readonly #source: TreeSource;

  constructor(source: TreeSource, { commit, tree }: TreeIds) {
    this.#source = source;
    this.commit = commit;
    this.id = tree;
  }

  listing(): Promise<TreeListing> {
    const { cache, call } = this.#source;
    const key = `listing ${this.id}`;
    return cache.once(key, bytesOf, async () => listingOf(await cache.stored(key, () => listTree(this.id, call))));
  }

  async read(paths: readonly string[], maxBytes: number): Promise<readonly (Uint8Array | null)[]> {
    if (paths.length === 0) return [];
    const { byPath } = await this.listing();
    const { cache } = this.#source;
    const files = paths.map((path) => {
      const file = byPath.get(path);
      return file === undefined || file.link || file.bytes > maxBytes ? null : file;
    });
    const contents = new Map<string, Uint8Array>();
    const missing = new Map<string, TreeFile>();
    for (const file of files) {
      if (file === null) continue;
      const known = cache.get<Uint8Array>(`blob ${file.id}`);
      if (known === undefined) missing.set(file.id, file);
      else contents.set(file.id, known);
    }
    await this.#each([...missing.values()], maxBytes, ({ id }, bytes) => {
      const own = Uint8Array.from(bytes);
      contents.set(id, own);
      cache.set(`blob ${id}`, own, own.length + 200);
    });
    return files.map((file) => {
      const content = file === null ? undefined : contents.get(file.id);
      // Git lists a size of 0 for an object that was missing then; by now it may exist and be larger.
      return content === undefined || content.length > maxBytes ? null : content;
    });
  }

  async scan(wanted: readonly TreeFile[], each: (file: TreeFile, bytes: Uint8Array) => void): Promise<void> {
    const { byPath } = await this.listing();
    const files = wanted.filter(({ path, id, link }) => {
      const own = byPath.get(path);
      return own?.id === id && !link && !own.link && own.bytes <= MAX_SCANNED;
    });
    await this.#each(files, MAX_SCANNED, each);
  }

  /** Reads from the fastest source; the bytes are valid until `each` returns. */
  async #each(
    files: readonly TreeFile[],
    most: number,
    each: (file: TreeFile, bytes: Uint8Array) => void,
  ): Promise<void> {
    const { worktree, call } = this.#source;
    const here = worktree === null ? null : Checkout.open(worktree, call);
    const rest: TreeFile[] = [];
    let until = performance.now() + TURN_MS;
    for (const file of files) {
      const bytes = here?.read(file) ?? null;
      if (bytes === null) rest.push(file);
      else each(file, bytes);
      if (performance.now() < until) continue;
      await setImmediate();
      until = performance.now() + TURN_MS;
    }
    const ids = rest.map(({ id }) => id);
    await eachBlob(ids, call, most, (n, bytes) => {
      const file = rest[n];
      if (file !== undefined && bytes !== null) each(file, bytes);
    });
  }

  async history(limit: number): Promise<readonly PastCommit[]> {
    const { cache, call } = this.#source;
    const key = `history ${this.commit} ${limit}`;
    return cache.once(key, bytesOfPast, () => cache.stored(key, () => pastChanges(this.commit, limit, call)));
  }

  async diff(from: string, maxBytes: number): Promise<TreeDiff> {
    checkId(from);
    const bytesOf = ({ text, changed }: TreeDiff) => text.length * 2 + changed.length * 100 + 200;
    return this.#source.cache.once(`diff ${from} ${this.id} ${maxBytes}`, bytesOf, () =>
      diffTrees(from, this.id, maxBytes, this.#source.call),
    );
  }
}
