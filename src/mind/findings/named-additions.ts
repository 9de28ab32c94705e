/**
 * Whether changed key files of an environment only add packages that the operator's text names, each pinned by a hash.
 * Only then a preparation may run with them.
 */
import type { ChangedFile } from '../changes/changed-file.ts';
import { withoutOwnVersion } from '../environment/own-version.ts';
import { dependencyFindings, lockedIn, pinsPackages, wantedIn } from '../gates/security/dependencies.ts';
import type { Locked } from '../gates/security/dependency-facts.ts';
import { tomlEntries } from '../gates/security/toml-lines.ts';
import { grantedByWords } from './granted-by-words.ts';
import { quoted } from './rule.ts';

/** Manifests that are no programs, and in which packages can be told from other content. */
export const MANIFEST = /(?:^|\/)(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod)$/;

/** The lock files of a change that pins only what these words name. */
export function lockFilesNamed(files: readonly ChangedFile[], words: string): string[] {
  const locks = files.filter(({ path }) => pinsPackages(path)).map(({ path }) => path);
  const ofPackages = files.filter(({ path }) => locks.includes(path) || MANIFEST.test(path));
  return locks.length > 0 && notOnlyNamed(ofPackages, words) === null ? locks : [];
}

/** Returns null if nothing else changed; otherwise why nothing may be prepared, as the end of a sentence. */
export function notOnlyNamed(files: readonly ChangedFile[], words: string): string | null {
  if (words.trim() === '') return 'no words of the operator name a package';
  const unknown = files.find(({ path, after }) => after === null || !(pinsPackages(path) || MANIFEST.test(path)));
  if (unknown !== undefined) return `${unknown.path} holds more than packages`;
  const grave = dependencyFindings(files).findings.find(
    ({ rule, severity }) => severity === 'critical' || severity === 'high' || rule === 'dependencies-not-read',
  );
  if (grave !== undefined) return `${grave.path} ${grave.message}`;
  const rest = files.find((file) => restOf(file.path, file.before) !== restOf(file.path, file.after));
  if (rest !== undefined) return `more than packages changed in ${rest.path}`;
  const changed = files.flatMap(changedPackages);
  const names = changed.map(({ name }) => name);
  const named = new Set(grantedByWords(words, { paths: [], dependencies: names }).dependencies);
  const unnamed = changed.find(({ name, isIndirect }) => !isIndirect && !named.has(name));
  if (unnamed !== undefined) return `the task does not name the package ${quoted(unnamed.name)}`;
  return named.size === 0 ? 'the task names no package of it' : pinProblem(files, named);
}

/** Packages that a manifest adds or requests differently. go itself writes down indirect ones. */
function changedPackages({ path, before, after }: ChangedFile): { name: string; isIndirect: boolean }[] {
  const old = new Map(wantedIn(path, before ?? '').map(({ name, said }) => [name, said]));
  const lines = (after ?? '').split('\n');
  return wantedIn(path, after ?? '')
    .filter(({ name, said }) => old.get(name) !== said)
    .map(({ name, line }) => ({
      name,
      isIndirect: path.endsWith('go.mod') && /\/\/ indirect\s*$/.test(lines[(line ?? 0) - 1] ?? ''),
    }));
}

/** Every newly requested package must be pinned by a hash, and no other existing package may change. */
function pinProblem(files: readonly ChangedFile[], named: ReadonlySet<string>): string | null {
  const pins = new Set<string>();
  for (const { path, before, after } of files) {
    const [was, now] = [lockedIn(path, before ?? ''), lockedIn(path, after ?? '')];
    const left = new Map(now.map((one) => [one.key, one]));
    const moved = was.find((one) => !named.has(one.name) && !isSame(one, left.get(one.key)));
    if (moved !== undefined) return `${path} changes the package ${quoted(moved.name)} too`;
    const loose = now.find(({ origin, integrity }) => origin !== 'path' && integrity === null);
    if (loose !== undefined) return `${path} pins ${quoted(loose.name)} without a hash`;
    for (const { name } of now) pins.add(name);
  }
  const unpinned = [...named].find((name) => !pins.has(name));
  return unpinned === undefined ? null : `no lock file of the change pins ${quoted(unpinned)} with a hash`;
}

const isSame = (was: Locked, now: Locked | undefined): boolean =>
  now !== undefined &&
  now.version === was.version &&
  now.source === was.source &&
  now.integrity === was.integrity &&
  now.hasScript === was.hasScript;

const NPM_TABLES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
const TOML_TABLE = /(?:^|\.)(?:dev-|build-)?dependencies(?:\.|$)|^project\.optional-dependencies$|^dependency-groups$/;

/** The content of a manifest besides its packages. A lock file has none. */
export function restOf(path: string, text: string | null): string {
  const plain = withoutOwnVersion(path, text ?? '');
  if (/(?:^|\/)package\.json$/.test(path)) return npmRest(plain);
  if (/\.toml$/.test(path))
    return tomlEntries(plain)
      .filter(({ table, key }) => !TOML_TABLE.test(table) && !(table === 'project' && key === 'dependencies'))
      .map(({ table, key, value }) => `${table}\n${key}\n${value}`)
      .join('\n');
  if (/(?:^|\/)go\.mod$/.test(path))
    return plain.replace(/^require \([^)]*\)\n?|^require [^\n(]+\n?/gm, '').replace(/\n+/g, '\n');
  return '';
}

function npmRest(text: string): string {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([key]) => !NPM_TABLES.includes(key))));
  } catch {
    return text;
  }
}
