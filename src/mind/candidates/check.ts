/**
 * Judges what a candidate changed, before any gate runs: existing tests, protected paths, locked interfaces, the scope
 * of the task, and the places where the environment is mounted. Decides by names and modes, and by the text of
 * package.json.
 */

import type { Spec } from '../domain/values.ts';
import type { ServiceConfig } from '../environment/environment-config.ts';
import { withoutOwnVersion } from '../environment/own-version.ts';
import { type Matcher, matcher } from '../fields/globs.ts';
import type { GateConfig } from '../gates/gate-config.ts';
import { commandsOf } from '../gates/kinds.ts';
import type { PathChange, Violation } from './change.ts';
import { folded } from './fold.ts';
import { type CheckedCommand, gateFiles } from './gate-files.ts';
import { isPackageJson, packageJsonProblem } from './package-json.ts';
import { LOCK_FILES, NEVER_GRANTED, PROTECTED, type Protection } from './protected-paths.ts';
import { scopeOf } from './scope.ts';
import { type TestAware, testAwareLines } from './test-aware.ts';
import { changedTests, testMatcher } from './test-paths.ts';
import { isTomlManifest, onlyPackagesDiffer } from './toml-manifest.ts';

export type CandidateFacts = {
  readonly changed: readonly PathChange[];
  /** All files and links of the base. */
  readonly basePaths: readonly string[];
  /** Texts of the base's files that `scriptFilesWanted` named; unreadable ones are left out. */
  readonly baseTexts: ReadonlyMap<string, string>;
  /** Returns both texts of a path that `textsWanted` named; null if it does not exist or cannot be read. */
  readonly texts: (path: string) => { readonly before: string | null; readonly after: string | null };
  readonly spec: Pick<Spec, 'files' | 'allow' | 'gates'>;
  /** The grants of the step's role, and the only paths it may change. */
  readonly step?: { readonly grants: readonly string[]; readonly scope: readonly string[] };
  readonly settings: {
    readonly testPaths: readonly string[];
    readonly protect: readonly string[];
    readonly gates?: readonly GateConfig[];
    readonly environment?: {
      readonly key: readonly string[];
      readonly services?: readonly Pick<ServiceConfig, 'name' | 'command' | 'ready'>[];
    } | null;
  };
  /** Environment outputs inside the tree. */
  readonly outputs: readonly string[];
  /** Protected paths that the operator's text names; absent if none. */
  readonly named?: ReadonlySet<string>;
  /** Existing test files to which the change only adds: the additions count as new tests. */
  readonly insertions?: ReadonlySet<string>;
};

export type CandidateCheck = {
  /** At most one for each path, sorted; empty if gates may run. */
  readonly violations: readonly Violation[];
  /** Existing tests that differ from the base, granted or not: reviewers and gates must know them. */
  readonly touchedTests: readonly string[];
  /** For reviewers; refuses nothing. */
  readonly flags: readonly TestAware[];
  /** Paths that pass only because of a grant, for the record. */
  readonly granted: readonly Violation[];
};

const MAX_FLAGGED_FILES = 200;
const MAX_FLAGGED_TEXT = 2 << 20;
const MAX_FLAGS = 50;

/** Files that `checkCandidate` needs on both sides: some to decide, others to search for suspicious lines. */
export function textsWanted(changed: readonly PathChange[]): string[] {
  const isDecisive = (plain: string) => isPackageJson(plain) || isTomlManifest(plain) || isLockFile(plain);
  const decisive = new Set(changed.filter(({ path }) => isDecisive(folded(path))));
  const others = changed.filter((change) => change.after?.startsWith('100') === true && !decisive.has(change));
  return [...decisive, ...others.slice(0, MAX_FLAGGED_FILES)].map(({ path }) => path);
}

