/** What a plan wants to show of one tree: a wish for every file that some source suggests. */
import { isCode, isDoc, isTest } from '../code/languages.ts';
import { isInterfaceFile } from '../code/public-api.ts';
import type { PartKind } from '../fields/part-kinds.ts';
import type { Variable } from '../fields/variables.ts';
import type { RankedPath } from '../ranking/rank.ts';
import type { Wish } from './candidates.ts';
import type { Plan } from './plan.ts';
import { globsOf, meant, type VariableSets } from './variables.ts';

/** A file that is tied to another one. */
export type Tie = { readonly path: string; readonly to: string; readonly hop: number };

export type FoundFiles = {
  readonly plan: Plan;
  /** Existing targets, and missing ones. */
  readonly targets: readonly string[];
  readonly missing: readonly string[];
  readonly changed: readonly string[];
  /** Files that did not exist before the change. */
  readonly added: ReadonlySet<string>;
  /** What the targets (and changed files) import; their importers, as far as files were searched; their tests. */
  readonly imported: readonly Tie[];
  readonly importers: readonly Tie[];
  readonly tests: readonly Tie[];
  /** Best first. */
  readonly ranked: readonly RankedPath[];
  /** Files of the component, for `$COMPONENT_PUBLIC_API`. */
  readonly component: readonly string[];
  /** Patterns of project knowledge. */
  readonly knowledge: readonly string[];
  /** Returns the tree's paths that match some patterns. */
  readonly matching: (patterns: readonly string[]) => readonly string[];
};

const CHANGE_LOG = /(?:^|\/)(?:change[-_]?log|changes|history|news|release[-_ ]?notes)[^/]*$/i;

/** How many of the best are searched for interfaces; lower ones have little to do with the task. */
const NEAR = 60;

export function wishesFor(found: FoundFiles): Wish[] {
  const { plan, ranked } = found;
  const best = ranked[0]?.score ?? 1;
  const scores = new Map(ranked.map(({ path, score }) => [path, best > 0 ? score / best : 0]));
  const score = (path: string): number => scores.get(path) ?? 0;
  const wishes: Wish[] = [];
  const wish = (kind: PartKind, path: string, points: number, why: string) => {
    if (plan.uses.has(kind)) wishes.push({ kind, path, score: points, why });
  };

  for (const [pattern, path] of alwaysOf(found)) wish('always_include', path, 0, `always_include ${pattern}`);
  // A missing file is listed too, as one that could not be shown.
  for (const [n, path] of [...found.targets, ...found.missing].entries())
    wish('target_file', path, 1 - n / 1e6, 'named by the task');
  for (const path of found.changed) {
    // The diff of a new file contains all of it.
    if (plan.uses.has('git_diff') && found.added.has(path)) continue;
    wish('changed_files', path, 1 + score(path) - (isTest(path) ? 1 : 0), 'changed by the task');
  }
  for (const { path, to, hop } of found.imported)
    wish('imports', path, 2 / hop + score(path), hop === 1 ? `imported by ${to}` : `imported by way of ${to}`);
  if (plan.importers)
    for (const { path, to } of found.importers)
      wish(isTest(path) ? 'tests' : 'imports', path, 3 + score(path), `imports ${to}`);
  for (const { path, to } of found.tests) wish('tests', path, 4 + score(path), `tests ${to}`);
  for (const path of interfacesOf(found)) wish('interfaces', path, 1 + score(path), 'defines interfaces');
  if (plan.api)
    for (const [n, path] of found.component.entries())
      wish('interfaces', path, 3 + score(path) - n / 1e6, 'public API of the component');
  for (const path of knowledgeOf(found))
    wish('knowledge', path, path.split('/').length + score(path), 'project knowledge');
  // A change log changes together with everything: its name is enough, and its score would put the floor above all
  // other files.
  const readable = plan.uses.has('paths') ? ranked.filter(({ path }) => !CHANGE_LOG.test(path)) : ranked;
  const least = plan.floor * (readable[0]?.score ?? 0);
  for (const { path, score: points, why } of readable.slice(0, 2 * (plan.uses.get('related')?.maxFiles ?? 0)))
    if (points >= least) wish('related', path, points, why);
  for (const pattern of globsOf(plan.include)) {
    const worth = (path: string): number => {
      // Code and documents are preferred where a pattern also matches images, data and tests.
      const kind = isDoc(path) || (isCode(path) && !isTest(path)) ? 0.5 : 0;
      return (pattern === path || pattern === `./${path}` ? 2 : 0) + kind + score(path) - path.split('/').length / 20;
    };
    const matched = found.matching([pattern]).map((path) => ({ path, points: worth(path) }));
    matched.sort((a, b) => b.points - a.points);
    // A pattern with many files leaves room for the best of the others.
    for (const [n, { path, points }] of matched.entries()) wish('files', path, points - n / 10, `matches ${pattern}`);
  }
  return wishes;
}

