/**
 * Applies a change to another tree, path by path. Git's own merge guesses renames (2.39 has no option against it),
 * reads attributes and runs drivers. Here a path stays the path that was checked, and only contents of files are
 * merged.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from '../../mind/candidates/names.ts';
import type { RawChange, RawEntry } from '../../mind/candidates/raw-diff.ts';
import { type GitCall, tryGit } from '../../os/git/git.ts';
import { failure, must } from './must-git.ts';
import { blobs, parentsOf, type TreeEntry } from './tree-entries.ts';

/** The index entries to set (null: to remove) on the other tree, or the paths in conflict. */
type Merge =
  | { readonly type: 'merged'; readonly entries: ReadonlyMap<string, RawEntry | null> }
  | { readonly type: 'conflict'; readonly paths: readonly string[] };

export async function mergeChange(
  changes: readonly RawChange[],
  onto: ReadonlyMap<string, TreeEntry>,
  { scratch, call }: { readonly scratch: string; readonly call: GitCall },
): Promise<Merge> {
  const entries = new Map<string, RawEntry | null>();
  const conflicts: string[] = [];
  for (const { path, before, after } of changes) {
    const there = onto.get(path) ?? null;
    if (same(there, after)) continue;
    const merged = same(there, before) ? after : await mergeEntry({ before, after, there }, scratch, call);
    if (merged === 'conflict') conflicts.push(path);
    else entries.set(path, merged);
  }
  conflicts.push(...misplaced(entries, onto));
  if (conflicts.length > 0) return { type: 'conflict', paths: [...new Set(conflicts)].map(shown).sort() };
  return { type: 'merged', entries };
}

/** Files that would stand where the other tree has a directory, or below one of its files. */
function misplaced(entries: ReadonlyMap<string, RawEntry | null>, onto: ReadonlyMap<string, TreeEntry>): string[] {
  const set = [...entries].flatMap(([path, entry]) => (entry === null ? [] : [path]));
  const present = new Set([...onto.keys()].filter((path) => entries.get(path) !== null).concat(set));
  const directories = parentsOf(present);
  return set.filter((path) => directories.has(path) || [...parentsOf([path])].some((parent) => present.has(parent)));
}

type Sides = {
  readonly before: RawEntry | null;
  readonly after: RawEntry | null;
  readonly there: RawEntry | null;
};

async function mergeEntry(
  { before, after, there }: Sides,
  scratch: string,
  call: GitCall,
): Promise<RawEntry | 'conflict'> {
  if (before === null || after === null || there === null) return 'conflict';
  // Links and submodules have no lines to merge.
  if (![before, after, there].every(({ mode }) => mode.startsWith('100'))) return 'conflict';
  const mode = pick(before.mode, after.mode, there.mode);
  const id =
    pick(before.id, after.id, there.id) ?? (await mergeContents([there.id, before.id, after.id], scratch, call));
  return mode === null || id === null ? 'conflict' : { mode, id };
}

/** The value both sides agree on, or the one that changed; null if both changed it. */
export function pick(before: string, one: string, other: string): string | null {
  if (one === before || one === other) return other;
  return other === before ? one : null;
}

export async function mergeContents(
  ids: readonly [there: string, before: string, after: string],
  scratch: string,
  call: GitCall,
): Promise<string | null> {
  const names = ['there', 'before', 'after'];
  for (const [i, text] of (await blobs(ids, call)).entries()) {
    writeFileSync(join(scratch, names[i] ?? ''), text, 'latin1');
  }
  const files = names.map((name) => join(scratch, name));
  const { code, stdout, stderr } = await tryGit(['merge-file', '-p', '-q', ...files], call);
  // The number of conflicts; larger codes mean that git failed.
  if (code !== null && code > 0 && code < 128) return null;
  if (/[Cc]annot merge binary/.test(stderr)) return null;
  if (code !== 0) throw failure('git merge-file', stderr);
  return must(['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin'], { ...call, input: stdout });
}

const same = (one: RawEntry | null, other: RawEntry | null): boolean =>
  one === other || (one !== null && other !== null && one.mode === other.mode && one.id === other.id);
