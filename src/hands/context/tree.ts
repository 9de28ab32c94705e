/** Trees of the user's repository, read for context: all that is passed on is what git's objects hold. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { PastChange, ProjectTree, ProjectTrees, TreeDiff, TreeFile } from '../../engine/ports/project-tree.ts';
import { MAX_HISTORY } from '../../mind/context/limits.ts';
import type { GitCall } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import type { Afterwards } from '../../os/machine/afterwards.ts';
import { eachBlob, eachObject } from './tree-blobs.ts';
import { ByteCache } from './tree-cache.ts';
import { Checkout } from './tree-checkout.ts';
import { diffTrees } from './tree-diff.ts';
import { checkId, inRepository } from './tree-git.ts';
import { bytesOf as bytesOfPast } from './tree-history.ts';
import { TreesKept } from './tree-kept.ts';
import * as listings from './tree-listing.ts';

export type TreesOptions = {
  /** The user's shared git directory; candidates are pinned there, so all trees are in it. */
  readonly commonDir: string;
  /** The operator's checkout, which makes looking at contents faster; null: there is none. */
  readonly worktree: string | null;
  /** Kept in memory of what was read. */
  readonly cacheBytes?: number;
  /** Where listings and histories are kept for other processes; null: nowhere. */
  readonly cacheDir?: string | null;
  /** When that is written; at once unless it is said. */
  readonly later?: Afterwards;
};

/** Enough for a few listings of 30,000 files, their history and the files of some packets. */
const CACHE_BYTES = 64 << 20;
/** No text that anybody looks for something in; larger files are not scanned. */
const MAX_SCANNED = 16 << 20;
/** So long nobody else gets a turn while files are scanned. */
const TURN_MS = 12;

type Source = TreesOptions & { readonly call: GitCall; readonly cache: ByteCache; readonly kept: TreesKept };

export class GitTrees implements ProjectTrees {
  readonly #source: Source;

  constructor(options: TreesOptions) {
    const cache = new ByteCache(options.cacheBytes ?? CACHE_BYTES);
    const call = inRepository(options.commonDir);
    this.#source = {
      ...options,
      call,
      cache,
      kept: new TreesKept(options.cacheDir ?? null, call, options.worktree, options.later),
    };
  }

  async open(commit: string, tree: string | null = null): Promise<ProjectTree> {
    for (const id of [commit, ...(tree === null ? [] : [tree])]) checkId(id);
    const ids = await this.#source.cache.once(
      `open ${commit} ${tree}`,
      () => 300,
      () => this.#look(commit, tree),
    );
    return new GitTree(this.#source, ids);
  }

  async #look(commit: string, tree: string | null): Promise<TreeIds> {
    const { kept } = this.#source;
    const known = tree === null ? kept.treeOf(commit) : null;
    if (known !== null) return { commit, base: known, tree: known };
    // One git less. Where it does not tell, or fails, the other one says why.
    const told = tree === null ? await kept.treeByHistory(commit, MAX_HISTORY).catch(() => null) : null;
    const found = told === null ? await this.#ask(commit, tree) : { commit, base: told, tree: told };
    kept.keepTreeOf(found.commit, found.base);
    return found;
  }

  async #ask(commit: string, tree: string | null): Promise<TreeIds> {
    const names = [`${commit}^{commit}`, `${commit}^{tree}`, ...(tree === null ? [] : [`${tree}^{tree}`])];
    const ids: string[] = [];
    // With their contents, though nobody needs them: so it is the same git that will be asked for files.
    await eachObject(names, this.#source.call, (n, one) => {
      if (one?.kind === 'commit' || one?.kind === 'tree') ids[n] = one.id;
    });
    const [found, base, own = base] = names.map((name, n) => {
      const id = ids[n];
      if (id !== undefined) return id;
      throw new GitError(`the repository has no ${name.slice(name.indexOf('{') + 1, -1)} ${name.split('^')[0]}`);
    });
    return { commit: found ?? '', base: base ?? '', tree: own ?? '' };
  }
}

type TreeIds = { readonly commit: string /** Tree of the commit. */; readonly base: string; readonly tree: string };

class GitTree implements ProjectTree {
  readonly #source: Source;
  readonly #ids: TreeIds;

  constructor(source: Source, ids: TreeIds) {
    this.#source = source;
    this.#ids = ids;
  }

  get id(): string {
    return this.#ids.tree;
  }

  get commit(): string {
    return this.#ids.commit;
  }

  listing(): Promise<listings.Listing> {
    const { cache, call, kept } = this.#source;
    const { base, tree } = this.#ids;
    return cache.once(`list ${tree}`, listings.bytesOf, async () => {
      // The tree a worker left differs little from the one it began with.
      const known = tree === base ? undefined : cache.get<listings.Listing>(`list ${base}`);
      const derived = known === undefined ? null : await listings.listFrom(known, base, tree, call);
      return derived ?? kept.listing(tree);
    });
  }

  async read(paths: readonly string[], maxBytes: number): Promise<readonly (Uint8Array | null)[]> {
    if (paths.length === 0) return [];
    const listing = await this.listing();
    const { cache } = this.#source;
    const files = paths.map((path) => {
      const file = listing.get(path);
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
    await this.#each([...missing.values()], { most: maxBytes }, ({ id }, bytes) => {
      const own = Uint8Array.from(bytes);
      contents.set(id, own);
      cache.set(`blob ${id}`, own, own.length + 200);
    });
    return files.map((file) => {
      const content = file === null ? undefined : contents.get(file.id);
      // What the listing says of its size may be less, and somebody who allows more may have read it before.
      return content === undefined || content.length > maxBytes ? null : content;
    });
  }

  async scan(
    wanted: readonly TreeFile[],
    each: (file: TreeFile, bytes: Uint8Array) => void,
    over: AbortSignal | null = null,
  ): Promise<void> {
    const listing = await this.listing();
    const files = wanted.filter(({ path, id, link }) => {
      const own = listing.get(path);
      return own?.id === id && !link && !own.link && own.bytes <= MAX_SCANNED;
    });
    await this.#each(files, { most: MAX_SCANNED, over }, each);
  }

  /** From where they are read fastest; the bytes are good until `each` returns. */
  async #each(
    files: readonly TreeFile[],
    { most, over = null }: { readonly most: number; readonly over?: AbortSignal | null },
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
      await othersTurn(over);
      until = performance.now() + TURN_MS;
    }
    const ids = rest.map(({ id }) => id);
    // Their sizes are told by the objects, whatever the listing said.
    await eachBlob(ids, over === null ? call : { ...call, signal: over }, most, (n, bytes) => {
      const file = rest[n];
      if (file !== undefined && bytes !== null) each(file, bytes);
    });
  }

  async history(limit: number): Promise<readonly PastChange[]> {
    const { cache, kept } = this.#source;
    return cache.once(`history ${this.commit} ${limit}`, bytesOfPast, () => kept.history(this.commit, limit));
  }

  async diff(from: string, maxBytes: number): Promise<TreeDiff> {
    checkId(from);
    const bytesOf = ({ text, changed }: TreeDiff) => text.length * 2 + changed.length * 100 + 200;
    return this.#source.cache.once(`diff ${from} ${this.id} ${maxBytes}`, bytesOf, () =>
      diffTrees(from, this.id, maxBytes, this.#source.call),
    );
  }
}

/** A turn that keeps no process alive is never taken while nothing else happens; a timer is. */
const othersTurn = (over: AbortSignal | null): Promise<void> =>
  over === null ? setImmediate() : setTimeout(1, undefined, { ref: false, signal: over });
