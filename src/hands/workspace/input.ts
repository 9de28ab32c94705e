/** The files a workspace starts with, as an index: those of a commit or candidate, some of them as in the base. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceSource } from '../../engine/ports/workspace.ts';
import { shown } from '../../mind/candidates/names.ts';
import type { RawEntry } from '../../mind/candidates/raw-diff.ts';
import type { GitCall } from '../../os/git/git.ts';
import { type GitContext, inPrivateDir } from './context.ts';
import { must } from './must-git.ts';
import { bytesOf } from './reading.ts';
import { someEntries, treeEntries } from './tree-entries.ts';

export type Input = {
  /** A commit's full id. */
  readonly base: string;
  /** The base, or a candidate's tree. */
  readonly tree: string;
  readonly asInBase: readonly string[];
  readonly planted: NonNullable<WorkspaceSource['planted']>;
};

/** Fills the index of a scratch directory and returns its tree's id; both last as long as the directory. */
export async function loadInput(context: GitContext, scratch: string, input: Input): Promise<string> {
  const { base, tree, asInBase, planted } = input;
  const call = inPrivateDir(context, scratch);
  await loadTree(context, scratch, tree);
  if (asInBase.length > 0 && tree !== base) await takeFromBase({ base, tree, asInBase }, call);
  else if (planted.length === 0) return tree;
  if (planted.length > 0) await plant(input, scratch, call);
  return must(['write-tree'], call);
}

async function takeFromBase(
  { base, tree, asInBase }: Pick<Input, 'base' | 'tree' | 'asInBase'>,
  call: GitCall,
): Promise<void> {
  const wanted = new Set(asInBase);
  const [before, after] = await Promise.all([treeEntries(base, call), treeEntries(tree, call)]);
  const entries = new Map<string, RawEntry | null>();
  for (const path of after.keys()) if (wanted.has(shown(path)) && !before.has(path)) entries.set(path, null);
  for (const [path, entry] of before) if (wanted.has(shown(path))) entries.set(path, entry);
  await setEntries(entries, base.length, call);
}

/** Git writes it together with all others: the times of a file added later would show. */
async function plant({ base, tree, planted }: Input, scratch: string, call: GitCall): Promise<void> {
  const dir = join(scratch, 'planted');
  mkdirSync(dir, { mode: 0o700 });
  const files = planted.flatMap(({ path, text }, n) => {
    if (text === null) return [];
    const file = join(dir, String(n));
    writeFileSync(file, text, { mode: 0o600 });
    return [{ path: bytesOf(path), file: bytesOf(file) }];
  });
  const input = files.map(({ file }) => `${file}\n`).join('');
  const paths = planted.map(({ path }) => path);
  const [ids, before] = await Promise.all([
    must(['hash-object', '-w', '--no-filters', '--stdin-paths'], { ...call, input }),
    someEntries(tree, paths, call),
  ]);
  const entries = new Map<string, RawEntry | null>(paths.map((path) => [bytesOf(path), null]));
  for (const [n, id] of ids.split('\n').entries()) {
    const path = files[n]?.path;
    const mode = before.get(path ?? '')?.mode === '100755' ? '100755' : '100644';
    if (path !== undefined) entries.set(path, { mode, id });
  }
  await setEntries(entries, base.length, call);
}

/** As `read-tree` does: no entry has data of a file on disk. */
async function loadTree(context: GitContext, scratch: string, tree: string): Promise<void> {
  const { indexes } = context.known;
  const path = join(scratch, 'index');
  const index = indexes.get(tree);
  if (index !== undefined) return writeFileSync(path, index, { mode: 0o600 });
  await must(['read-tree', tree], inPrivateDir(context, scratch));
  if (statSync(path).size <= MAX_REMEMBERED) indexes.set(tree, readFileSync(path));
}

/** Room for about 50,000 files. */
const MAX_REMEMBERED = 4 << 20;

/** Sets or removes (null) entries of an index. A file that stands where a directory is needed is removed. */
export async function setEntries(
  entries: ReadonlyMap<string, RawEntry | null>,
  idLength: number,
  call: GitCall,
): Promise<void> {
  const none = '0'.repeat(idLength);
  const line = ([path, entry]: [string, RawEntry | null]) =>
    entry === null ? `0 ${none}\t${path}\0` : `${entry.mode} ${entry.id} 0\t${path}\0`;
  // Removals come first, so that they remove nothing that was just set.
  const sorted = [...entries].sort(([, one], [, other]) => Number(one !== null) - Number(other !== null));
  await must(['update-index', '-z', '--index-info'], { ...call, input: sorted.map(line).join('') });
}
