/** Role files of three layers: the project's, then the user's, then the shipped ones. */
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LAYERS, type Layer } from '../../mind/fields/layers.ts';
import { isRoleName } from '../../mind/fields/role-fields.ts';
import type { RoleSource } from '../../mind/roles/resolve.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { MAX_CONFIG_BYTES, type ProjectFiles, projectText } from './project-files.ts';

/** A role file that exists but is not read yet. */
export type RoleEntry = Pick<RoleSource, 'name' | 'layer' | 'pack' | 'file'>;

export type LayerFiles = {
  entries(): ReadonlyMap<string, RoleEntry>;
  text(entry: RoleEntry): string;
};

/** In the order of `LAYERS`. */
export const layersOf = (environment: Environment, projectFiles: ProjectFiles | null): readonly LayerFiles[] => [
  projectLayer(projectFiles),
  userLayer(environment),
  builtInLayer(),
];

/** A draft file anywhere on disk: a project's if it lies in the project, else the user's. */
export function draftOf(file: string, projectFiles: ProjectFiles | null): RoleEntry {
  const isProjects = projectFiles !== null && dirname(file) === join(projectFiles.folder, 'roles');
  return entryOf(file, isProjects ? 'project' : 'user');
}

/** The layers with a draft in its place; no nearer file of its name hides it. */
export function withDraft(layers: readonly LayerFiles[], draft: RoleEntry): readonly LayerFiles[] {
  return layers.map((layer, n) => {
    if (n > LAYERS.indexOf(draft.layer)) return layer;
    const others = () => [...layer.entries()].filter(([name]) => name !== draft.name);
    if (n < LAYERS.indexOf(draft.layer)) return { ...layer, entries: () => new Map(others()) };
    return {
      entries: () => new Map([...others(), [draft.name, draft]]),
      text: (entry) => (entry === draft ? readOwn(draft.file) : layer.text(entry)),
    };
  });
}

/** Uses the files that were hashed and trusted, not the disk. */
function projectLayer(files: ProjectFiles | null): LayerFiles {
  return {
    entries: () => {
      const paths = [...(files?.contents.keys() ?? [])].filter((path) => path.startsWith('roles/') && isRoleFile(path));
      const deep = paths.find((path) => path.split('/').length > 2);
      if (deep !== undefined)
        throw new ConfigError(`${join(files?.folder ?? '', deep)}: is not read; put role files directly into roles/`);
      return byName(paths.map((path) => entryOf(join(files?.folder ?? '', path), 'project')));
    },
    text: ({ name }) => (files === null ? '' : (projectText(files, `roles/${name}.yaml`)?.text ?? '')),
  };
}

function userLayer({ userConfig }: Environment): LayerFiles {
  const folder = join(dirname(userConfig), 'roles');
  return {
    entries: () => byName(filesIn(folder).map((file) => entryOf(join(folder, file), 'user'))),
    text: ({ file }) => readOwn(file),
  };
}

/** Each folder is a pack; the core's roles lie beside the folders. */
function builtInLayer(): LayerFiles {
  const folder = join(packageRoot(), 'templates', 'roles');
  return {
    entries: () => {
      const packs = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
      const inPack = (pack: string | null, dir: string) =>
        filesIn(dir).map((file) => ({ ...entryOf(join(dir, file), 'built-in'), pack }));
      return byName([...inPack(null, folder), ...packs.flatMap(({ name }) => inPack(name, join(folder, name)))]);
    },
    text: ({ file }) => readOwn(file),
  };
}

/**
 * Other files, such as a README, may lie beside them. A `.yml` file was probably meant as a role, so it is reported.
 */
const isRoleFile = (file: string): boolean => /\.ya?ml$/.test(file) && !basename(file).startsWith('.');

function filesIn(folder: string): string[] {
  // Only a missing folder means no roles; a dangling link is a mistake to report.
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
      !one.isDirectory() && isRoleFile(one.name) ? [one.name] : [],
    );
  } catch (error) {
    throw new ConfigError(
      `${folder}: cannot be read (${(error as NodeJS.ErrnoException).code}): it must be a directory`,
    );
  }
}

function entryOf(file: string, layer: Layer): RoleEntry {
  const name = basename(file, '.yaml');
  if (basename(file).endsWith('.yml'))
    throw new ConfigError(`${file}: is ignored; rename it to ${basename(file, '.yml')}.yaml`);
  if (name === basename(file)) throw new ConfigError(`${file}: is no role; name it NAME.yaml, or put it elsewhere`);
  if (!isRoleName(name))
    throw new ConfigError(
      `${file}: the name of a role must be lower-case letters, digits, - or _ and begin with a letter (at most 64)`,
    );
  return { name, layer, pack: null, file };
}

const byName = (entries: readonly RoleEntry[]): ReadonlyMap<string, RoleEntry> =>
  new Map(entries.map((entry) => [entry.name, entry]));

function readOwn(file: string): string {
  const text = readTextFile(file, MAX_CONFIG_BYTES);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  return text;
}
