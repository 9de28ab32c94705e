/** The prompt templates of a run: those we ship, replaced and added to by a person's own, and by those of the project. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkTemplates } from '../../mind/prompts/check-templates.ts';
import type { Templates } from '../../mind/prompts/liquid.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { MAX_CONFIG_BYTES, type ProjectFiles, projectText } from './project-files.ts';

type Source = { readonly text: string; readonly file: string };

const MAX_PROBLEMS = 5;

/** Throws `ConfigError` with file and line when one of them is not sound, by itself or beside the others. */
export function loadTemplates({ userConfig }: Environment, projectFiles: ProjectFiles | null): Templates {
  const sources = new Map([
    ...inFolder(join(packageRoot(), 'templates', 'prompts')),
    ...inFolder(join(dirname(userConfig), 'templates')),
    ...ofProject(projectFiles),
  ]);
  const templates = new Map([...sources].map(([name, { text }]) => [name, text]));
  const problems = checkTemplates(templates);
  if (problems.length === 0) return templates;
  const told = problems
    .slice(0, MAX_PROBLEMS)
    .map(
      ({ template, line, message }) =>
        `${sources.get(template)?.file ?? template}${line === null ? '' : `:${line}`}: ${message}`,
    );
  const more = problems.length - told.length;
  throw new ConfigError([...told, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
}

function inFolder(folder: string): [string, Source][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((entry) => named(entry, join(folder, entry), (file) => readTextFile(file, MAX_CONFIG_BYTES)));
}

function ofProject(files: ProjectFiles | null): [string, Source][] {
  if (files === null) return [];
  return [...files.contents.keys()]
    .filter((path) => path.startsWith('templates/'))
    .flatMap((path) =>
      named(path.slice('templates/'.length), join(files.folder, path), () => projectText(files, path)?.text ?? ''),
    );
}

function named(
  entry: string,
  file: string,
  read: (file: string) => ReturnType<typeof readTextFile>,
): [string, Source][] {
  if (!entry.endsWith('.liquid')) return [];
  const name = entry.slice(0, -'.liquid'.length);
  if (!/^_?[A-Za-z0-9][\w-]*$/.test(name))
    throw new ConfigError(`${file}: call it by letters, digits, - and _, and put it in no folder below`);
  const text = read(file);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  return [[name, { text, file }]];
}
