/** Converts file names of a report to paths of the workspace. Leaves out files outside it and installed packages. */
import { UnusableReport } from './collect.ts';

/** What a report alone does not say about its files' places. */
export type SourcePlaces = {
  /** Whether a path is a file of the tree. Decides which `<source>` of a Cobertura report a file belongs to. */
  readonly isFile?: (path: string) => boolean;
  /** Go module -> its directory in the workspace ('' is the workspace itself). A Go profile names files by module. */
  readonly goModules?: ReadonlyMap<string, string>;
};

const WORKSPACE = '/workspace';
/** A path of another system starts with its drive. */
const WINDOWS = /^[A-Za-z]:[\\/]/;
const MAX_PATH = 4096;
/** Folders into which package managers install. */
const INSTALLED = new Set(['node_modules', 'site-packages', 'dist-packages']);

export const isAbsolutePath = (name: string): boolean => name.startsWith('/') || WINDOWS.test(name);

/** The path relative to the workspace ('' is the workspace itself); null if it leads outside. */
export function workspacePath(name: string): string | null {
  if (name.length > MAX_PATH) throw new UnusableReport(`it names a file by more than ${MAX_PATH} characters`);
  const plain = name.replace(/^file:\/\//, '');
  if (WINDOWS.test(plain)) return null;
  const segments: string[] = [];
  for (const segment of plain.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined && !plain.startsWith('/')) return null;
  }
  if (plain.startsWith('/') && `/${segments.shift() ?? ''}` !== WORKSPACE) return null;
  return segments.join('/');
}

/** The path of a source file of the workspace; null for installed packages and everything outside. */
export function sourcePath(name: string): string | null {
  const path = workspacePath(name);
  if (path === null || path === '' || path.split('/').some((segment) => INSTALLED.has(segment))) return null;
  return path;
}
