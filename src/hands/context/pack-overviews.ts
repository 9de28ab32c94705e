/** The map and the file tree of a project, redacted and ready to be cut to size. */
import type { PastCommit, ProjectTree, TreeFile } from '../../engine/ports/project-tree.ts';
import { endingOf, isCode, isTest } from '../../mind/code/languages.ts';
import { hasOutlines, outlineOf, outlineText } from '../../mind/code/outline.ts';
import type { Offer } from '../../mind/context/fit.ts';
import { MAX_HISTORY, MAX_OUTLINE_LINES } from '../../mind/context/limits.ts';
import { type Estimate, mapText, type Outline, pathsText, treeOf } from '../../mind/context/outlines.ts';
import { shownPath } from '../../mind/context/render.ts';
import type { RankedPath } from '../../mind/ranking/rank.ts';
import { type Terms, taskWeigher } from '../../mind/ranking/terms.ts';
import type { ContentCache } from './content-cache.ts';
import type { PackTools } from './pack-tools.ts';
import { isReadable, type View } from './pack-view.ts';

/** Outlines of larger files are too long to read. */
const MAX_OUTLINED = 1 << 18;

type MapWish = {
  readonly ranked: readonly RankedPath[];
  /** Lines with these words come first in a long outline. */
  readonly terms: Terms;
  readonly most: number;
  readonly hide: (path: string) => boolean;
  /** Files already in the packet; they need no outline. */
  readonly shown: ReadonlySet<string>;
};

export async function mapOffer(view: View, wanted: MapWish, tools: PackTools, estimate: Estimate): Promise<Offer> {
  const files = await mapFiles(view, wanted, tools.cache);
  const unseen = files.filter(({ path }) => !wanted.shown.has(path));
  const outlines = await outlinesOf(view.tree, unseen, wanted.terms, tools);
  const without = [...new Set(unseen.filter(({ path }) => !hasOutlines(path)).map(({ path }) => `.${endingOf(path)}`))];
  return {
    kind: 'map',
    path: null,
    text: null,
    score: 0,
    lines: null,
    most: Number.POSITIVE_INFINITY,
    why: `outlines of ${files.length} files${without.length === 0 ? '' : `; none are made of ${without.join(', ')} files`}`,
    shrink: (room, shown) => mapText(outlines, room, shown, estimate),
  };
}

/** Related files first, then the most changed ones, because a task of few words points to nothing. */
async function mapFiles(
  { tree, byPath }: View,
  { ranked, most, hide }: MapWish,
  cache: ContentCache,
): Promise<readonly TreeFile[]> {
  const found = new Map<string, TreeFile>();
  const add = (path: string): void => {
    const file = found.has(path) ? undefined : byPath.get(path);
    if (file !== undefined && isReadable(file) && file.bytes <= MAX_OUTLINED && !hide(path)) found.set(path, file);
  };
  for (const { path } of ranked) if (found.size < most && isCode(path)) add(path);
  if (found.size >= most) return [...found.values()];
  const usual = await cache.once(
    `usual ${tree.commit}`,
    (paths: readonly string[]) => paths.length * 100,
    async () => mostChanged(await tree.history(MAX_HISTORY)),
  );
  for (const path of usual) if (found.size < most) add(path);
  return [...found.values()];
}

/** No map lists more files. */
const MOST_USUAL = 1_000;

function mostChanged(history: readonly PastCommit[]): string[] {
  const often = new Map<string, number>();
  for (const { paths } of history) for (const path of paths) often.set(path, (often.get(path) ?? 0) + 1);
  // Sorted by name, then by count: sorting plain texts takes a tenth of the time of sorting pairs with a function.
  const byTimes = Map.groupBy([...often.keys()].sort(), (path) => often.get(path) ?? 0);
  const usual: string[] = [];
  for (const times of [...byTimes.keys()].sort((a, b) => b - a)) {
    for (const path of byTimes.get(times) ?? []) {
      if (usual.length >= MOST_USUAL) return usual;
      if (isCode(path) && !isTest(path)) usual.push(path);
    }
  }
  return usual;
}

async function outlinesOf(
  tree: ProjectTree,
  files: readonly TreeFile[],
  terms: Terms,
  { texts, cache, nameOf: nameOfTerms }: PackTools,
): Promise<readonly Outline[]> {
  const nameOf = ({ id, path }: TreeFile) => `outline ${id} ${path} ${nameOfTerms(terms)}`;
  const weigh = taskWeigher(terms);
  const missing = files.filter((file) => cache.get(nameOf(file)) === undefined);
  // Outlines cut long lines, and half a secret is not recognised. So files are redacted before, and names afterwards.
  const contents = await texts.read(tree, missing);
  const made = missing.map(({ path }, n) => {
    const content = contents[n];
    if (content === undefined || typeof content === 'string') return '';
    if (!hasOutlines(path)) return `${shownPath(path)}  (no outline: none are made of .${endingOf(path)} files)`;
    const outlined = outlineOf(path, content.text);
    return outlined.length === 0 ? '' : outlineText(shownPath(path), outlined, MAX_OUTLINE_LINES, weigh);
  });
  const clean = await texts.clean(made);
  for (const [n, file] of missing.entries()) {
    const text = clean[n] ?? '';
    cache.set(nameOf(file), text, text.length * 2 + 200);
  }
  const fresh = new Map(missing.map((file, n) => [nameOf(file), clean[n] ?? '']));
  return files.map((file) => ({
    path: file.path,
    text: fresh.get(nameOf(file)) ?? cache.get<string>(nameOf(file)) ?? '',
  }));
}

export async function pathsOffer(
  likely: readonly RankedPath[],
  { texts }: PackTools,
  estimate: Estimate,
): Promise<Offer> {
  const names = await texts.names(likely.flatMap(({ path, why }) => [path, why]));
  const lines = likely.map(({ path, why }) => `${names.get(path) ?? ''}  (${names.get(why) ?? ''})`);
  return {
    kind: 'paths',
    path: null,
    text: lines.join('\n'),
    score: 0,
    lines: null,
    most: Number.POSITIVE_INFINITY,
    why: `names of ${likely.length} files`,
    shrink: (room) => pathsText(lines, room, estimate),
  };
}

export async function treeOffer(
  { tree, files }: View,
  depth: number,
  room: number,
  { texts, cache }: PackTools,
  estimate: Estimate,
): Promise<Offer> {
  const drawn = await cache.once(
    `drawn ${tree.id} ${depth} ${room}`,
    (all: readonly string[]) => all.reduce((sum, text) => sum + text.length * 2, 200),
    async () => {
      const lines = treeOf(files.map(({ path }) => path));
      const all = Array.from({ length: depth }, (_, n) =>
        lines(depth - n)
          .map(shownPath)
          .join('\n'),
      );
      // A text that cannot fit need not be searched for secrets.
      return texts.clean(all.filter((text) => estimate(text) <= room));
    },
  );
  return {
    kind: 'tree',
    path: null,
    text: null,
    score: 0,
    lines: null,
    most: Number.POSITIVE_INFINITY,
    why: 'how the project is laid out',
    shrink: (most) => {
      const text = drawn.find((one) => one !== '' && estimate(one) <= most);
      return text === undefined ? null : { text, lines: null };
    },
  };
}
