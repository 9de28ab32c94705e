/** The files a workspace starts with, as an index: of a commit or a candidate, some of them as the base has them. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from '../../mind/candidates/names.ts';
import type { RawEntry } from '../../mind/candidates/raw-diff.ts';
import type { GitCall } from '../../os/git/git.ts';
import { type Context, inPrivateDir } from './context.ts';
import { must } from './must-git.ts';
import { treeEntries } from './tree-entries.ts';

export type Input = {
  /** A commit's full id. */
  readonly base: string;
  /** The base, or a candidate's tree. */
  readonly tree: string;
  readonly asInBase: readonly string[];
};

/** Fills the index of a scratch directory and returns the id of its tree; both last as long as the directory. */
export async function loadInput(context: Context, scratch: string, input: Input): Promise<string> {
  const { base, tree, asInBase } = input;
  const call = inPrivateDir(context, scratch);
  await loadTree(context, scratch, tree);
  if (asInBase.length === 0 || tree === base) return tree;
  const wanted = new Set(asInBase);
  const [before, after] = await Promise.all([treeEntries(base, call), treeEntries(tree, call)]);
  const entries = new Map<string, RawEntry | null>();
  for (const path of after.keys()) if (wanted.has(shown(path)) && !before.has(path)) entries.set(path, null);
  for (const [path, entry] of before) if (wanted.has(shown(path))) entries.set(path, entry);
  await setEntries(entries, base.length, call);
  return must(['write-tree'], call);
}

/** As `read-tree` does: no entry knows anything of a file on disk. */
async function loadTree(context: Context, scratch: string, tree: string): Promise<void> {
  const { indexes } = context.known;
  const path = join(scratch, 'index');
  const index = indexes.get(tree);
  if (index !== undefined) return writeFileSync(path, index, { mode: 0o600 });
  await must(['read-tree', tree], inPrivateDir(context, scratch));
  if (statSync(path).size <= MAX_REMEMBERED) indexes.set(tree, readFileSync(path));
}

/** Of about 50,000 files. */
const MAX_REMEMBERED = 4 << 20;

/** Puts entries into an index, or takes them out (null). A file that stands where a directory is needed gives way. */
export async function setEntries(
  entries: ReadonlyMap<string, RawEntry | null>,
  idLength: number,
  call: GitCall,
): Promise<void> {
  const none = '0'.repeat(idLength);
  const line = ([path, entry]: [string, RawEntry | null]) =>
    entry === null ? `0 ${none}\t${path}\0` : `${entry.mode} ${entry.id} 0\t${path}\0`;
  // Removals come first, so that they take nothing away that was just put there.
  const sorted = [...entries].sort(([, one], [, other]) => Number(one !== null) - Number(other !== null));
  await must(['update-index', '-z', '--index-info'], { ...call, input: sorted.map(line).join('') });
}
