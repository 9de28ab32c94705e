/** What a change does to a project's packages: new ones, other sources, scripts that run on install. */
import type { ChangedFile } from '../../changes/changed-file.ts';
import type { Severity } from '../../changes/finding.ts';
import {
  type DependencyManifest,
  hostOf,
  type Locked,
  type PackageEcosystem,
  type ReadProblem,
  type RequestedDependency,
} from './dependency-facts.ts';
import { lockFindings } from './lock-changes.ts';
import { readGemfileLock, readGoSum, readNpmLock, readPnpmLock, readTomlLock, readYarnLock } from './locks.ts';
import { readPackageJson } from './manifest-npm.ts';
import {
  readCargoToml,
  readGemfile,
  readGoMod,
  readPyproject,
  readRegistryFile,
  readRequirements,
  readSetupPy,
} from './manifest-others.ts';
import { FindingList, MAX_FILES, MAX_TEXT, ownFinding, quoted, type SecurityFinding } from './security-finding.ts';
import { similarName } from './similar-name.ts';

export type AddedDependency = {
  readonly ecosystem: PackageEcosystem;
  readonly name: string;
  readonly version: string | null;
  readonly path: string;
};

type DependencyFile =
  | {
      readonly type: 'manifest';
      readonly ecosystem: PackageEcosystem;
      readonly read: (text: string) => DependencyManifest | ReadProblem;
    }
  | {
      readonly type: 'lock';
      readonly ecosystem: PackageEcosystem;
      readonly read: (text: string) => readonly Locked[] | ReadProblem;
    };

const manifest = (
  ecosystem: PackageEcosystem,
  read: (text: string) => DependencyManifest | ReadProblem,
): DependencyFile => ({
  type: 'manifest',
  ecosystem,
  read,
});
const lock = (
  ecosystem: PackageEcosystem,
  read: (text: string) => readonly Locked[] | ReadProblem,
): DependencyFile => ({
  type: 'lock',
  ecosystem,
  read,
});

/** By the end of the path. Names in lower case: some file systems ignore case. */
const KINDS: readonly (readonly [RegExp, DependencyFile])[] = [
  [/(?:^|\/)package\.json$/, manifest('npm', readPackageJson)],
  [/(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/, lock('npm', readNpmLock)],
  [/(?:^|\/)pnpm-lock\.ya?ml$/, lock('npm', readPnpmLock)],
  [/(?:^|\/)yarn\.lock$/, lock('npm', readYarnLock)],
  [/(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.ya?ml)?|\.?bunfig\.toml|\.pnpmrc)$/, manifest('npm', readRegistryFile)],
  [
    /(?:^|\/)(?:[\w.-]{0,60}requirements[\w.-]{0,60}|[\w.-]{0,60}constraints[\w.-]{0,60}|requirements\/[\w.-]{1,60})\.(?:txt|in)$/,
    manifest('pypi', readRequirements),
  ],
  [/(?:^|\/)(?:pyproject\.toml|pipfile)$/, manifest('pypi', readPyproject)],
  [/(?:^|\/)setup\.py$/, manifest('pypi', readSetupPy)],
  [/(?:^|\/)(?:poetry|uv|pdm)\.lock$/, lock('pypi', readTomlLock)],
  [/(?:^|\/)(?:pip\.conf|pip\.ini|\.pypirc|uv\.toml|\.?condarc)$/, manifest('pypi', readRegistryFile)],
  [/(?:^|\/)go\.mod$/, manifest('go', readGoMod)],
  [/(?:^|\/)go(?:\.work)?\.sum$/, lock('go', readGoSum)],
  [/(?:^|\/)go\.env$/, manifest('go', readRegistryFile)],
  [/(?:^|\/)(?:cargo\.toml|\.cargo\/config(?:\.toml)?)$/, manifest('cargo', readCargoToml)],
  [/(?:^|\/)cargo\.lock$/, lock('cargo', readTomlLock)],
  [/(?:^|\/)(?:gemfile|[\w.-]{1,80}\.gemspec)$/, manifest('rubygems', readGemfile)],
  [/(?:^|\/)gemfile\.lock$/, lock('rubygems', readGemfileLock)],
  [/(?:^|\/)\.gemrc$/, manifest('rubygems', readRegistryFile)],
];

