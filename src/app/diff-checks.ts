/** Gives the rules over a diff what they need from git: texts of both sides, recent commits, and the words of the task. */
import type { Workspaces } from '../engine/ports/workspace.ts';
import { scriptFilesWanted } from '../mind/candidates/base-scripts.ts';
import { testMatcher } from '../mind/candidates/test-paths.ts';
import { addedLines, type ChangedFile, removedLines } from '../mind/changes/changed-file.ts';
import type { Settings } from '../mind/config/project-config.ts';
import { addedDangers } from '../mind/findings/added-dangers.ts';
import { blockingId } from '../mind/findings/blocking.ts';
import { changesBehaviour } from '../mind/findings/docs-only.ts';
import { grantedByKind } from '../mind/findings/granted-by-kind.ts';
import { grantedByWords } from '../mind/findings/granted-by-words.ts';
import { diffFindings, goPackages, isEntry, offeredIn, type RuleFinding } from '../mind/findings/index.ts';
import { lockFilesNamed } from '../mind/findings/named-additions.ts';
import { dependencyFindings } from '../mind/gates/security/dependencies.ts';

/** The two ends of a change. */
type Between = { readonly base: string; readonly from: string; readonly tree: string };

const MOST_FILES = 2_000;
const MOST_COMMITS = 20;
const MOST_PATHS = 200;
/** A commit that touched more paths is a sweep: it costs more to read than it shows. */
const MOST_TOUCHED = 50;

/** Both sides of each changed file. */
export async function textsBetween(
  workspaces: Pick<Workspaces, 'read'>,
  { from, tree }: Pick<Between, 'from' | 'tree'>,
  paths: readonly string[],
): Promise<ChangedFile[]> {
  const wanted = paths.slice(0, MOST_FILES);
  const [before, after] = await Promise.all([workspaces.read(from, wanted), workspaces.read(tree, wanted)]);
  return wanted.map((path, n) => ({ path, before: before[n] ?? null, after: after[n] ?? null }));
}

/** The paths of a base, and the texts of files that hold scripts. Paths in `leftOut` count as new. */
export async function baseOf(
  workspaces: Pick<Workspaces, 'paths' | 'read'>,
  base: string,
  leftOut: ReadonlySet<string>,
) {
  const basePaths = (await workspaces.paths(base)).filter((path) => !leftOut.has(path));
  const wanted = scriptFilesWanted(basePaths);
  const texts = await workspaces.read(base, wanted);
  const baseTexts = new Map(wanted.flatMap((path, n) => (typeof texts[n] === 'string' ? [[path, texts[n]]] : [])));
  return { basePaths, baseTexts };
}

/** Protected paths that the task's words mention, each with those words. */
export function namedPaths(words: string, files: readonly ChangedFile[]) {
  if (words === '') return { paths: [], dependencies: [], because: [] };
  const dependencies = dependencyFindings(files).added.map(({ name }) => name);
  const granted = grantedByWords(words, { paths: files.map(({ path }) => path), dependencies });
  const locks = lockFilesNamed(files, words).filter((path) => !granted.paths.includes(path));
  const because = [
    ...grantedByKind(words, files).filter(({ what }) => !granted.paths.includes(what)),
    ...locks.map((what) => ({ what, words: `its packages: ${granted.dependencies.join(', ')}` })),
  ];
  const paths = [...new Set([...granted.paths, ...because.map(({ what }) => what)])];
  return { ...granted, paths, because: [...granted.because, ...because] };
}

export async function findingsOf(
  workspaces: Workspaces,
  between: Between,
  ask: {
    readonly files: readonly ChangedFile[];
    readonly words: string;
    readonly settings: Settings;
    readonly grants: readonly string[];
    readonly mayPutOff: boolean;
    /** Paths that the worker says it changed. */
    readonly claims: readonly string[];
    /** True if a gate of the task already looks for secrets and dangerous calls, in more detail. */
    readonly secured: boolean;
  },
): Promise<readonly RuleFinding[]> {
  const { files, words, settings, grants, mayPutOff, claims, secured } = ask;
  const { secrets, calls } = secured ? NO_DANGERS : addedDangers(files, testMatcher(settings.testPaths));
  const ofDiff = diffFindings({
    files,
    task: words,
    testPaths: settings.testPaths,
    claims,
    grants,
    mayPutOff,
    continues: await hasEarlierWork(workspaces, between, settings.testPaths),
    recent: await replacedLately(workspaces, between.base, files),
    offered: await offeredAt(workspaces, between.from),
    generated: sourceOfGenerated(new Set(await workspaces.paths(between.tree))),
  });
  return [...secrets, ...ofDiff, ...calls];
}

