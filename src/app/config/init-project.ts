/** What `init` reads of a repository, and the one file it writes. */
import { closeSync, constants, lstatSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Found, isRequirements, READ_FILES } from '../../mind/detect/found.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import { FOLDER, type ProjectFiles, projectFiles } from './project-files.ts';

/** Names at the top, and the texts of a few plain files; what can not be read is passed over. */
export function surveyProject(top: string): Found {
  const names = new Set<string>();
  const executables = new Set<string>();
  const texts = new Map<string, string>();
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    names.add(entry.isDirectory() ? `${entry.name}/` : entry.name);
    // A link could lead out of the repository.
    if (!entry.isFile()) continue;
    const path = join(top, entry.name);
    if (((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0) executables.add(entry.name);
    if (!READ_FILES.includes(entry.name) && !isRequirements(entry.name)) continue;
    const text = readTextFile(path);
    if (typeof text === 'string') texts.set(entry.name, text);
  }
  return { names, executables, texts };
}

/** Said before anything is shown or asked: what is there is never overwritten. */
export function refuseExistingConfig(top: string): void {
  for (const name of ['config.yaml', 'config.yml']) {
    const file = join(top, FOLDER, name);
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw existing(file);
  }
}

/** Writes it where nothing is; returns what was written, not what may lie there by now. */
export function writeProjectConfig(top: string, text: string): ProjectFiles {
  const folder = join(top, FOLDER);
  const file = join(folder, 'config.yaml');
  const bytes = Buffer.from(text);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder);
  if (!lstatSync(folder).isDirectory()) throw new ConfigError(`${folder}: must be a directory, not a link or a file`);
  let fd: number;
  try {
    fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o644);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw existing(file);
    throw new ConfigError(`${file}: can not be written (${code})`);
  }
  try {
    writeSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
  return projectFiles(folder, new Map([['config.yaml', bytes]]));
}

const existing = (file: string): ConfigError =>
  new ConfigError(
    `${file}: is there already and is not overwritten; edit it and run \`supervisor trust\`, or remove it first`,
  );
