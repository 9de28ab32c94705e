/** Listings of trees and histories of commits, kept on disk between processes: to ask git takes longer than to read them. */
import type { PastChange, TreeFile } from '../../engine/ports/project-tree.ts';
import type { GitCall } from '../../os/git/git.ts';
import { KeptFiles } from './kept-files.ts';
import { type Past, pastChanges, pastSince } from './tree-history.ts';
import { type Listing, listFrom, listing, listTree } from './tree-listing.ts';

/** Of what was kept last, this many are tried as the beginning of something newer. */
const TRIED = 2;

export class TreesKept {
  readonly #listings: KeptFiles;
  readonly #histories: KeptFiles;
  readonly #call: GitCall;

  /** The names carry the version of the form. */
  constructor(dir: string | null, call: GitCall) {
    this.#listings = new KeptFiles(dir, 'listing1');
    this.#histories = new KeptFiles(dir, 'history1');
    this.#call = call;
  }

  async listing(tree: string): Promise<Listing> {
    const kept = this.#keptListing(tree);
    if (kept !== null) return kept;
    const made = (await this.#derived(tree)) ?? (await listTree(tree, this.#call));
    this.#listings.set(tree, packedListing(made.files));
    return made;
  }

  #keptListing(tree: string): Listing | null {
    const files = unpackedListing(this.#listings.get(tree));
    return files === null ? null : listing(files);
  }

  /** Trees that follow each other differ little. */
  async #derived(tree: string): Promise<Listing | null> {
    const [last] = this.#listings.ids();
    const known = last === undefined ? null : this.#keptListing(last);
    // The tree it was made from may be gone.
    return known === null ? null : listFrom(known, last ?? '', tree, this.#call).catch(() => null);
  }

  async history(commit: string, limit: number): Promise<readonly PastChange[]> {
    const id = `${commit}-${limit}`;
    const kept = unpackedHistory(this.#histories.get(id));
    if (kept !== null) return kept.changes;
    const made = (await this.#continued(commit, limit)) ?? (await pastChanges(commit, limit, this.#call));
    this.#histories.set(id, packedHistory(made));
    return made.changes;
  }

  /** What is known of an older commit, after what came since. */
  async #continued(commit: string, limit: number): Promise<Past | null> {
    for (const id of this.#histories.ids().slice(0, TRIED)) {
      const [from = '', size] = id.split('-');
      if (size !== `${limit}`) continue;
      const since = await pastSince(from, commit, this.#call);
      const before = since === null ? null : unpackedHistory(this.#histories.get(id));
      if (since !== null && before !== null) return joined(since, before, limit);
    }
    return null;
  }
}

/** As if git had been asked for so many at once: the oldest fall out at the end. */
function joined(since: Past, before: Past, limit: number): Past {
  const places = [...since.places, ...before.places.map((place) => place + since.commits)];
  const isKept = (_: unknown, n: number) => (places[n] as number) < limit;
  const changes = [...since.changes, ...before.changes].filter(isKept);
  return { changes, places: places.filter(isKept), commits: Math.min(limit, since.commits + before.commits) };
}

type PackedListing = {
  readonly paths: readonly string[];
  /** One after the other. */
  readonly ids: string;
  readonly bytes: readonly number[];
  /** Places of those that are links. */
  readonly links: readonly number[];
};

const packedListing = (files: readonly TreeFile[]): PackedListing => ({
  paths: files.map(({ path }) => path),
  ids: files.map(({ id }) => id).join(''),
  bytes: files.map(({ bytes }) => bytes),
  links: files.flatMap(({ link }, n) => (link ? [n] : [])),
});

function unpackedListing(kept: unknown): TreeFile[] | null {
  if (kept === undefined) return null;
  const { paths, ids, bytes, links } = kept as PackedListing;
  const length = paths.length === 0 ? 0 : ids.length / paths.length;
  const isLink = new Set(links);
  return paths.map((path, n) => ({
    path,
    id: ids.slice(n * length, (n + 1) * length),
    bytes: bytes[n] ?? 0,
    link: isLink.has(n),
  }));
}

type PackedHistory = {
  readonly commits: number;
  readonly places: readonly number[];
  /** Each path once. No messages and no names of people are kept. */
  readonly paths: readonly string[];
  readonly changes: readonly (readonly [commit: string, time: number, ...paths: number[]])[];
};

function packedHistory({ commits, places, changes }: Past): PackedHistory {
  const known = new Map<string, number>();
  const numberOf = (path: string): number => {
    const number = known.get(path) ?? known.size;
    known.set(path, number);
    return number;
  };
  const packed = changes.map(({ commit, time, paths }) => [commit, time, ...paths.map(numberOf)] as const);
  return { commits, places, paths: [...known.keys()], changes: packed };
}

function unpackedHistory(kept: unknown): Past | null {
  if (kept === undefined) return null;
  const { commits, places, paths, changes } = kept as PackedHistory;
  const unpacked = changes.map(([commit, time, ...numbers]) => ({
    commit,
    time,
    paths: numbers.map((n) => paths[n] ?? ''),
  }));
  return { commits, places, changes: unpacked };
}
