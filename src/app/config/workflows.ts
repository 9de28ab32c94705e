/** The workflows of a run: by name from project, user or shipped files, or by path. */
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nearest } from '../../kernel/nearest.ts';
import { LAYERS, type Layer } from '../../mind/fields/layers.ts';
import { problemText } from '../../mind/fields/parse-file.ts';
import type { FileProblem } from '../../mind/fields/yaml.ts';
import { GATE_KINDS } from '../../mind/gates/gate-config.ts';
import { noSuchRole } from '../../mind/roles/known.ts';
import type { WorkflowFiles, WorkflowSource } from '../../mind/workflows/extend.ts';
import { isBaseOnly, isWorkflowName } from '../../mind/workflows/file.ts';
import {
  type Composition,
  type KnownNames,
  type ReadWorkflow,
  readWorkflow,
} from '../../mind/workflows/read-workflow.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { MAX_CONFIG_BYTES, type ProjectFiles, projectText } from './project-files.ts';
import type { Roles } from './roles.ts';

export type WorkflowEntry = { readonly name: string; readonly layer: Layer; readonly file: string };
export type LoadedWorkflow = ReadWorkflow & { readonly file: string };

export type WorkflowLimits = {
  readonly maxSteps: number;
  /** Names of all gates that a task may use; null if gates are not checked. */
  readonly gates?: readonly string[] | null;
};

export interface Workflows {
  /** By name or path. Throws `ConfigError` if there is none, or one of its files is bad. */
  get(named: string, limited: WorkflowLimits): LoadedWorkflow;
  /**
   * The workflow of a run; null means the config's choice, or `default`. Refuses workflows that only serve as a base
   * for others.
   */
  forRun(named: string | null, limited: WorkflowLimits): LoadedWorkflow;
  /** All workflows, with the file that counts for each. */
  entries(): readonly WorkflowEntry[];
  /** Returns the first problem of a workflow, in words; null if it has none. */
  problem(named: string, limited: WorkflowLimits): string | null;
  /** The name that the config chooses, or null. */
  readonly chosen: string | null;
}

const USUAL = 'default';

export function loadWorkflows(
  environment: Environment,
  projectFiles: ProjectFiles | null,
  roles: Pick<Roles, 'get' | 'names'>,
  composition: Composition | null,
): Workflows {
  const layers = [
    projectLayer(projectFiles),
    folderLayer(userFolder(environment), 'user'),
    folderLayer(shippedFolder(), 'built-in'),
  ];
  const found = layers.map((layer) => new Map(layer.entries().map((entry) => [entry.name, entry])));
  const names = () => [...new Set(found.flatMap((entries) => [...entries.keys()]))].sort();
  const find = (name: string, below: Layer | null): WorkflowSource | null => {
    for (const [n, entries] of found.entries()) {
      const entry = n <= (below === null ? -1 : LAYERS.indexOf(below)) ? undefined : entries.get(name);
      if (entry !== undefined) return { ...entry, text: (layers[n] as LayerFiles).text(entry) };
    }
    return null;
  };
  const files: WorkflowFiles = { find, names };
  const known = rolesFor(roles);
  const read = (
    source: WorkflowSource,
    { maxSteps, gates = null }: WorkflowLimits,
    with_: Composition | null = null,
  ) => {
    const surroundings: KnownNames = { roles: known, maxSteps, gates, gateKinds: GATE_KINDS };
    return readWorkflow(source, files, surroundings, with_);
  };
  const sourceOf = (named: string): WorkflowSource =>
    find(named, null) ?? (isPath(named) ? fileSource(named) : missing(named, names()));
  const get: Workflows['get'] = (named, limited) => {
    const source = sourceOf(named);
    return { ...sound(read(source, limited)), file: source.file };
  };
  return {
    get,
    forRun: (named, limited) => {
      if (named !== null || composition === null) return runnable(get(named ?? USUAL, limited));
      const { template } = composition.choice;
      const source = find(template, null);
      if (source === null)
        throw misfit(composition.problem(['workflow', 'template'], noSuchWorkflow(template, names())));
      if (isBaseOnly(template)) throw misfit(composition.problem(['workflow', 'template'], baseOnly(template)));
      return runnable({ ...sound(read(source, limited, composition)), file: source.file });
    },
    entries: () =>
      names().map(
        (name) => found.map((entries) => entries.get(name)).find((one) => one !== undefined) as WorkflowEntry,
      ),
    problem: (named, limited) => {
      try {
        const one = read(sourceOf(named), limited);
        return one.type === 'problem' ? problemText(one) : null;
      } catch (error) {
        if (error instanceof ConfigError) return error.message;
        throw error;
      }
    },
    chosen: composition?.choice.template ?? null,
  };
}