export function checkCandidate(facts: CandidateFacts): CandidateCheck {
  const { changed, basePaths, spec, settings, outputs } = facts;
  const mounted = outputViolations(changed, basePaths, outputs);
  const found = new Map(mounted.map((one) => [one.path, one]));
  const granted: Violation[] = [];
  const { grants, scope } = facts.step ?? { grants: [], scope: [] };
  const allowed = matcher([...(spec.allow ?? []), ...grants]);
  const isGranted = (path: string) => allowed(path) || facts.named?.has(path) === true;
  const inScope = scopeOf(spec.files, basePaths);
  const isOfRole = scope.length === 0 ? null : matcher(scope);
  const isTest = testMatcher(settings.testPaths);
  const protectedBy = protections(facts, isTest);
  for (const change of changed) {
    const { path } = change;
    if (found.has(path)) continue;
    const never = isNeverGranted(folded(path)) ? violation(path, NEVER_GRANTED) : null;
    const one = never ?? protectedBy(change);
    const isAddition = one?.kind === 'tests' && facts.insertions?.has(path) === true;
    if (one !== null && (one === never || !(isGranted(path) || isAddition))) found.set(path, one);
    else if (one !== null) granted.push(one);
    else if (inScope !== null && !inScope(path) && !isGranted(path) && !isTest(path))
      found.set(path, { path, kind: 'scope', reason: OUT_OF_SCOPE });
    else if (isOfRole !== null && !isOfRole(path)) found.set(path, { path, kind: 'scope', reason: NOT_OF_ROLE });
  }
  return {
    violations: [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    touchedTests: changedTests(changed, settings.testPaths),
    flags: flagsOf(facts, isTest),
    granted,
  };
}

function flagsOf({ changed, texts }: CandidateFacts, isTest: Matcher): TestAware[] {
  const wanted = new Set(textsWanted(changed));
  const flags: TestAware[] = [];
  let read = 0;
  for (const { path } of changed) {
    if (!wanted.has(path) || isTest(path)) continue;
    const { before, after } = texts(path);
    read += after?.length ?? 0;
    if (read > MAX_FLAGGED_TEXT || flags.length >= MAX_FLAGS) break;
    if (after !== null) flags.push(...testAwareLines(path, before, after));
  }
  return flags.slice(0, MAX_FLAGS);
}

const OUT_OF_SCOPE = 'is not among the files of this task: restore it, or remove it if it is new';
const NOT_OF_ROLE = 'is not among the paths that your role may change: restore it, or remove it if it is new';
const EXISTING_TEST = 'is an existing test: restore it, and write new tests into new files';
const LOCKED = 'is locked by the configuration of the project: restore it';

/** Takes a folded path (`fold.ts`). */
export const isNeverGranted = matcher(NEVER_GRANTED.patterns, { ignoreCase: true });
export const isLockFile = matcher(LOCK_FILES.patterns, { ignoreCase: true });
/** Samples that people copy; no program loads them. */
const SAMPLE_ENV = /(?:^|\/)\.?env\.(?:example|sample|template|dist)$/;
const SHIPPED = PROTECTED.map((protection) => ({
  protection,
  covers: matcher(protection.patterns, { ignoreCase: true }),
}));

/** The protections that hold for every change; null if there is no violation. */
function protections(facts: CandidateFacts, isTest: Matcher): (change: PathChange) => Violation | null {
  const isLocked = matcher(facts.settings.protect, { ignoreCase: true });
  const covered = coveredTests(facts, isTest);
  const run = gateFiles(runningOf(facts), facts.basePaths, facts.baseTexts);
  return (change) => {
    const { path, before } = change;
    const plain = folded(path);
    if (saysNothingNew(change, facts.texts(path))) return null;
    const shipped = SAMPLE_ENV.test(plain) ? undefined : SHIPPED.find(({ covers }) => covers(plain));
    if (shipped !== undefined) return violation(path, shipped.protection);
    if (isLocked(plain) || isLocked(path)) return { path, kind: 'locked', reason: LOCKED };
    if ((before !== null && isTest(path)) || covered.has(path)) return { path, kind: 'tests', reason: EXISTING_TEST };
    if (isLockFile(plain) && facts.settings.environment?.key.includes(path) !== true)
      return violation(path, LOCK_FILES);
    const who = run.get(path);
    if (who !== undefined) return { path, kind: 'gate_config', reason: `is run by ${who}: restore it` };
    return isPackageJson(plain) ? packageJson(change, facts.texts(path)) : null;
  };
}

/** Only packages, which have rules of their own, or the project's own version. */
function saysNothingNew(
  { path, before, after }: PathChange,
  texts: { before: string | null; after: string | null },
): boolean {
  if (before?.startsWith('100') !== true || after?.startsWith('100') !== true) return false;
  if (isTomlManifest(folded(path))) return onlyPackagesDiffer(texts.before, texts.after);
  if (!isLockFile(folded(path)) || texts.before === null || texts.after === null) return false;
  return withoutOwnVersion(path, texts.before) === withoutOwnVersion(path, texts.after);
}

/** A service runs beside the gates in the same tree and can rewrite it. */
export function runningOf({ settings, spec }: Pick<CandidateFacts, 'settings' | 'spec'>): CheckedCommand[] {
  const gates = [
    ...(settings.gates ?? []).flatMap((gate) => commandsOf(gate).map((command) => ({ name: gate.name, command }))),
    ...(spec.gates ?? []),
  ];
  const services = settings.environment?.services ?? [];
  return [
    ...gates.map(({ name, command }) => ({ who: `gate ${name}`, command })),
    ...services.flatMap(({ name, command, ready }) =>
      [command, ...(ready === undefined ? [] : [ready])].map((one) => ({ who: `service ${name}`, command: one })),
    ),
  ];
}

/**
 * Changed paths that some file system takes for an existing test, or for a directory above one: `Test/A.test.js` beside
 * `test/a.test.js`, or a link named `test`.
 */
function coveredTests({ changed, basePaths }: CandidateFacts, isTest: Matcher): ReadonlySet<string> {
  const added = new Map<string, string[]>();
  for (const { path, after } of changed) {
    if (after === null) continue;
    const plain = folded(path);
    added.set(plain, [...(added.get(plain) ?? []), path]);
  }
  const found = new Set<string>();
  for (const path of basePaths) {
    const plain = folded(path);
    for (let end = plain.indexOf('/'); ; end = plain.indexOf('/', end + 1)) {
      const hits = added.get(end < 0 ? plain : plain.slice(0, end));
      if (hits !== undefined && isTest(path)) for (const hit of hits) found.add(hit);
      if (end < 0) break;
    }
  }
  return found;
}

function packageJson({ path, before, after }: PathChange, texts: { before: string | null; after: string | null }) {
  const reason = packageJsonProblem(side(before, texts.before), side(after, texts.after));
  return reason === null ? null : ({ path, kind: 'gate_config', reason } satisfies Violation);
}

/** Programs read a link's target, not its text. */
const side = (entry: string | null, text: string | null) => ({
  there: entry !== null,
  text: entry?.startsWith('100') === true ? text : null,
});

const violation = (path: string, { kind, reason }: Protection): Violation => ({ path, kind, reason });

/**
 * A candidate must have nothing where environment outputs are mounted: a mount follows a link and hides what is below
 * it.
 */
const LEFT_BEHIND =
  'is where the prepared environment is mounted, so gates would not see it (or see it somewhere else): restore it, or remove it if it is new';
const OF_THE_BASE =
  'is in the base, where the environment is mounted: the operator must remove it, or change `environment.outputs`';

/**
 * Everything of the candidate at, above or below an output. Files below would land without any gate having seen them.
 * The base's own files below are allowed if unchanged; at or above, no gate could be trusted.
 */
function outputViolations(
  changed: readonly PathChange[],
  basePaths: readonly string[],
  outputs: readonly string[],
): Violation[] {
  const mounts = outputs.map((output) => folded(output).replace(/^\.\//, '').replace(/\/$/, ''));
  if (mounts.length === 0) return [];
  const above = new Set(mounts.flatMap(withParents));
  const below = mounts.map((mount) => `${mount}/`);
  const touched = new Set(changed.map(({ path }) => path));
  const guilty = changed.filter(({ path, after }) => {
    const plain = folded(path);
    return after !== null && (above.has(plain) || below.some((prefix) => plain.startsWith(prefix)));
  });
  const old = basePaths.filter((path) => !touched.has(path) && above.has(folded(path)));
  return [
    ...guilty.map(({ path }): Violation => ({ path, kind: 'environment', reason: LEFT_BEHIND })),
    ...old.map((path): Violation => ({ path, kind: 'environment', reason: OF_THE_BASE })),
  ];
}

function withParents(path: string): string[] {
  const names = path.split('/');
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
}
