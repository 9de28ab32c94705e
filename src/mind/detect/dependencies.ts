/** Which packages the manifests of a repository name, and the first file that names each. */

import { packageOf } from './package-json.ts';
import { baseName, dirName, joinPath } from './paths.ts';
import { isRequirements } from './read-files.ts';
import type { RepositoryFacts } from './repository-facts.ts';

export type ToolChainName = 'node' | 'python' | 'go' | 'cargo' | 'jvm';

/** Maps a package to the file that names it. */
export type Dependencies = Readonly<Record<ToolChainName, ReadonlyMap<string, string>>>;

/** `product`: what the project itself needs. `all`: also what its tests and development need. */
type DependencyScope = 'product' | 'all';

export function dependenciesOf({ texts }: Pick<RepositoryFacts, 'texts'>, scope: DependencyScope): Dependencies {
  const all = {
    node: new Map<string, string>(),
    python: new Map<string, string>(),
    go: new Map<string, string>(),
    cargo: new Map<string, string>(),
    jvm: new Map<string, string>(),
  };
  // The file nearest to the top is given as the reason.
  for (const [path, text] of [...texts].sort(([a], [b]) => depth(a) - depth(b) || (a < b ? -1 : 1))) {
    if (scope === 'product' && isForDevelopment(path, texts)) continue;
    const [ecosystem, names] = named(baseName(path), text, scope);
    for (const name of names) if (!all[ecosystem].has(name)) all[ecosystem].set(name, path);
  }
  return all;
}

/** Names of groups, extras and requirements files that only the project's developers install. */
const DEV =
  /^(?:dev|develop|development|tests?|testing|docs?|documentation|lint|linting|linters?|style|format|typing|types|type-?check|mypy|ci|qa|bench|benchmarks?|cov|coverage|release|build|nox|tox|tools?|examples?)(?:[-_.].*)?$/i;

/** A `requirements.txt` beside a `pyproject.toml` with its own dependencies is for developers. */
function isForDevelopment(path: string, texts: RepositoryFacts['texts']): boolean {
  const [, variant] = /^requirements[._-]?(.*)\.txt$/.exec(baseName(path)) ?? [];
  if (variant === undefined) return false;
  return (
    DEV.test(variant) ||
    /^(?:dependencies[ \t]*=|\[tool\.poetry\.dependencies\])/m.test(
      (texts.get(joinPath(dirName(path), 'pyproject.toml')) ?? '').slice(0, MOST_TEXT),
    )
  );
}

/** The first of these that a manifest names, and in which file. */
export function firstUsed(
  dependencies: Dependencies,
  ecosystem: ToolChainName,
  names: readonly string[],
): { readonly name: string; readonly path: string } | null {
  for (const name of names) {
    const path = dependencies[ecosystem].get(name);
    if (path !== undefined) return { name, path };
  }
  return null;
}

const depth = (path: string): number => path.split('/').length;

/** No honest manifest that we read line by line is longer. */
const MOST_TEXT = 1 << 18;

function named(file: string, whole: string, scope: DependencyScope): [ToolChainName, readonly string[]] {
  if (file === 'package.json')
    return ['node', packageOf(whole)?.[scope === 'product' ? 'product' : 'dependencies'] ?? []];
  const text = whole.slice(0, MOST_TEXT);
  if (isRequirements(file)) return ['python', text.split('\n').flatMap(requirement)];
  if (file === 'pyproject.toml' || file === 'Pipfile') return ['python', tomlNames(text, PYTHON[scope])];
  if (file === 'Cargo.toml') return ['cargo', tomlNames(text, CARGO[scope])];
  if (file === 'go.mod') return ['go', text.split('\n').flatMap(goModule)];
  if (file === 'pom.xml') return ['jvm', mavenNames(text, scope)];
  if (/^build\.gradle/.test(file)) return ['jvm', text.split('\n').flatMap((line) => gradleNames(line, scope))];
  return ['python', []];
}

function mavenNames(text: string, scope: DependencyScope): string[] {
  const blocks = text.split('<dependency>');
  const wanted = blocks.map((block) => {
    const end = block.indexOf('</dependency>');
    return scope === 'product' && end !== -1 && /<scope>\s{0,20}test\s{0,20}</.test(block.slice(0, end))
      ? block.slice(end)
      : block;
  });
  return wanted.flatMap((block) => [...block.matchAll(/<artifactId>([\w.-]{1,100})</g)].map(([, name = '']) => name));
}

