/** Gives the rules over a diff what they need from git: texts of both sides, recent commits, and the words of the task. */
import type { Workspaces } from '../engine/ports/workspace.ts';
import { scriptFilesWanted } from '../mind/candidates/base-scripts.ts';
import { testMatcher } from '../mind/candidates/test-paths.ts';
import { addedLines, type ChangedFile, removedLines } from '../mind/changes/changed-file.ts';
import type { Settings } from '../mind/config/project-config.ts';
import { addedDangers } from '../mind/findings/added-dangers.ts';
import { grantedByWords } from '../mind/findings/granted-by-words.ts';
import { diffFindings, isEntry, offeredIn, type RuleFinding } from '../mind/findings/index.ts';
import { lockFilesNamed } from '../mind/findings/named-additions.ts';
import { dependencyFindings } from '../mind/gates/security/dependencies.ts';

/** Where the change begins and ends. */
type Between = { readonly base: string; readonly from: string; readonly tree: string };

const MOST_FILES = 2_000;
const MOST_COMMITS = 20;
const MOST_PATHS = 200;
/** A commit that touched more than this is a sweep; reading it would cost more than it tells. */
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

/** The paths of a base, and the texts of those that hold scripts; `leftOut` count as new. */
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

/** Protected paths that these words name, each with the words. */
export function namedPaths(words: string, files: readonly ChangedFile[]) {
  if (words === '') return { paths: [], dependencies: [], because: [] };
  const dependencies = dependencyFindings(files).added.map(({ name }) => name);
  const granted = grantedByWords(words, { paths: files.map(({ path }) => path), dependencies });
  const locks = lockFilesNamed(files, words).filter((path) => !granted.paths.includes(path));
  const because = locks.map((what) => ({ what, words: `its packages: ${granted.dependencies.join(', ')}` }));
  return { ...granted, paths: [...granted.paths, ...locks], because: [...granted.because, ...because] };
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
    /** A gate of the task looks for secrets and dangerous calls, and says more about them. */
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
    recent: await replacedLately(workspaces, between.base, files),
    offered: await offeredAt(workspaces, between.from),
    generated: sourceOfGenerated(new Set(await workspaces.paths(between.tree))),
  });
  return [...secrets, ...ofDiff, ...calls];
}

const NO_DANGERS: ReturnType<typeof addedDangers> = { secrets: [], calls: [] };

const MOST_ENTRIES = 50;

/** Names that the entries of a tree's packages pass on. */
export async function offeredAt(workspaces: Pick<Workspaces, 'paths' | 'read'>, tree: string) {
  const entries = (await workspaces.paths(tree)).filter(isEntry).slice(0, MOST_ENTRIES);
  const texts = await workspaces.read(tree, entries);
  return new Set(entries.flatMap((path, n) => offeredIn(path, texts[n] ?? null)));
}

/** Lines that recent commits took away, in files that now have more lines than before. */
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

/** By names alone: the source must be there under the name that its generator expects. */
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

/** What a worker must take back, and why; null: nothing. */
export function blockingText(findings: readonly RuleFinding[]): string | null {
  const blocking = findings.filter(({ blocks }) => blocks);
  if (blocking.length === 0) return null;
  const told = blocking.slice(0, MAX_TOLD).map(findingText);
  const rest = blocking.length - told.length;
  return `The change is refused: ${told.join(' ')}${rest === 0 ? '' : ` And ${rest} more.`}`;
}

export const findingText = ({ path, line, message }: RuleFinding): string =>
  `${path}${line === null ? '' : `:${line}`}: ${message.replace(/\.?$/, '.')}`;