function rolesFor(roles: Pick<Roles, 'get' | 'names'>): KnownNames['roles'] {
  let names: ReadonlySet<string> | null = null;
  return {
    find: (name) => {
      names ??= new Set(roles.names());
      if (!names.has(name)) return null;
      const { kind, answer, gates } = roles.get(name);
      return { kind, answer, gates: gates.map((gate) => (typeof gate === 'string' ? gate : gate.name)) };
    },
    missing: (name) => noSuchRole(name, roles.names()),
  };
}

function runnable(loaded: LoadedWorkflow): LoadedWorkflow {
  const { name } = loaded.definition;
  if (!isBaseOnly(name)) return loaded;
  throw new ConfigError(`${loaded.file}: ${baseOnly(name)}`);
}

const baseOnly = (name: string): string =>
  `${name} is only a base for others (\`extends: ${name}\`): run one that extends it`;

const isPath = (named: string): boolean => /[./]/.test(named);
const misfit = (problem: FileProblem): ConfigError => new ConfigError(problemText(problem));

function sound(read: ReadWorkflow | FileProblem): ReadWorkflow {
  if (read.type === 'problem') throw misfit(read);
  return read;
}

function missing(name: string, known: readonly string[]): never {
  throw new ConfigError(noSuchWorkflow(name, known));
}

function noSuchWorkflow(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `there is no workflow ${JSON.stringify(name)}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${known.filter((one) => !isBaseOnly(one)).join(', ')}; a file is named by its path)`;
}

/** A workflow file anywhere on disk, such as a draft. */
function fileSource(file: string): WorkflowSource {
  return { name: basename(file).replace(/\.ya?ml$/, ''), layer: 'user', file, text: readOwn(file) };
}

export const shippedWorkflows = (): string[] =>
  folderLayer(shippedFolder(), 'built-in')
    .entries()
    .map(({ name }) => name);

const shippedFolder = (): string => join(packageRoot(), 'templates', 'workflows');
const userFolder = ({ userConfig }: Environment): string => join(dirname(userConfig), 'workflows');

type LayerFiles = { entries(): WorkflowEntry[]; text(entry: WorkflowEntry): string };

/** Uses the files that were hashed and trusted, not the disk. */
function projectLayer(files: ProjectFiles | null): LayerFiles {
  const folder = files?.folder ?? '';
  return {
    entries: () =>
      [...(files?.contents.keys() ?? [])].flatMap((path) => {
        const name = /^workflows\/([^/]+)\.yaml$/.exec(path)?.[1];
        return name === undefined ? [] : [entryOf(name, 'project', join(folder, path))];
      }),
    text: ({ name }) => (files === null ? '' : (projectText(files, `workflows/${name}.yaml`)?.text ?? '')),
  };
}

function folderLayer(folder: string, layer: Layer): LayerFiles {
  return {
    entries: () =>
      filesIn(folder).flatMap((file) =>
        file.endsWith('.yaml') && !file.startsWith('.')
          ? [entryOf(basename(file, '.yaml'), layer, join(folder, file))]
          : [],
      ),
    text: ({ file }) => readOwn(file),
  };
}

function entryOf(name: string, layer: Layer, file: string): WorkflowEntry {
  if (!isWorkflowName(name))
    throw new ConfigError(`${file}: the name of a workflow must be lower-case letters, digits, - or _ (at most 63)`);
  return { name, layer, file };
}

function filesIn(folder: string): string[] {
  // Only a missing folder means no workflows; a dangling link is a mistake to report.
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${folder}: cannot be read (${code}): it must be a directory`);
  }
}

function readOwn(file: string): string {
  const text = readTextFile(file, MAX_CONFIG_BYTES);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  return text;
}
