/** Listings of trees and histories of commits, kept on disk between processes: to ask git takes longer than to read them. */
import type { PastChange } from '../../engine/ports/project-tree.ts';
import type { GitCall } from '../../os/git/git.ts';
import type { Afterwards } from '../../os/machine/afterwards.ts';
import { ColumnReader, joinedPaths, packColumns, splitPaths } from './kept-columns.ts';
import { KeptFiles } from './kept-files.ts';
import { type Past, pastChanges, pastSince } from './tree-history.ts';
import { Listing, listFrom, listIndexed, listTree } from './tree-listing.ts';

/** Of what was kept last, this many are tried as the beginning of something newer. */
const TRIED = 2;

export class TreesKept {
  readonly #commits: KeptFiles;
  readonly #listings: KeptFiles;
  readonly #histories: KeptFiles;
  readonly #call: GitCall;
  readonly #worktree: string | null;
  /** Histories that were asked for before somebody wanted them. */
  readonly #begun = new Map<string, Promise<Past>>();

  /** The names carry the version of the form. */
  constructor(dir: string | null, call: GitCall, worktree: string | null, later?: Afterwards) {
    this.#commits = new KeptFiles(dir, 'commit1', later);
    this.#listings = new KeptFiles(dir, 'listing2', later);
    this.#histories = new KeptFiles(dir, 'history3', later);
    this.#call = call;
    this.#worktree = worktree;
  }

  /** The tree of a commit; null: it is not known here. */
  treeOf(commit: string): string | null {
    return this.#commits.get(commit, (bytes) => bufferOf(bytes).toString('hex'));
  }

  keepTreeOf(commit: string, tree: string): void {
    if (this.treeOf(commit) === null) this.#commits.set(commit, () => Buffer.from(tree, 'hex'));
  }

  async listing(tree: string): Promise<Listing> {
    const kept = this.#listings.get(tree, unpackedListing);
    if (kept !== null) return kept;
    const indexed = this.#worktree === null ? null : await listIndexed(this.#worktree, tree, this.#call);
    const made = indexed ?? (await this.#derived(tree)) ?? (await listTree(tree, this.#call));
    this.#listings.set(tree, () => packedListing(made));
    return made;
  }

  /** Trees that follow each other differ little. */
  async #derived(tree: string): Promise<Listing | null> {
    const [last] = this.#listings.ids();
    const known = last === undefined ? null : this.#listings.get(last, unpackedListing);
    // The tree it was made from may be gone.
    return known === null ? null : listFrom(known, last ?? '', tree, this.#call).catch(() => null);
  }

  async history(commit: string, limit: number): Promise<readonly PastChange[]> {
    const id = `${commit}-${limit}`;
    const begun = this.#begun.get(id);
    this.#begun.delete(id);
    const kept = begun === undefined ? this.#histories.get(id, unpackedHistory) : null;
    if (kept !== null) return kept.changes;
    const made = await (begun ?? this.#past(commit, limit));
    this.#histories.set(id, () => packedHistory(made));
    return made.changes;
  }

  /** The tree of a commit, as its history tells it, which will be asked for next. Null: it does not. */
  async treeByHistory(commit: string, limit: number): Promise<string | null> {
    const id = `${commit}-${limit}`;
    if (this.#histories.ids().includes(id)) return null;
    const begun = this.#past(commit, limit);
    this.#begun.set(id, begun);
    begun.catch(() => this.#begun.delete(id));
    return (await begun).tree;
  }

  async #past(commit: string, limit: number): Promise<Past> {
    return (await this.#continued(commit, limit)) ?? pastChanges(commit, limit, this.#call);
  }

  /** What is known of an older commit, after what came since. */
  async #continued(commit: string, limit: number): Promise<Past | null> {
    for (const id of this.#histories.ids().slice(0, TRIED)) {
      const [from = '', size] = id.split('-');
      if (size !== `${limit}`) continue;
      const since = await pastSince(from, commit, this.#call);
      const before = since === null ? null : this.#histories.get(id, unpackedHistory);
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
  const commits = Math.min(limit, since.commits + before.commits);
  return { changes, places: places.filter(isKept), commits, tree: since.tree };
}

const packedListing = ({ text, ids, sizes, links }: Listing): Uint8Array =>
  packColumns([Buffer.from(text), ids, sizes, links]);

function unpackedListing(kept: Uint8Array): Listing {
  const columns = new ColumnReader(kept);
  const text = columns.text();
  const [ids, sizes, links] = [columns.next(Uint8Array), columns.next(Float64Array), columns.next(Uint8Array)];
  return new Listing({ paths: splitPaths(text), ids, sizes, links }, text);
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

/** Each path once. No messages and no names of people are kept; of what a change says of itself, the words as hashes. */
function packedHistory({ commits, places, changes }: Past): Uint8Array {
  const known = new Map<string, number>();
  const numbers: number[] = [];
  const [ends, words, wordEnds]: [number[], number[], number[]] = [[], [], []];
  for (const { paths, words: said } of changes) {
    for (let n = 0; n < said.length; n++) words.push(said[n] as number);
    wordEnds.push(words.length);
    for (const path of paths) {
      const number = known.get(path) ?? known.size;
      known.set(path, number);
      numbers.push(number);
    }
    ends.push(numbers.length);
  }
  return packColumns([
    Buffer.from(joinedPaths([...known.keys()])),
    Buffer.from(changes.map(({ commit }) => commit).join(''), 'hex'),
    Float64Array.from(changes, ({ time }) => time),
    new Int32Array(words),
    ...[[commits], places, ends, numbers, wordEnds].map((column) => new Uint32Array(column)),
  ]);
}

function unpackedHistory(kept: Uint8Array): Past {
  const columns = new ColumnReader(kept);
  const paths = splitPaths(columns.text());
  const ids = bufferOf(columns.next(Uint8Array)).toString('hex');
  const [times, words] = [columns.next(Float64Array), columns.next(Int32Array)];
  const [[commits = 0], places] = [columns.next(Uint32Array), columns.next(Uint32Array)];
  const [ends, numbers, wordEnds] = [columns.next(Uint32Array), columns.next(Uint32Array), columns.next(Uint32Array)];
  const length = times.length === 0 ? 0 : ids.length / times.length;
  const changes: PastChange[] = [];
  let at = 0;
  for (let n = 0; n < times.length; n++) {
    const changed: string[] = [];
    for (; at < (ends[n] as number); at++) changed.push(paths[numbers[at] as number] as string);
    changes.push({
      ...{ commit: ids.slice(n * length, (n + 1) * length), time: times[n] as number, paths: changed },
      words: words.subarray(n === 0 ? 0 : wordEnds[n - 1], wordEnds[n]),
    });
  }
  return { commits, places: [...places], changes, tree: null };
}
