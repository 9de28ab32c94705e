/** Collects what two trees say about a task: its files, its changes, what they import, and what looks related. */
import type { ContextAsk } from '../../engine/ports/contexts.ts';
import type { TreeDiff } from '../../engine/ports/project-tree.ts';
import { scopeOf } from '../../mind/candidates/scope.ts';
import { testsOf } from '../../mind/code/companions.ts';
import { MAX_DIFF_BYTES, MAX_FILES_PER_KIND } from '../../mind/context/limits.ts';
import type { Plan, Use } from '../../mind/context/plan.ts';
import { apiOnlyOf, componentOf, excluderOf, type FoundFiles, type Tie } from '../../mind/context/wishes.ts';
import type { Terms } from '../../mind/ranking/terms.ts';
import type { ContentCache } from './content-cache.ts';
import { Imports } from './pack-imports.ts';
import { rankTree } from './pack-rank.ts';
import type { PackTools } from './pack-tools.ts';
import type { View } from './pack-view.ts';

/** The tree where the task began, and the one that its worker sees. */
export type Views = { readonly base: View; readonly now: View };

export type FoundFacts = {
  readonly found: FoundFiles;
  readonly diff: TreeDiff;
  /** The terms that select excerpts. */
  readonly terms: Terms;
  readonly excluded: (path: string) => string | null;
  readonly apiOnly: (path: string) => boolean;
};

/** The usual size of a file's outline. */
const OUTLINE_TOKENS = 150;
const NO_DIFF: TreeDiff = { text: '', changed: [], removed: [], cut: false };

export async function findFor(
  ask: ContextAsk,
  plan: Plan,
  { base, now }: Views,
  tools: PackTools,
  knowledge: readonly string[],
): Promise<FoundFacts> {
  const diff = now.tree.id === base.tree.id ? NO_DIFF : await now.tree.diff(base.tree.id, MAX_DIFF_BYTES);
  const { targets, missing } = targetsIn(now, ask.targets);
  // A large file costs no more than a small one if only its name or outline is sure to be shown.
  const isTextFirst = plan.uses.has('related') && !plan.uses.has('paths');
  const most = isTextFirst ? (plan.uses.get('related') as Use).most : OUTLINE_TOKENS;
  const cap = Number.isFinite(most) ? most : null;
  const { ranked, terms, importers } = await rankTree(
    { base, now },
    { text: ask.text, targets, cap, everywhere: plan.everywhere },
    tools.cache,
  );
  const about = [...new Set([...targets, ...diff.changed])].slice(0, MAX_FILES_PER_KIND);
  const imports = new Imports(now, tools.cache);
  const others = about.filter((path) => !targets.includes(path));
  const tested = { paths: now.files.map(({ path }) => path), tests: now.tests, has: now.paths.has };
  const found: FoundFiles = {
    plan,
    targets,
    missing,
    ranked,
    knowledge,
    changed: diff.changed,
    added: new Set(diff.changed.filter((path) => !base.paths.has(path))),
    imported: await imports.follow(targets.length > 0 ? targets : about, plan.hops),
    importers: plan.importers ? [...importers, ...(await importersOf(others, imports, now, tools.cache))] : importers,
    tests: about.flatMap((path) => testsOf(path, tested).map((test): Tie => ({ path: test, to: path, hop: 1 }))),
    component: componentOf(now.paths, targets, diff.changed),
    matching: now.matching,
  };
  return { found, diff, terms, excluded: excluderOf(found, ask.componentOnly), apiOnly: apiOnlyOf(found) };
}

/** The search for terms already found importers of the targets; for other changed files all code is searched again. */
async function importersOf(paths: readonly string[], imports: Imports, view: View, cache: ContentCache) {
  if (paths.length === 0) return [];
  const name = `importers ${view.tree.id} ${JSON.stringify(paths)}`;
  const bytesOf = (ties: readonly Tie[]) => ties.length * 200 + name.length * 2;
  return cache.once(name, bytesOf, async () => {
    const search = await imports.search(paths);
    await view.tree.scan(view.files.filter(search.wants), search.see);
    return search.ties();
  });
}

/** Files, directories and patterns that the task named; a missing file will be created by the task. */
function targetsIn(view: View, named: readonly string[]): { targets: string[]; missing: string[] } {
  const plain = named.map((path) => path.replace(/^(?:\.\/)+/, ''));
  const targets = new Set(plain.filter((path) => view.paths.has(path)));
  const wide = plain.filter((path) => !view.paths.has(path));
  const missing: string[] = [];
  for (const one of wide) {
    const scope = scopeOf([one], [...view.paths]);
    const inside = scope === null ? [] : [...view.paths].filter(scope);
    for (const path of inside.slice(0, MAX_FILES_PER_KIND)) targets.add(path);
    if (inside.length === 0) missing.push(one);
  }
  return { targets: [...targets].slice(0, MAX_FILES_PER_KIND), missing };
}