/** Files that a package manager runs if they exist. */
const RUN_BY_NAME = /(?:^|\/)(?:binding\.gyp|build\.rs|\.pnpmfile\.c?js|pnpmfile\.c?js|extconf\.rb)$/;

const kindOf = (path: string): DependencyFile | undefined =>
  KINDS.find(([pattern]) => pattern.test(path.toLowerCase()))?.[1];

/** Whether it pins packages, and these rules can parse it. */
export const pinsPackages = (path: string): boolean => kindOf(path)?.type === 'lock';

/** What a manifest asks for; empty if it is none, or does not parse. */
export function wantedIn(path: string, text: string): readonly RequestedDependency[] {
  const kind = kindOf(path);
  const read = kind?.type === 'manifest' && text !== '' ? kind.read(text) : null;
  return read === null || isProblem(read) ? [] : read.wanted;
}

/** What a lock file pins; empty if it is none, or does not parse. */
export function lockedIn(path: string, text: string): readonly Locked[] {
  const kind = kindOf(path);
  const read = kind?.type === 'lock' && text !== '' ? kind.read(text) : null;
  return read === null || isProblem(read) ? [] : read;
}

/** `added`: names in a manifest or lock file that the base did not have. */
export function dependencyFindings(files: readonly ChangedFile[]): {
  readonly findings: readonly SecurityFinding[];
  readonly added: readonly AddedDependency[];
} {
  const list = new FindingList();
  const added: AddedDependency[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const path = file.path.toLowerCase();
    const kind = kindOf(path);
    if (RUN_BY_NAME.test(path) && file.before !== file.after && file.after !== null)
      list.add(
        ownFinding(
          'install-script',
          'high',
          file.path,
          null,
          'runs while the package is installed or built: review it, and grant it if it is meant',
        ),
      );
    if (kind === undefined) continue;
    const problem =
      kind.type === 'manifest' ? manifestChanges(file, kind, list, added) : lockChanges(file, kind, list, added);
    if (problem !== null)
      list.add(
        ownFinding(
          'dependencies-not-read',
          'medium',
          file.path,
          null,
          `cannot be checked (${problem}): put back a file that can be read`,
        ),
      );
  }
  return { findings: list.all(), added: added.slice(0, MAX_ADDED) };
}

const MAX_ADDED = 10_000;

function textOf(text: string | null): string | ReadProblem {
  if (text === null) return '';
  return text.length > MAX_TEXT ? { problem: 'it is larger than 1 MiB' } : text;
}

/** A missing file names nothing. */
function readBoth<T>(
  file: ChangedFile,
  nothing: T,
  read: (text: string) => T | ReadProblem,
): { before: T; after: T } | string {
  if (file.before !== null && file.after === null) return 'it is gone, or no text';
  if (file.before === null && file.after === null) return 'it is no text, or too large';
  const one = (text: string | null): T | ReadProblem => {
    const found = textOf(text);
    return text === null ? nothing : typeof found === 'string' ? read(found) : found;
  };
  const after = one(file.after);
  if (isProblem(after)) return after.problem;
  const before = one(file.before);
  // The base's file does not parse: everything is new.
  return { before: isProblem(before) ? nothing : before, after };
}

const isProblem = (value: unknown): value is ReadProblem =>
  typeof value === 'object' && value !== null && 'problem' in value;

const MAX_COMPARED = 500;
const NO_NAMES: ReadonlySet<string> = new Set();
const NOTHING: DependencyManifest = { wanted: [], settings: [] };