/** With the pattern that matched each; a missing plain path is included, so that it gets reported. */
function* alwaysOf(found: FoundFiles): Iterable<readonly [string, string]> {
  const sets = setsOf(found);
  for (const pattern of found.plan.always) {
    const paths = sets[pattern as Variable] ?? found.matching([pattern]);
    for (const path of paths) yield [pattern, path];
    if ([...paths].length === 0 && !/[*?$]|\/$/.test(pattern)) yield [pattern, pattern.replace(/^\.\//, '')];
  }
}

/** Agents' files in a directory apply to what is below it; files that the config names always count. */
function knowledgeOf({ knowledge, matching, targets, changed }: FoundFiles): string[] {
  const about = [...targets, ...changed];
  return matching(knowledge).filter((path) => {
    const directory = path.slice(0, path.lastIndexOf('/') + 1);
    return !AGENTS_FILE.test(path) || directory === '' || about.some((one) => one.startsWith(directory));
  });
}

const AGENTS_FILE = /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI)\.md$/;

function interfacesOf({ targets, changed, imported, importers, ranked }: FoundFiles): string[] {
  const near = [...targets, ...changed, ...imported.map(({ path }) => path), ...importers.map(({ path }) => path)];
  const all = new Set([...near, ...ranked.slice(0, NEAR).map(({ path }) => path)]);
  return [...all].filter((path) => isInterfaceFile(path));
}

function setsOf(found: Omit<FoundFiles, 'matching' | 'knowledge'>): VariableSets {
  const component = new Set(found.component);
  return {
    $TARGET: new Set(found.targets),
    $TARGET_IMPORTS: new Set(found.imported.map(({ path }) => path)),
    $CHANGED_FILES: new Set(found.changed),
    $INTERFACE_DEFINITIONS: new Set(interfacesOf(found as FoundFiles)),
    $COMPONENT_PUBLIC_API: component,
    $IMPLEMENTATION_INTERNALS: component,
  };
}

/** Why a path must not be shown, by the lists of role and strategy. Internals are no reason: their API is shown. */
export function excluderOf(found: FoundFiles, componentOnly = false): (path: string) => string | null {
  const patterns = found.plan.exclude.filter((pattern) => pattern !== '$IMPLEMENTATION_INTERNALS');
  const isMeant = meant(patterns, setsOf(found));
  const isOutside = componentOnly ? outside(found) : () => false;
  return (path) =>
    isMeant(path)
      ? 'excluded by the role or strategy'
      : isOutside(path)
        ? 'outside of the component (context_scope: component_only)'
        : null;
}

/** Code of other components. Interfaces are shared by components; if no component is known, nothing is outside. */
function outside({ component, targets, changed, tests }: FoundFiles): (path: string) => boolean {
  const own = new Set([...component, ...targets, ...changed, ...tests.map(({ path }) => path)]);
  return (path) => own.size > 0 && isCode(path) && !isInterfaceFile(path) && !own.has(path);
}

/**
 * The component of a task: its files and the changed ones, then what lies beside them. Tests, interface definitions and
 * documents are no internals.
 */
export function componentOf(paths: Iterable<string>, targets: readonly string[], changed: readonly string[]): string[] {
  const inner = (path: string) => isCode(path) && !isTest(path) && !isInterfaceFile(path);
  const own = [...new Set([...targets, ...changed])].filter(inner);
  if (own.length === 0) return [];
  const directories = [...new Set(own.map((path) => path.slice(0, path.lastIndexOf('/') + 1)))];
  const isBeside = (path: string) =>
    directories.some((directory) => path.startsWith(directory) && path.indexOf('/', directory.length) < 0);
  const beside: string[] = [];
  for (const path of paths) if (isBeside(path) && inner(path) && !own.includes(path)) beside.push(path);
  return [...own, ...beside];
}

/** Whether only the public API of a file may be shown. If no component is known, that applies to all code. */
export function apiOnlyOf({ plan, component }: FoundFiles): (path: string) => boolean {
  if (!plan.apiOnly) return () => false;
  const known = new Set(component);
  return (path) => (known.size > 0 ? known.has(path) : isCode(path) && !isTest(path) && !isInterfaceFile(path));
}
