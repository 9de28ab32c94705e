/** Reads trees and blobs of the repository through the private directory. */
import type { RawChange } from '../../mind/candidates/raw-diff.ts';
import type { GitCall } from '../../os/git/git.ts';
import { LruCache } from './lru-cache.ts';
import { must } from './must-git.ts';

export type TreeEntry = { readonly mode: string; readonly id: string /** Blobs only. */; readonly size: number };

/** Every file of a tree by its path, a byte string. */
export async function treeEntries(tree: string, call: GitCall): Promise<Map<string, TreeEntry>> {
  return parsed(await must(['ls-tree', '-r', '-l', '-z', '--full-tree', tree], call));
}

function parsed(listed: string): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (const line of listed.split('\0')) {
    // `100644 blob 3b18e51… 12\tpath`; sliced by hand: 25 ms for 20,000 files, with a pattern 57 (measured 2026-11).
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const start = line.indexOf(' ', 7) + 1;
    const end = line.indexOf(' ', start);
    const size = Number(line.slice(end, tab)) || 0;
    entries.set(line.slice(tab + 1), { mode: line.slice(0, 6), id: line.slice(start, end), size });
  }
  return entries;
}

/**
 * The same for a few paths of a tree (as text), without listing the rest; if they do not fit into one command, the tree
 * is listed.
 */
export async function someEntries(
  tree: string,
  paths: readonly string[],
  call: GitCall,
): Promise<Map<string, TreeEntry>> {
  if (paths.length > MAX_NAMED || !paths.every(isPlain)) return treeEntries(tree, call);
  const named = { ...call, env: { ...call.env, GIT_LITERAL_PATHSPECS: '1' } };
  return parsed(await must(['ls-tree', '-l', '-z', '--full-tree', tree, '--', ...paths], named));
}

const MAX_NAMED = 200;

/** Git treats other names as commands, or refuses the whole list. */
const isPlain = (path: string): boolean =>
  path.split('/').every((part) => !['', '.', '..'].includes(part)) && !path.includes('\0');

/** Caches listings of recent trees, which never change. About 30 MB in all. */
export class TreeListings {
  readonly #lists = new LruCache<ReadonlyMap<string, TreeEntry>>(3);

  /** Answers without git. */
  known(id: string): ReadonlyMap<string, TreeEntry> | null {
    return this.#lists.get(id) ?? null;
  }

  async entries(id: string, call: GitCall): Promise<ReadonlyMap<string, TreeEntry>> {
    const known = this.#lists.get(id);
    if (known !== undefined) return known;
    const list = await treeEntries(id, call);
    this.#remember(id, list);
    return list;
  }

  /** Derives a tree's listing from another one and the changes; `size` gives the size of a file in it. */
  derive(
    id: string,
    from: ReadonlyMap<string, TreeEntry>,
    changes: readonly RawChange[],
    size: (path: string) => number,
  ): void {
    if (from.size > MAX_REMEMBERED) return;
    const list = new Map(from);
    for (const { path, after } of changes) {
      if (after === null) list.delete(path);
      else list.set(path, { ...after, size: size(path) });
    }
    const isInOrder = changes.every(({ before, after }) => before !== null || after === null);
    // Git sorts paths by bytes.
    this.#remember(id, isInOrder ? list : new Map([...list].sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  #remember(id: string, list: ReadonlyMap<string, TreeEntry>): void {
    if (list.size <= MAX_REMEMBERED && /^[0-9a-f]{40,64}$/.test(id)) this.#lists.set(id, list);
  }
}

const MAX_REMEMBERED = 50_000;

/** Contents of blobs as byte strings, in the order of `ids`. */
export async function blobs(ids: readonly string[], call: GitCall): Promise<string[]> {
  if (ids.length === 0) return [];
  const out = await must(['cat-file', '--batch'], { ...call, input: `${ids.join('\n')}\n` });
  const contents: string[] = [];
  for (let at = 0; contents.length < ids.length; ) {
    const end = out.indexOf('\n', at);
    const size = Number(/^[0-9a-f]+ blob (\d+)$/.exec(out.slice(at, end))?.[1] ?? Number.NaN);
    if (Number.isNaN(size)) throw new Error(`git cat-file: ${out.slice(at, end)}`);
    contents.push(out.slice(end + 1, end + 1 + size));
    at = end + size + 2;
  }
  return contents;
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** All parent directories of the paths. */
export function parentsOf(paths: Iterable<string>): Set<string> {
  const parents = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  return parents;
}