function manifestChanges(
  file: ChangedFile,
  { ecosystem, read }: Extract<DependencyFile, { type: 'manifest' }>,
  list: FindingList,
  added: AddedDependency[],
): string | null {
  // A deleted manifest asks for nothing.
  if (file.after === null && file.before !== null) return null;
  const both = readBoth(file, NOTHING, read);
  if (typeof both === 'string') return both;
  const { before, after } = both;
  const known = new Set(before.wanted.map(({ name }) => name));
  const said = new Set(before.wanted.map((one) => `${one.name} ${one.said}`));
  for (const one of after.wanted) {
    if (said.has(`${one.name} ${one.said}`)) continue;
    const isNew = !known.has(one.name);
    // Among more new names a similar one would not stand out anyway.
    const rivals = added.length < MAX_COMPARED ? known : NO_NAMES;
    if (isNew) added.push({ ecosystem, name: one.name, version: one.version, path: file.path });
    for (const finding of wantedFindings(one, isNew, rivals, file.path)) list.add(finding);
  }
  const settled = new Set(before.settings.map(({ key, said: value }) => `${key} ${value}`));
  for (const { rule, key, said: value, line } of after.settings)
    if (!settled.has(`${key} ${value}`))
      list.add(
        ownFinding(
          rule,
          SETTINGS[rule].severity,
          file.path,
          line,
          `${quoted(rule === 'registry' ? value : key)} ${SETTINGS[rule].message}`,
        ),
      );
  return null;
}

const SETTINGS: Readonly<
  Record<DependencyManifest['settings'][number]['rule'], { readonly severity: Severity; readonly message: string }>
> = {
  'install-script': {
    severity: 'high',
    message: 'decides what runs while packages are installed: put it back, or let a person grant it',
  },
  'dependency-override': {
    severity: 'high',
    message: 'installs something else than the name says: put it back, or let a person grant it',
  },
  registry: { severity: 'high', message: 'decides where packages come from: put it back, or let a person grant it' },
  'package-manager': {
    severity: 'low',
    message: 'decides which program or version installs the packages',
  },
};

function wantedFindings(
  one: RequestedDependency,
  isNew: boolean,
  known: ReadonlySet<string>,
  path: string,
): SecurityFinding[] {
  const out: SecurityFinding[] = [];
  const name = quoted(one.name);
  if (isNew && one.origin !== 'path')
    out.push(
      ownFinding(
        'dependency-added',
        'medium',
        path,
        one.line,
        `adds the package ${name}: remove it, or let a person grant it`,
      ),
    );
  const alike = isNew && one.origin !== 'path' ? similarName(one.name, known) : null;
  if (alike !== null)
    out.push(
      ownFinding(
        'dependency-similar-name',
        'high',
        path,
        one.line,
        `adds ${name}, whose name is nearly that of ${quoted(alike)}: check the spelling`,
      ),
    );
  if (one.origin === 'git' || one.origin === 'url') {
    const host = hostOf(one.said) ?? one.said;
    out.push(
      ownFinding(
        'dependency-source',
        'high',
        path,
        one.line,
        `takes ${name} from ${quoted(host)} and not from the registry: name a released version`,
      ),
    );
  }
  return out;
}

function lockChanges(
  file: ChangedFile,
  { ecosystem, read }: Extract<DependencyFile, { type: 'lock' }>,
  list: FindingList,
  added: AddedDependency[],
): string | null {
  const both = readBoth<readonly Locked[]>(file, [], read);
  if (typeof both === 'string') return both;
  const { before, after } = both;
  for (const finding of lockFindings(file.path, before, after)) list.add(finding);
  const known = new Set(before.map(({ name }) => name));
  for (const { name, version, origin } of after) {
    if (known.has(name) || origin === 'path') continue;
    known.add(name);
    added.push({ ecosystem, name, version, path: file.path });
  }
  return null;
}
