/**
 * Reads `.supervisor/` of a checkout whole and once, so that the parsed bytes are the hashed bytes even if files change
 * meanwhile.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../kernel/hash.ts';
import { decodeText, MAX_TEXT_BYTES } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';

export const FOLDER = '.supervisor';

/** The largest config or workflow. Parsing 1 MiB of quotes takes about 5 s (measured 2026-11), and happens before trust. */
export const MAX_CONFIG_BYTES = 1 << 17;

const MAX_FILES = 200;
const MAX_DEPTH = 8;
const MAX_BYTES = 8 * MAX_TEXT_BYTES;

export type ProjectFiles = {
  /** The folder they were read from, for messages. */
  readonly folder: string;
  /** Names relative to the folder, one character per byte, in their order. */
  readonly contents: ReadonlyMap<string, Buffer>;
  readonly hash: string;
};

/** Returns null if the checkout has no `.supervisor/`. */
export function readProjectFiles(environment: Environment, top: string): ProjectFiles | null {
  const folder = join(top, FOLDER);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined || isUsersOwn(environment, folder)) return null;
  if (!stat.isDirectory()) throw new ConfigError(`${folder}: must be a directory, not a link or a file`);
  const contents = new Map<string, Buffer>();
  collect(folder, '', contents, 0);
  return contents.size === 0 ? null : projectFiles(folder, contents);
}

export function projectFiles(folder: string, contents: ReadonlyMap<string, Buffer>): ProjectFiles {
  const sorted = new Map([...contents].sort(([a], [b]) => (a < b ? -1 : 1)));
  const listed = [...sorted].map(([name, bytes]) => [name, sha256(bytes)]);
  return { folder, contents: sorted, hash: sha256(JSON.stringify(['supervisor project files 1', listed])) };
}

/** One of the files as text, with its name for messages; null if it does not exist. */
export function projectText(
  files: ProjectFiles,
  name: string,
): { readonly text: string; readonly file: string } | null {
  const bytes = files.contents.get(name);
  if (bytes === undefined) return null;
  const file = join(files.folder, name);
  if (bytes.length > MAX_CONFIG_BYTES)
    throw new ConfigError(`${file}: ${bytes.length} bytes are too many, at most ${MAX_CONFIG_BYTES} are read`);
  const text = decodeText(file, bytes);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  return { text, file };
}

/** In a home directory that is itself a repository, `~/.supervisor/` is the user's config and not the repository's. */
function isUsersOwn({ userConfig }: Environment, folder: string): boolean {
  try {
    return realpathSync(dirname(userConfig)) === realpathSync(folder);
  } catch {
    return false;
  }
}

function collect(folder: string, below: string, contents: Map<string, Buffer>, depth: number): void {
  if (depth > MAX_DEPTH) throw new ConfigError(`${join(folder, below)}: is nested deeper than ${MAX_DEPTH} levels`);
  for (const entry of readdirSync(join(folder, below), { encoding: 'latin1', withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    const shown = join(folder, name);
    if (/[^\x20-\x7e]/.test(name)) throw new ConfigError(`${shown}: names here must be plain ASCII`);
    if (entry.isDirectory()) collect(folder, name, contents, depth + 1);
    else contents.set(name, readRegular(shown));
    const bytes = [...contents.values()].reduce((sum, content) => sum + content.length, 0);
    if (contents.size > MAX_FILES) throw new ConfigError(`${folder}: holds more than ${MAX_FILES} files`);
    if (bytes > MAX_BYTES) throw new ConfigError(`${folder}: holds more than ${MAX_BYTES} bytes`);
  }
}

function readRegular(path: string): Buffer {
  let fd: number;
  try {
    // Follows no link, which could point elsewhere tomorrow, and does not block on a FIFO.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw new ConfigError(`${path}: is a link; ${FOLDER}/ must hold plain files only`);
    throw new ConfigError(`${path}: cannot be read (${code}); ${FOLDER}/ must hold plain files only`);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new ConfigError(`${path}: is not a regular file; ${FOLDER}/ must hold plain files only`);
    if (stat.size > MAX_TEXT_BYTES)
      throw new ConfigError(`${path}: ${stat.size} bytes are too many, at most ${MAX_TEXT_BYTES} are read`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