/** Whether earlier steps changed behaviour already. */
async function hasEarlierWork(workspaces: Workspaces, { base, from }: Between, testPaths: readonly string[]) {
  if (from === base) return false;
  const paths = (await workspaces.changesBetween(base, from)).map(({ path }) => path);
  return changesBehaviour(await textsBetween(workspaces, { from: base, tree: from }, paths), testPaths);
}

const NO_DANGERS: ReturnType<typeof addedDangers> = { secrets: [], calls: [] };

const MOST_ENTRIES = 50;

/** Names that the entry files of a tree's packages re-export, and the Go packages that others may import. */
export async function offeredAt(workspaces: Pick<Workspaces, 'paths' | 'read'>, tree: string) {
  const paths = await workspaces.paths(tree);
  const entries = paths.filter(isEntry).slice(0, MOST_ENTRIES);
  const texts = await workspaces.read(tree, entries);
  return new Set([...entries.flatMap((path, n) => offeredIn(path, texts[n] ?? null)), ...goPackages(paths)]);
}

/** Lines that recent commits removed from files that have grown since. */
async function replacedLately(workspaces: Workspaces, base: string, files: readonly ChangedFile[]) {
  const grown = files.filter((file) => addedLines(file).length > 0 && file.before !== null).map(({ path }) => path);
  const paths = grown.slice(0, MOST_PATHS);
  if (paths.length === 0) return [];
  const wanted = new Set(paths);
  const commits = await workspaces.history(base, paths, MOST_COMMITS);
  const found = await Promise.all(
    commits.map(async ({ commit, parent }) => {
      const all = await workspaces.changesBetween(parent, commit);
      const touched = all.map(({ path }) => path).filter((path) => wanted.has(path));
      if (touched.length === 0 || all.length > MOST_TOUCHED) return [];
      const texts = await textsBetween(workspaces, { from: parent, tree: commit }, touched);
      return texts.map((file) => ({ commit, path: file.path, removed: removedLines(file).map(({ text }) => text) }));
    }),
  );
  return found.flat().filter(({ removed }) => removed.length > 0);
}

const GENERATED: readonly (readonly [RegExp, string])[] = [
  [/\.pb(?:\.gw)?\.go$/, '.proto'],
  [/_pb2(?:_grpc)?\.pyi?$/, '.proto'],
  [/_pb\.(?:js|ts|d\.ts)$/, '.proto'],
  [/\.min\.(?:js|css)$/, '.$1'],
];

/** By name only: the source must exist under the name that the generator expects. */
export function sourceOfGenerated(paths: ReadonlySet<string>): (path: string) => string | null {
  return (path) => {
    for (const [ending, source] of GENERATED) {
      if (!ending.test(path)) continue;
      const kind = /\.(js|css)$/.exec(path)?.[1] ?? '';
      const at = path.replace(ending, source.replace('$1', kind));
      if (paths.has(at)) return at;
    }
    return null;
  };
}

const MAX_TOLD = 10;

/** What the worker must take back, and why; null if nothing. */
export function blockingText(findings: readonly RuleFinding[]): string | null {
  const blocking = findings.filter(({ blocks }) => blocks);
  if (blocking.length === 0) return null;
  const told = blocking.slice(0, MAX_TOLD).map((one) => `${findingText(one)} (${blockingId(one)})`);
  const rest = blocking.length - told.length;
  return `The change is refused: ${told.join(' ')}${rest === 0 ? '' : ` And ${rest} more.`}`;
}

export const findingText = ({ path, line, message }: RuleFinding): string =>
  `${path}${line === null ? '' : `:${line}`}: ${message.replace(/\.?$/, '.')}`;