function gradleNames(line: string, scope: DependencyScope): string[] {
  if (scope === 'product' && /^[ \t]{0,40}\w{0,40}[tT]est\w{0,40}[ \t(]/.test(line)) return [];
  return [...line.slice(0, 2_000).matchAll(/["'][\w.-]{1,100}:([\w.-]{1,100})[:"']/g)].map(([, name = '']) => name);
}

/** `Django>=5` is django; names are compared as pip does. */
function requirement(line: string): string[] {
  const name = /^[ \t]{0,8}([A-Za-z0-9][\w.-]{0,100})/.exec(line)?.[1];
  return name === undefined ? [] : [name.toLowerCase().replaceAll(/[_.]/g, '-')];
}

function goModule(line: string): string[] {
  if (line.includes('// indirect')) return [];
  const path = /^(?:require[ \t]+|\t)([\w.-]{1,100}\.[\w.-]{1,20}\/[\w./-]{1,200})[ \t]+v/.exec(line)?.[1];
  return path === undefined ? [] : [path.replace(/\/v\d+$/, '')];
}

type Sections = {
  /** Tables whose keys are packages. */
  readonly keys: (table: string) => boolean;
  /** Lists that hold packages. */
  readonly lists: (table: string, key: string) => boolean;
};

const poetryGroup = (table: string): string | undefined =>
  /^tool\.poetry\.group\.([\w-]+)\.dependencies$/.exec(table)?.[1];

const PYTHON: Readonly<Record<DependencyScope, Sections>> = {
  product: {
    keys: (table) =>
      table === 'tool.poetry.dependencies' || table === 'packages' || !DEV.test(poetryGroup(table) ?? 'dev'),
    lists: (table, key) =>
      (table === 'project' && key === 'dependencies') || (table === 'project.optional-dependencies' && !DEV.test(key)),
  },
  all: {
    keys: (table) =>
      /^(?:tool\.poetry\.(?:dev-)?dependencies|(?:dev-)?packages)$/.test(table) || poetryGroup(table) !== undefined,
    lists: (table, key) =>
      (table === 'project' && key === 'dependencies') ||
      table === 'project.optional-dependencies' ||
      table === 'dependency-groups' ||
      (table === 'tool.uv' && key === 'dev-dependencies'),
  },
};
const CARGO: Readonly<Record<DependencyScope, Sections>> = {
  product: { keys: (table) => /(?:^|\.)dependencies$/.test(table), lists: () => false },
  all: { keys: (table) => /(?:^|\.)(?:dev-|build-)?dependencies$/.test(table), lists: () => false },
};

/** The lists in this table of a pyproject.toml, by key. A group that includes another has its name. */
export function pythonLists(whole: string, table: string): ReadonlyMap<string, readonly string[]> {
  const text = whole.slice(0, MOST_TEXT);
  const keys = new Set<string>();
  const collect = (at: string, key: string): boolean => {
    if (at === table) keys.add(key);
    return false;
  };
  tomlNames(text, { keys: () => false, lists: collect });
  const inList = (wanted: string): string[] =>
    tomlNames(text, { keys: () => false, lists: (at, key) => at === table && key === wanted });
  return new Map([...keys].slice(0, MOST_LISTS).map((key) => [key, inList(key)]));
}

const MOST_LISTS = 50;

/** Reads line by line: enough for tables with package names, and no text makes it slow. */
function tomlNames(text: string, { keys, lists }: Sections): string[] {
  const names: string[] = [];
  let table = '';
  let listing = false;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line.length > 2_000) continue;
    if (!listing && line.startsWith('[')) {
      table = line.replace(/^\[+/, '').replace(/\].*$/, '').trim();
      // `[dependencies.serde]` is itself a package.
      const [, outer = '', inner] = /^(.*)\.([\w-]+)$/.exec(table) ?? [];
      if (inner !== undefined && keys(outer)) names.push(...requirement(inner));
      continue;
    }
    const [, key, value = ''] = /^["']?([\w.-]+)["']?[ \t]*=[ \t]*([\s\S]*)$/.exec(line) ?? [];
    if (!listing && key !== undefined) {
      if (keys(table)) names.push(...requirement(key));
      listing = value.startsWith('[') && lists(table, key);
    }
    if (!listing) continue;
    for (const [, word = ''] of line.matchAll(/["']([^"']+)["']/g)) names.push(...requirement(word));
    listing = !/\][ \t]*(?:#.*)?$/.test(line);
  }
  return names;
}
