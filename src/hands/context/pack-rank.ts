/** Which files of a tree matter for a task: its words are looked for once, and only in changed files again. */

import type { TreeFile } from '../../engine/ports/project-tree.ts';
import { MAX_HISTORY } from '../../mind/context/limits.ts';
import type { Tie } from '../../mind/context/wishes.ts';
import type { WordCounts } from '../../mind/ranking/counts.ts';
import { type Ranked, rankFiles } from '../../mind/ranking/rank.ts';
import { wordScanner } from '../../mind/ranking/scan.ts';
import { type Terms, termsOf } from '../../mind/ranking/terms.ts';
import { Imports } from './pack-imports.ts';
import { decode } from './pack-texts.ts';
import type { Tools } from './pack-tools.ts';
import type { View } from './pack-view.ts';
import { countTerms } from './pack-words.ts';

export type RankAsk = { readonly text: string; readonly targets: readonly string[]; readonly cap: number | null };
export type RankedTree = {
  readonly terms: Terms;
  readonly ranked: readonly Ranked[];
  /** Who imports the targets. */
  readonly importers: readonly Tie[];
};

export type RankTools = Pick<Tools, 'cache' | 'words'>;
type Views = { readonly base: View; readonly now: View };
type Counted = {
  readonly counts: WordCounts;
  readonly importers: readonly Tie[];
};

/** `base` is where the task began: what it says of the words holds for all later trees, but for what changed. */
export function rankTree({ base, now }: Views, ask: RankAsk, tools: RankTools): Promise<RankedTree> {
  const { cache } = tools;
  const name = JSON.stringify([base.tree.commit, ask.targets, ask.text]);
  const bytesOf = ({ ranked }: RankedTree) => ranked.length * 200 + name.length * 2;
  return cache.once(`ranked ${now.tree.id} ${ask.cap} ${name}`, bytesOf, async () => {
    const before = await counted(base, ask, name, tools);
    const { counts, importers } = now.tree.id === base.tree.id ? before : await recounted(before, { base, now });
    const targets = ask.targets.filter((path) => now.paths.has(path));
    const followed = await new Imports(now, cache).follow(targets, 1);
    const ranked = rankFiles({
      ...now.facts,
      index: now.readable,
      targets,
      counts,
      history: (await now.tree.history(MAX_HISTORY)).map(({ time, paths }) => ({ time: time / 1000, paths })),
      now: null,
      imports: graphOf(followed, importers),
      cap: ask.cap,
    });
    return { terms: counts.terms, ranked, importers };
  });
}

function counted(base: View, ask: RankAsk, name: string, { cache, words }: RankTools): Promise<Counted> {
  const bytesOf = ({ counts }: Counted) => counts.size * 18 + counts.totals.length * 4 + name.length * 2;
  return cache.once(`counted ${name}`, bytesOf, async () => {
    const targets = ask.targets.filter((path) => base.paths.has(path));
    const imports = new Imports(base, cache);
    const contents = await imports.read(targets);
    const texts = targets.flatMap((path, n) => {
      const bytes = contents[n];
      return bytes ? [{ path, text: decode(bytes) }] : [];
    });
    const terms = termsOf(ask.text, texts);
    const search = await imports.search(targets);
    const looked = { tree: base.tree, blobs: base.facts.blobs, fileAt: base.readable.fileAt, words };
    const counts = await countTerms(terms, search, looked, base.readable.get);
    return { counts, importers: search.ties() };
  });
}

async function recounted({ counts, importers }: Counted, { base, now }: Views): Promise<Counted> {
  const [before, after] = [base.facts.readable, now.facts.readable];
  const isSame = ({ path, id }: TreeFile, view: View) => view.byPath.get(path)?.id === id;
  const places = Int32Array.from(before, (_, place) => {
    const file = base.readable.fileAt(place);
    return isSame(file, now) ? (now.readable.get(file.path) ?? -1) : -1;
  });
  const scanner = wordScanner(counts.terms, after.length, counts.moved(places, after.length));
  const changed = Array.from(after, (n) => now.byPath.fileAt(n)).filter((file) => !isSame(file, base));
  await now.tree.scan(changed, ({ path }, bytes) => scanner.add(now.readable.get(path) as number, bytes));
  return { counts: scanner.counts, importers: importers.filter(({ path }) => now.paths.has(path)) };
}

function graphOf(followed: readonly Tie[], importers: readonly Tie[]) {
  const group = (ties: readonly (readonly [string, string])[]) => {
    const all = new Map<string, string[]>();
    for (const [from, to] of ties) {
      const known = all.get(from);
      if (known === undefined) all.set(from, [to]);
      else known.push(to);
    }
    return (path: string): readonly string[] => all.get(path) ?? [];
  };
  const forward = followed.map(({ path, to }) => [to, path] as const);
  const backward = importers.map(({ path, to }) => [path, to] as const);
  return {
    of: group([...forward, ...backward]),
    by: group([...forward, ...backward].map(([from, to]) => [to, from] as const)),
  };
}
