/** Reads candidates and trees through the private directory: checks out and writes nothing. */
import { type ChangedPath, WorkspaceError } from '../../engine/ports/workspace.ts';
import { shown, textOf } from '../../mind/candidates/names.ts';
import { changeId, parseRawDiff, type RawChange, type RawEntry } from '../../mind/candidates/raw-diff.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { GitCall } from '../../os/git/git.ts';
import { checkId, type GitContext, inPrivateDir } from './context.ts';
import { must } from './must-git.ts';
import { someEntries, type TreeEntry } from './tree-entries.ts';

/** Larger texts are not read. */
const MAX_BYTES = 1 << 20;
/** The most bytes held at once while they become texts. */
const BATCH_BYTES = 32 << 20;

export async function changes(context: GitContext, candidate: Candidate): Promise<readonly ChangedPath[]> {
  const known = context.known.changes.get(keyOf(candidate));
  return known ?? parseRawDiff(await checkedDiff(candidate, inPrivateDir(context, null))).map(changedPath);
}

/** The difference between two commits or trees. */
export async function changesBetween(context: GitContext, from: string, to: string): Promise<readonly ChangedPath[]> {
  checkId(from);
  checkId(to);
  return parseRawDiff(await rawDiff(from, to, inPrivateDir(context, null))).map(changedPath);
}

export async function history(
  context: GitContext,
  commit: string,
  { paths: of, most }: { readonly paths: readonly string[]; readonly most: number },
): Promise<{ commit: string; parent: string }[]> {
  checkId(commit);
  const call = inPrivateDir(context, null);
  const found = await must(
    [
      'rev-list',
      '--no-merges',
      '--parents',
      `--max-count=${most}`,
      commit,
      '--',
      ...of.map((path) => `:(literal)${path}`),
    ],
    call,
  );
  return found.split('\n').flatMap((line) => {
    const [id, parent] = line.split(' ');
    return id === undefined || parent === undefined ? [] : [{ commit: id, parent }];
  });
}

/** The difference between two commits, named as a capture would name it. */
export async function between(context: GitContext, base: string, commit: string): Promise<Candidate> {
  checkId(base);
  checkId(commit);
  const call = inPrivateDir(context, null);
  const [raw, tree] = await Promise.all([rawDiff(base, commit, call), context.known.treeOf(commit, call)]);
  return { base, tree, change_id: changeId(raw) };
}

/** The result of a capture stays valid for that candidate. */
export const keyOf = ({ base, tree, change_id }: Candidate): string => `${base} ${tree} ${change_id}`;

export async function paths(context: GitContext, tree: string): Promise<string[]> {
  checkId(tree);
  return [...(await context.known.trees.entries(tree, inPrivateDir(context, null))).keys()].map(shown);
}

export async function read(context: GitContext, tree: string, wanted: readonly string[]): Promise<(string | null)[]> {
  checkId(tree);
  if (wanted.length === 0) return [];
  const call = inPrivateDir(context, null);
  const entries = context.known.trees.known(tree) ?? (await someEntries(tree, wanted, call));
  const found = wanted.map((path) => readable(entries.get(bytesOf(path))));
  const texts = new Map<string, string | null>();
  for (const batch of batches(found.filter((entry) => entry !== null))) {
    const contents = await context.blobs.read(batch, call);
    for (const [i, id] of batch.entries()) texts.set(id, textOf(contents[i] ?? ''));
  }
  return found.map((entry) => (entry === null ? null : (texts.get(entry.id) ?? null)));
}

/** The change of a candidate; an error if its tree is not the checked one. */
export async function checkedDiff({ base, tree, change_id }: Candidate, call: GitCall): Promise<string> {
  for (const id of [base, tree]) checkId(id);
  const raw = await rawDiff(base, tree, call);
  if (changeId(raw) === change_id) return raw;
  throw new WorkspaceError('not_the_candidate', `the change of tree ${tree} is not the one that was checked`);
}

/** The exact change: guesses no renames and ignores attributes and settings. */
export function rawDiff(base: string, tree: string, call: GitCall): Promise<string> {
  return must(['diff-tree', '-r', ...EXACT, base, tree], call);
}

/** Comparing a commit with an index gives the same bytes as comparing it with a tree. */
export const EXACT = ['-z', '--raw', '--no-renames', '--full-index', '--ignore-submodules=none'];

export const changedPath = ({ path, before, after }: RawChange): ChangedPath => ({
  path: shown(path),
  before: entryText(before),
  after: entryText(after),
});
const entryText = (entry: RawEntry | null): string | null => (entry === null ? null : `${entry.mode} ${entry.id}`);

/** A link's blob is a path and a submodule has none; neither is a text. */
const readable = (entry: TreeEntry | undefined): TreeEntry | null =>
  entry?.mode.startsWith('100') && entry.size <= MAX_BYTES ? entry : null;

/** Each blob once, in groups that fit into memory. */
function batches(entries: readonly TreeEntry[]): string[][] {
  const groups: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [id, size] of new Map(entries.map((entry) => [entry.id, entry.size]))) {
    if (bytes + size > BATCH_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(id);
    bytes += size;
  }
  return groups;
}

export const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');
