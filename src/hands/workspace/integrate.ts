/** Puts a candidate's change on top of another commit, without a working tree. */
import type { Integrated } from '../../engine/ports/workspace.ts';
import { changeId, parseRawDiff, type RawEntry } from '../../mind/candidates/raw-diff.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { GitCall } from '../../os/git/git.ts';
import { resolveCommit } from './base.ts';
import { checkName, type GitContext, inPrivateDir } from './context.ts';
import { setEntries } from './input.ts';
import { mergeChange } from './merge.ts';
import { failure, must } from './must-git.ts';
import { keepFiles, pin, removeKeeps } from './pins.ts';
import { withScratch } from './private-dir.ts';
import { checkedDiff, rawDiff } from './reading.ts';
import { transfer } from './transfer.ts';
import { blobs, treeEntries } from './tree-entries.ts';
import { treeProblems } from './tree-problems.ts';

/** How many commits are searched for the clashing change. */
const MAX_SINCE = 200;

/** `above`: the tree that is there in place of the commit's own. */
type Onto = { readonly onto: string; readonly above?: string | undefined };

export function integrate(
  context: GitContext,
  name: string,
  candidate: Candidate,
  { onto, above }: Onto,
): Promise<Integrated> {
  checkName(name);
  return withScratch(context, name, async (scratch) => {
    const call = inPrivateDir(context, scratch);
    const base = await resolveCommit(context, onto);
    const [change] = await Promise.all([
      checkedDiff(candidate, call),
      pin(context, [{ kind: 'base', name, id: base }]),
    ]);
    const ontoTree = above ?? (await must(['rev-parse', `${base}^{tree}`], call));
    const [there, since] = await Promise.all([
      treeEntries(ontoTree, call),
      must(['rev-list', '--first-parent', `--max-count=${MAX_SINCE}`, base, `^${candidate.base}`], call),
    ]);
    const merge = await mergeChange(parseRawDiff(change), there, { scratch, call });
    if (merge.type === 'conflict')
      return { ...merge, since: await changedThere(merge.paths, candidate.base, base, call) };
    if (merge.entries.size === 0) return { type: 'nothing_left' };
    const tree = await writeMerged(ontoTree, merge.entries, call);

    const raw = await rawDiff(ontoTree, tree, call);
    if (raw === '') return { type: 'nothing_left' };
    const clashes = await clashesIn(tree, raw, call);
    if (clashes.length > 0) return { type: 'conflict', paths: clashes, since: [] };
    context.failpoint('integrate.merged');

    const moved = await transfer(context, scratch, { name, include: tree, exclude: ontoTree });
    if (moved.type === 'missing') throw failure('reading the candidate', moved.message);
    if (moved.type === 'refused') throw failure('checking the merged tree', moved.problem);
    context.failpoint('integrate.transferred');
    await pin(context, [{ kind: 'candidate', name, id: tree }]);
    context.failpoint('integrate.pinned');
    removeKeeps(keepFiles(context, name));
    const integrated = { base, tree, change_id: changeId(raw) };
    return { type: 'integrated', candidate: integrated, tipTree: ontoTree, since: since.split('\n').filter(Boolean) };
  });
}

/** The commits of the line that changed one of these paths since the change's base, newest first. */
async function changedThere(paths: readonly string[], from: string, to: string, call: GitCall): Promise<string[]> {
  const named = { ...call, env: { ...call.env, GIT_LITERAL_PATHSPECS: '1' } };
  const listed = [
    'rev-list',
    '--first-parent',
    `--max-count=${MAX_NAMED}`,
    to,
    `^${from}`,
    '--',
    ...paths.slice(0, MAX_NAMED),
  ];
  return (await must(listed, named)).split('\n').filter(Boolean);
}

const MAX_NAMED = 20;

/** The tree of the other index with the change in it. */
async function writeMerged(
  onto: string,
  entries: ReadonlyMap<string, RawEntry | null>,
  call: GitCall,
): Promise<string> {
  await must(['read-tree', onto], call);
  await setEntries(entries, onto.length, call);
  return must(['write-tree'], call);
}

/**
 * Each side may be fine alone but not both together: names that differ only in case, or a link through a link of the
 * other.
 */
async function clashesIn(tree: string, raw: string, call: GitCall): Promise<string[]> {
  const entries = await treeEntries(tree, call);
  const links = [...entries].filter(([, { mode }]) => mode === '120000');
  const targets = await blobs(
    links.map(([, { id }]) => id),
    call,
  );
  const found = treeProblems(
    { present: [...entries.keys()], links: new Map(links.map(([path], i) => [path, targets[i] ?? ''])) },
    parseRawDiff(raw),
  );
  return [...new Set(found.map(({ path }) => path))].sort();
}
