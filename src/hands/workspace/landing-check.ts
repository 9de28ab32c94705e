/**
 * The last check before a branch moves: the commit holds what the gates saw, on the tip that was read, and nothing
 * else. A public merge queue reverted work of 2,092 pull requests on 2026-04-23 because it trusted its own merge; so
 * this check uses nothing that the integration computed, only the commit itself.
 */
import type { LandedChange } from '../../engine/ports/workspace.ts';
import { commitHead } from '../../mind/bundle/git-objects.ts';
import { shown } from '../../mind/candidates/names.ts';
import { changeId, parseRawDiff, type RawEntry } from '../../mind/candidates/raw-diff.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { GitCall } from '../../os/git/git.ts';
import { type GitContext, inPrivateDir } from './context.ts';
import { setEntries } from './input.ts';
import { mergeContents, pick } from './merge.ts';
import { must } from './must-git.ts';
import { withScratch } from './private-dir.ts';
import { checkedDiff, rawDiff } from './reading.ts';

export const readCommit = async (context: GitContext, commit: string) =>
  commitHead(await must(['cat-file', 'commit', commit], inPrivateDir(context, null)));

/** Why the commit must not become the tip; null if it may. */
export async function landingProblem(
  context: GitContext,
  { commit, tip }: { readonly commit: string; readonly tip: string },
  { own, gated }: LandedChange,
): Promise<string | null> {
  if (gated === null) return 'no gate has seen it under the configuration in force';
  const { tree, parents } = await readCommit(context, commit);
  if (tree !== gated.tree) return `its tree ${tree} is not the one that the gates ran on (${gated.tree})`;
  if (parents[0] !== tip) return `its first parent is ${parents[0] ?? 'none'}, and the branch is at ${tip}`;
  const call = inPrivateDir(context, null);
  const [change, landing, line] = await Promise.all([
    checkedDiff(own, call),
    rawDiff(tip, commit, call),
    rawDiff(own.base, tip, call),
  ]);
  const paths = new Set(parseRawDiff(change).map(({ path }) => path));
  const foreign = parseRawDiff(landing).flatMap(({ path }) => (paths.has(path) ? [] : [path]));
  if (foreign.length > 0)
    return `it changes ${foreign.slice(0, 5).map(shown).join(', ')} on the branch, which the task did not change`;
  if (!parseRawDiff(line).some(({ path }) => paths.has(path)))
    return changeId(landing) === own.change_id ? null : 'its change on the branch is not the one that was accepted';
  const merged = await mergedTree(context, own, tip);
  return merged === tree ? null : `a second merge of the same change gives another tree (${merged ?? 'a conflict'})`;
}

/** Git's own three-way merge of trees: guesses no renames and reads no attributes. Null for a conflict. */
function mergedTree(context: GitContext, { base, tree }: Candidate, tip: string): Promise<string | null> {
  return withScratch(context, 'landing-check', async (scratch) => {
    const call = inPrivateDir(context, scratch);
    await must(['read-tree', '-i', '-m', '--aggressive', base, tip, tree], call);
    const entries = new Map<string, RawEntry>();
    for (const [path, sides] of await unmerged(call)) {
      const [before, there, after] = sides;
      if (before === undefined || there === undefined || after === undefined) return null;
      const mode = pick(before.mode, after.mode, there.mode);
      const id =
        pick(before.id, after.id, there.id) ?? (await mergeContents([there.id, before.id, after.id], scratch, call));
      if (mode === null || id === null) return null;
      entries.set(path, { mode, id });
    }
    if (entries.size > 0) await setEntries(entries, tip.length, call);
    return must(['write-tree'], call);
  });
}

/** Base, tip and change of each path that git did not merge. */
async function unmerged(call: GitCall): Promise<Map<string, (RawEntry | undefined)[]>> {
  const found = new Map<string, (RawEntry | undefined)[]>();
  for (const line of (await must(['ls-files', '-u', '-z'], call)).split('\0')) {
    const [, mode = '', id = '', stage, path = ''] = /^(\d{6}) ([0-9a-f]+) ([123])\t(.+)$/s.exec(line) ?? [];
    if (stage === undefined) continue;
    const sides = found.get(path) ?? [undefined, undefined, undefined];
    sides[Number(stage) - 1] = { mode, id };
    found.set(path, sides);
  }
  return found;
}
