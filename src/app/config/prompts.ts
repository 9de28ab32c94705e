/** The prompt templates of a run: the shipped ones, then the user's, then the project's; later ones replace and add. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkTemplates } from '../../mind/prompts/check-templates.ts';
import type { Templates } from '../../mind/prompts/liquid.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { MAX_CONFIG_BYTES, type ProjectFiles, projectText } from './project-files.ts';

type TemplateText = { readonly text: string; readonly file: string };

const MAX_PROBLEMS = 5;

/** The most templates of a project: all of them are parsed before a person is asked to trust them. */
export const MAX_PROJECT_TEMPLATES = 100;
export const MAX_PROJECT_BYTES = 1 << 18;

/** Throws `ConfigError` with file and line if one of them is invalid, alone or together with the others. */
export function loadTemplates({ userConfig }: Environment, projectFiles: ProjectFiles | null): Templates {
  const theirs = [...inFolder(join(dirname(userConfig), 'templates')), ...ofProject(projectFiles)];
  const sources = new Map([...inFolder(join(packageRoot(), 'templates', 'prompts')), ...theirs]);
  const templates = new Map([...sources].map(([name, { text }]) => [name, text]));
  // Tests check the shipped templates; checking them here would cost every run 70 ms (measured 2026-11).
  if (theirs.length === 0) return templates;
  const problems = checkTemplates(templates, MAX_PROBLEMS + 1);
  if (problems.length === 0) return templates;
  const told = problems
    .slice(0, MAX_PROBLEMS)
    .map(
      ({ template, line, message }) =>
        `${sources.get(template)?.file ?? template}${line === null ? '' : `:${line}`}: ${message}`,
    );
  throw new ConfigError([...told, ...(problems.length > MAX_PROBLEMS ? ['and more'] : [])].join('\n'));
}

function inFolder(folder: string): [string, TemplateText][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((entry) => named(entry, join(folder, entry), (file) => readTextFile(file, MAX_CONFIG_BYTES)));
}

function ofProject(files: ProjectFiles | null): [string, TemplateText][] {
  if (files === null) return [];
  const paths = [...files.contents.keys()].filter((path) => path.startsWith('templates/'));
  let [count, bytes] = [0, 0];
  return paths.flatMap((path) =>
    named(path.slice('templates/'.length), join(files.folder, path), (file) => {
      count += 1;
      bytes += files.contents.get(path)?.length ?? 0;
      if (count > MAX_PROJECT_TEMPLATES)
        throw new ConfigError(
          `${file}: a project may have ${MAX_PROJECT_TEMPLATES} templates, and this is one more; remove those that no role uses`,
        );
      const text = projectText(files, path)?.text ?? '';
      if (bytes > MAX_PROJECT_BYTES)
        throw new ConfigError(
          `${file}: with this one the templates of the project have ${bytes} bytes, at most ${MAX_PROJECT_BYTES} are read; shorten them, or remove those that no role uses`,
        );
      return text;
    }),
  );
}

function named(
  entry: string,
  file: string,
  read: (file: string) => ReturnType<typeof readTextFile>,
): [string, TemplateText][] {
  if (!entry.endsWith('.liquid')) return [];
  const name = entry.slice(0, -'.liquid'.length);
  if (!/^_?[A-Za-z0-9][\w-]*$/.test(name))
    throw new ConfigError(
      `${file}: use only letters, digits, - and _ in its name, and put it directly into the folder`,
    );
  const text = read(file);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  return [[name, { text, file }]];
}
