/** The roles of a run by name, each made from its files at first use. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LAYERS, type Layer } from '../../mind/fields/layers.ts';
import { problemText } from '../../mind/fields/parse-file.ts';
import type { FileProblem } from '../../mind/fields/yaml.ts';
import { type Explained, explain } from '../../mind/roles/explain.ts';
import { type KnownCli, type KnownToRoles, noSuchRole } from '../../mind/roles/known.ts';
import { parseRole, type Resolved, type RoleSource, resolveRole } from '../../mind/roles/resolve.ts';
import type { Role } from '../../mind/roles/role.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import type { ProjectFiles } from './project-files.ts';
import { draftOf, type LayerFiles, layersOf, type RoleEntry, withDraft } from './role-layers.ts';
import { strategyNames } from './strategies.ts';

export interface Roles {
  /** Throws `ConfigError` if there is no such role, or one of its files is bad. */
  get(name: string): Role;
  /** The names of all roles. */
  names(): readonly string[];
  /** All roles with the file that counts for each. */
  entries(): readonly RoleEntry[];
  /** The files of a role, from its own to its root, and where each value was set. */
  explain(name: string): { readonly chain: readonly RoleEntry[]; readonly values: readonly Explained[] };
  /** Returns the first problem of a role, in words; null if it has none. */
  problem(name: string): string | null;
}

export function loadRoles(
  environment: Environment,
  projectFiles: ProjectFiles | null,
  clis: readonly KnownCli[],
): Roles {
  return rolesOf(layersOf(environment, projectFiles), knownTo(environment, projectFiles, clis));
}

const knownTo =
  (...[environment, projectFiles, clis]: Parameters<typeof loadRoles>) =>
  (): KnownToRoles => ({
    clis,
    strategies: strategyNames(environment, projectFiles),
    templates: templates(environment, projectFiles),
  });

/** The same with one extra file of any name and place, to check it before it is installed. */
export function loadRolesWith(file: string, ...[environment, projectFiles, clis]: Parameters<typeof loadRoles>): Roles {
  const layers = withDraft(layersOf(environment, projectFiles), draftOf(file, projectFiles));
  return rolesOf(layers, knownTo(environment, projectFiles, clis));
}

/** One bad role makes the whole project's `.supervisor/` invalid. Throws `ConfigError` with the place. */
export function checkProjectRoles(...[environment, projectFiles, clis]: Parameters<typeof loadRoles>): void {
  const roles = loadRoles(environment, projectFiles, clis);
  for (const { name, layer } of roles.entries()) if (layer === 'project') roles.get(name);
}

/** What the project's roles ask for, for the person who decides about trust. Throws `ConfigError` for a bad file. */
export function projectRoleAsks(
  environment: Environment,
  projectFiles: ProjectFiles,
): { readonly name: string; readonly text: string; readonly note: string | null }[] {
  const [project, ...below] = layersOf(environment, projectFiles) as [LayerFiles, ...LayerFiles[]];
  return [...project.entries().values()].map((entry) => {
    const text = project.text(entry);
    const { parsed } = parseRole({ ...entry, text });
    if (parsed.type === 'problem') throw new ConfigError(problemText(parsed));
    const how = parsed.value.extends === entry.name ? 'changes' : 'takes the place of';
    const known = below.some((layer) => layer.entries().has(entry.name));
    // Shows the whole file: anything left out would be a place to hide something.
    return { name: entry.name, text: text.trimEnd(), note: known ? `${how} the role of this name` : null };
  });
}

function rolesOf(layers: readonly LayerFiles[], knows: () => KnownToRoles): Roles {
  const found = layers.map((layer) => lazy(() => layer.entries()));
  const known = lazy(knows);
  const resolved = new Map<string, Resolved | FileProblem>();
  const names = lazy(() => [...new Set(found.flatMap((layer) => [...layer().keys()]))].sort());

  const entry = (name: string, below: Layer | null = null): RoleEntry | null => {
    for (const layer of found.slice(below === null ? 0 : LAYERS.indexOf(below) + 1)) {
      const one = layer().get(name);
      if (one !== undefined) return one;
    }
    return null;
  };
  const sources = new Map<RoleEntry, RoleSource>();
  const source = (one: RoleEntry): RoleSource => {
    const read = sources.get(one) ?? { ...one, text: layers[LAYERS.indexOf(one.layer)]?.text(one) ?? '' };
    sources.set(one, read);
    return read;
  };
  const find = (name: string, below: Layer | null) => {
    const one = entry(name, below);
    return one === null ? null : source(one);
  };
  const resolve = (name: string): Resolved | FileProblem => {
    const one = entry(name);
    if (one === null) throw new ConfigError(noSuchRole(name, names()));
    const before = resolved.get(name);
    const now = before ?? resolveRole(source(one), { find, names }, known());
    if (before === undefined) resolved.set(name, now);
    return now;
  };
  const sound = (name: string): Resolved => {
    const one = resolve(name);
    if (one.type === 'problem') throw new ConfigError(problemText(one));
    return one;
  };
  return {
    get: (name) => sound(name).role,
    names,
    entries: () => names().map((name) => entry(name) as RoleEntry),
    explain: (name) => {
      const one = sound(name);
      return { chain: one.chain.map((link) => entryFrom(link.source)), values: explain(one) };
    },
    problem: (name) => {
      try {
        const one = resolve(name);
        return one.type === 'problem' ? problemText(one) : null;
      } catch (error) {
        if (error instanceof ConfigError) return error.message;
        throw error;
      }
    },
  };
}

const entryFrom = ({ name, layer, pack, file }: RoleSource): RoleEntry => ({ name, layer, pack, file });

/** The names of templates in all three layers; they are read and checked elsewhere. Null if this version ships none. */
function templates({ userConfig }: Environment, files: ProjectFiles | null): string[] | null {
  const ours = join(packageRoot(), 'templates', 'prompts');
  if (!existsSync(ours)) return null;
  const mine = join(dirname(userConfig), 'templates');
  const all = [
    ...readdirSync(ours),
    ...(existsSync(mine) ? readdirSync(mine) : []),
    ...[...(files?.contents.keys() ?? [])].flatMap((path) => /^templates\/([^/]+)$/.exec(path)?.[1] ?? []),
  ];
  const names = all.flatMap((file) => /^([^_].*)\.liquid$/.exec(file)?.[1] ?? []);
  return [...new Set(names)].filter((name) => !FOR_NO_ROLE.includes(name)).sort();
}

/** Templates for asking a worker once more, in any role. */
export const FOR_NO_ROLE: readonly string[] = ['again', 'answer_only', 'strict'];

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
