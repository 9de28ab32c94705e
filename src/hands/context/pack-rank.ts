/** Ranks the files of a tree for a task. Its words are searched once; later only changed files are searched again. */

import type { TreeFile } from '../../engine/ports/project-tree.ts';
import { MAX_HISTORY } from '../../mind/context/limits.ts';
import type { Tie } from '../../mind/context/wishes.ts';
import type { WordCounts } from '../../mind/ranking/counts.ts';
import type { LookInput } from '../../mind/ranking/input.ts';
import { likeliest } from '../../mind/ranking/likely.ts';
import { type RankedPath, rankFiles } from '../../mind/ranking/rank.ts';
import { wordScanner } from '../../mind/ranking/scan.ts';
import { type FirstLook, firstLook } from '../../mind/ranking/signals.ts';
import { type Terms, termsOf } from '../../mind/ranking/terms.ts';
import type { ContentCache } from './content-cache.ts';
import { type ImporterSearch, Imports } from './pack-imports.ts';
import { decode } from './pack-texts.ts';
import type { View } from './pack-view.ts';

type RankAsk = {
  readonly text: string;
  readonly targets: readonly string[];
  readonly cap: number | null;
  /** Search all files, even those that only their words could make relevant. */
  readonly everywhere: boolean;
};
type RankedTree = {
  readonly terms: Terms;
  readonly ranked: readonly RankedPath[];
  /** The files that import the targets, among those that were read. */
  readonly importers: readonly Tie[];
};

type Views = { readonly base: View; readonly now: View };
type CountedFiles = {
  readonly counts: WordCounts;
  readonly importers: readonly Tie[];
};

/** `base` is where the task began: its word counts hold for all later trees, except for changed files. */
export function rankTree({ base, now }: Views, ask: RankAsk, cache: ContentCache): Promise<RankedTree> {
  const name = JSON.stringify([base.tree.commit, ask.targets, ask.text, ask.everywhere]);
  // The reason for a file comes from the signals of all files.
  const perFile = 160;
  const bytesOf = ({ ranked }: RankedTree) =>
    ranked.length * 200 + name.length * 2 + now.readable.files.length * perFile;
  return cache.once(`ranked ${now.tree.id} ${ask.cap} ${name}`, bytesOf, async () => {
    const found = { base: null as Outside | null };
    const bytesOfCounts = ({ counts }: CountedFiles) => counts.size * 8 + name.length * 2;
    const before = await cache.once(`counted ${name}`, bytesOfCounts, async () => {
      found.base = await lookOutside(base, ask.targets, await termsFor(base, ask, cache), cache);
      return lookInside(found.base, ask, cache);
    });
    const isSame = now.tree.id === base.tree.id;
    const { counts, importers } = isSame ? before : await recounted(before, { base, now });
    const known = isSame ? found.base : null;
    const { input, look, followed } = known ?? (await lookOutside(now, ask.targets, counts.terms, cache));
    const ranked = rankFiles({
      ...input,
      look,
      counts,
      cap: ask.cap,
      bytes: now.readable.bytes,
      imports: graphOf(followed, importers),
    });
    return { terms: counts.terms, ranked, importers };
  });
}

/** The search terms: words of the task, and names defined in its files. */
async function termsFor(view: View, ask: RankAsk, cache: ContentCache): Promise<Terms> {
  const targets = ask.targets.filter((path) => view.paths.has(path));
  const contents = await new Imports(view, cache).read(targets);
  const texts = targets.flatMap((path, n) => {
    const bytes = contents[n];
    return bytes ? [{ path, text: decode(bytes) }] : [];
  });
  return termsOf(ask.text, texts);
}

/** The signals that need no file opened except the targets. */
type Outside = {
  readonly view: View;
  readonly input: LookInput;
  readonly look: FirstLook;
  /** What the targets import. */
  readonly followed: readonly Tie[];
};

async function lookOutside(view: View, named: readonly string[], terms: Terms, cache: ContentCache): Promise<Outside> {
  const targets = named.filter((path) => view.paths.has(path));
  const past = await view.tree.history(MAX_HISTORY);
  const input = {
    places: view.readable.places,
    index: view.readable.index,
    targets,
    terms,
    now: null,
    history: past.map(({ time, paths, words }) => ({ time: time / 1000, paths, words })),
  };
  return { view, input, look: firstLook(input), followed: await new Imports(view, cache).follow(targets, 1) };
}

async function lookInside(outside: Outside, ask: RankAsk, cache: ContentCache): Promise<CountedFiles> {
  const { view, input, look, followed } = outside;
  const search = await new Imports(view, cache).search(input.targets);
  const some = ask.everywhere ? null : likeliest(input, look, graphOf(followed, []));
  const counts = await countTerms(input.terms, search, view, some);
  return { counts, importers: search.ties() };
}

/**
 * Counts the terms in each file, and finds importers of the targets on the way. `some`: the files to open; null for
 * all.
 */
async function countTerms(
  terms: Terms,
  search: ImporterSearch,
  { tree, readable }: View,
  some: Uint32Array | null,
): Promise<WordCounts> {
  const { files, index } = readable;
  const scanner = wordScanner(terms, files.length);
  const opened = some === null ? files : Array.from(some, (place) => files[place] as TreeFile);
  await tree.scan(opened, (file, bytes) => {
    scanner.add(index.get(file.path) as number, bytes);
    if (search.wants(file)) search.see(file, bytes);
  });
  return scanner.counts;
}

async function recounted({ counts, importers }: CountedFiles, { base, now }: Views): Promise<CountedFiles> {
  const { files, index } = now.readable;
  const isSame = ({ path, id }: TreeFile, view: View) => view.byPath.get(path)?.id === id;
  const places = Int32Array.from(base.readable.files, (file) =>
    isSame(file, now) ? (index.get(file.path) ?? -1) : -1,
  );
  const scanner = wordScanner(counts.terms, files.length, counts.moved(places, files.length));
  const changed = files.filter((file) => !isSame(file, base));
  await now.tree.scan(changed, ({ path }, bytes) => scanner.add(index.get(path) as number, bytes));
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
