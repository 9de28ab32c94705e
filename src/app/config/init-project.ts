/** Input of `init` from outside the repository, and the one file that it writes. */
import { closeSync, constants, lstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { FOLDER, type ProjectFiles, projectFiles } from './project-files.ts';
import { layersOf } from './role-layers.ts';

/** The skill packs that ship with Supervisor, and the roles in each. */
export function installedPacks(environment: Environment): ReadonlyMap<string, readonly string[]> {
  const packs = new Map<string, string[]>();
  for (const { name, pack } of layersOf(environment, null).at(-1)?.entries().values() ?? [])
    if (pack !== null) packs.set(pack, [...(packs.get(pack) ?? []), name].sort());
  return packs;
}

/** Checked before anything is shown or asked: existing files are never overwritten. */
export function refuseExistingConfig(top: string): void {
  for (const name of ['config.yaml', 'config.yml']) {
    const file = join(top, FOLDER, name);
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw existing(file);
  }
}

/** Writes the file if none exists. Returns what was written, not what may be there by now. */
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
    throw new ConfigError(`${file}: cannot be written (${code})`);
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
    `${file}: exists already and is not overwritten; edit it and run \`supervisor trust\`, or remove it first`,
  );
