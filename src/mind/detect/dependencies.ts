/** Which packages the manifests of a repository name, and which file names each first. */
import type { Found } from './found.ts';
import { packageOf } from './package-json.ts';
import { baseName } from './paths.ts';
import { isRequirements } from './read-files.ts';

export type Ecosystem = 'node' | 'python' | 'go' | 'cargo' | 'jvm';

/** Package to the path of the file that names it. */
export type Dependencies = Readonly<Record<Ecosystem, ReadonlyMap<string, string>>>;

export function dependenciesOf({ texts }: Pick<Found, 'texts'>): Dependencies {
  const all = {
    node: new Map<string, string>(),
    python: new Map<string, string>(),
    go: new Map<string, string>(),
    cargo: new Map<string, string>(),
    jvm: new Map<string, string>(),
  };
  // The one nearest to the top is named as the reason.
  for (const [path, text] of [...texts].sort(([a], [b]) => depth(a) - depth(b) || (a < b ? -1 : 1))) {
    const [ecosystem, names] = named(baseName(path), text);
    for (const name of names) if (!all[ecosystem].has(name)) all[ecosystem].set(name, path);
  }
  return all;
}

/** The first of these that is named, and by which file. */
export function firstUsed(
  dependencies: Dependencies,
  ecosystem: Ecosystem,
  names: readonly string[],
): { readonly name: string; readonly path: string } | null {
  for (const name of names) {
    const path = dependencies[ecosystem].get(name);
    if (path !== undefined) return { name, path };
  }
  return null;
}

const depth = (path: string): number => path.split('/').length;

/** No honest manifest that is read line by line is longer. */
const MOST_TEXT = 1 << 18;

function named(file: string, whole: string): [Ecosystem, readonly string[]] {
  if (file === 'package.json') return ['node', packageOf(whole)?.dependencies ?? []];
  const text = whole.slice(0, MOST_TEXT);
  if (isRequirements(file)) return ['python', text.split('\n').flatMap(requirement)];
  if (file === 'pyproject.toml' || file === 'Pipfile') return ['python', tomlNames(text, PYTHON)];
  if (file === 'Cargo.toml') return ['cargo', tomlNames(text, CARGO)];
  if (file === 'go.mod') return ['go', text.split('\n').flatMap(goModule)];
  if (file === 'pom.xml')
    return ['jvm', [...text.matchAll(/<artifactId>([\w.-]{1,100})</g)].map(([, name = '']) => name)];
  if (/^build\.gradle/.test(file))
    return ['jvm', [...text.matchAll(/["'][\w.-]{1,100}:([\w.-]{1,100})[:"']/g)].map(([, name = '']) => name)];
  return ['python', []];
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
  readonly keys: RegExp;
  /** Tables whose lists hold packages; `null`: only the list of this key. */
  readonly lists: (table: string, key: string) => boolean;
};

const PYTHON: Sections = {
  keys: /^(?:tool\.poetry\.(?:dev-)?dependencies|tool\.poetry\.group\.[\w-]+\.dependencies|(?:dev-)?packages)$/,
  lists: (table, key) =>
    (table === 'project' && key === 'dependencies') ||
    table === 'project.optional-dependencies' ||
    table === 'dependency-groups' ||
    (table === 'tool.uv' && key === 'dev-dependencies'),
};
const CARGO: Sections = { keys: /(?:^|\.)(?:dev-|build-)?dependencies$/, lists: () => false };

/** Line by line: enough for the tables in which packages are named, and no text makes it slow. */
function tomlNames(text: string, { keys, lists }: Sections): string[] {
  const names: string[] = [];
  let table = '';
  let listing = false;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line.length > 2_000) continue;
    if (!listing && line.startsWith('[')) {
      table = line.replace(/^\[+/, '').replace(/\].*$/, '').trim();
      // `[dependencies.serde]` is a package by itself.
      const [, outer = '', inner] = /^(.*)\.([\w-]+)$/.exec(table) ?? [];
      if (inner !== undefined && keys.test(outer)) names.push(...requirement(inner));
      continue;
    }
    const [, key, value = ''] = /^["']?([\w.-]+)["']?[ \t]*=[ \t]*([\s\S]*)$/.exec(line) ?? [];
    if (!listing && key !== undefined) {
      if (keys.test(table)) names.push(...requirement(key));
      listing = value.startsWith('[') && lists(table, key);
    }
    if (!listing) continue;
    for (const [, word = ''] of line.matchAll(/["']([^"']+)["']/g)) names.push(...requirement(word));
    listing = !/\][ \t]*(?:#.*)?$/.test(line);
  }
  return names;
}
