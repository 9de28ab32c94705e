/**
 * Context strategies of three layers: the project's, then the user's, then the shipped ones. Each is read at first use.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nearest } from '../../kernel/nearest.ts';
import { parseStrategy, type Strategy } from '../../mind/context/strategy.ts';
import { problemText } from '../../mind/fields/parse-file.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { MAX_CONFIG_BYTES, type ProjectFiles, projectText } from './project-files.ts';

/** Throws `ConfigError` if there is no such strategy, or its file is bad. */
export function loadStrategies(
  environment: Environment,
  projectFiles: ProjectFiles | null,
): (name: string) => Strategy {
  const layers = layersOf(environment, projectFiles);
  const known = new Map<string, Strategy>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    for (const layer of layers) {
      const text = layer.names().includes(name) ? layer.text(name) : null;
      if (text === null) continue;
      const parsed = parseStrategy(text, join(layer.folder, `${name}.yaml`));
      if (parsed.type === 'problem') throw new ConfigError(problemText(parsed));
      known.set(name, parsed.value);
      return parsed.value;
    }
    const names = strategyNames(environment, projectFiles);
    const meant = nearest(name, names);
    throw new ConfigError(
      `there is no context strategy ${JSON.stringify(name)}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${names.join(', ')})`,
    );
  };
}

/** All strategies, from every layer. */
export const strategyNames = (environment: Environment, projectFiles: ProjectFiles | null): string[] =>
  [...new Set(layersOf(environment, projectFiles).flatMap((layer) => layer.names()))].sort();

/** One bad strategy makes the whole project's `.supervisor/` invalid. Throws `ConfigError`. */
export function checkProjectStrategies(environment: Environment, projectFiles: ProjectFiles | null): void {
  const strategies = loadStrategies(environment, projectFiles);
  for (const name of projectLayer(projectFiles).names()) {
    const { without_file_tools } = strategies(name);
    if (without_file_tools !== undefined) strategies(without_file_tools);
  }
}

type LayerFiles = { readonly folder: string; names(): string[]; text(name: string): string };

const layersOf = (environment: Environment, projectFiles: ProjectFiles | null): readonly LayerFiles[] => [
  projectLayer(projectFiles),
  folderLayer(join(dirname(environment.userConfig), 'strategies')),
  folderLayer(join(packageRoot(), 'templates', 'strategies')),
];

/** Uses the files that were hashed and trusted, not the disk. */
function projectLayer(files: ProjectFiles | null): LayerFiles {
  const folder = join(files?.folder ?? '', 'strategies');
  return {
    folder,
    names: () =>
      [...(files?.contents.keys() ?? [])]
        .filter((path) => path.startsWith('strategies/'))
        .map((path) => nameOf(join(files?.folder ?? '', path))),
    text: (name) => (files === null ? '' : (projectText(files, `strategies/${name}.yaml`)?.text ?? '')),
  };
}

function folderLayer(folder: string): LayerFiles {
  return {
    folder,
    // Hidden files belong to an editor or file manager.
    names: () =>
      filesIn(folder)
        .filter((file) => !file.startsWith('.'))
        .map((file) => nameOf(join(folder, file))),
    text: (name) => {
      const text = readTextFile(join(folder, `${name}.yaml`), MAX_CONFIG_BYTES);
      if (typeof text !== 'string') throw new ConfigError(text.message);
      return text;
    },
  };
}

function nameOf(file: string): string {
  if (!file.endsWith('.yaml')) throw new ConfigError(`${file}: is no strategy; name it NAME.yaml, or put it elsewhere`);
  return basename(file, '.yaml');
}

function filesIn(folder: string): string[] {
  // Only a missing folder means no strategies; a dangling link is a mistake to report.
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [] : [one.name]));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${folder}: cannot be read (${code}): it must be a directory`);
  }
}
