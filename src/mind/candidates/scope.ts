/** What a task may write: the files it named and everything in the directories it named. */
import { nearest } from '../../kernel/nearest.ts';
import { type Matcher, matcher } from '../fields/globs.ts';

/** Returns null if the task named no files: then everything is in scope. */
export function scopeOf(files: readonly string[] | undefined, basePaths: readonly string[]): Matcher | null {
  if (files === undefined || files.length === 0) return null;
  const named = files.map((file) => file.replace(/^(?:\.\/)+/, '')).map((file) => (file === '.' ? '' : file));
  const known = directoriesOf(basePaths);
  const directories = named
    .filter((file) => file === '' || file.endsWith('/') || known.has(file))
    .map((file) => file.replace(/\/*$/, ''));
  const exact = new Set(named);
  const patterns = matcher(named.filter((file) => /[*?]/.test(file)).map((file) => `/${file}`));
  return (path) =>
    exact.has(path) ||
    directories.some((directory) => directory === '' || path.startsWith(`${directory}/`)) ||
    patterns(path);
}

function directoriesOf(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths)
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) found.add(path.slice(0, end));
  return found;
}

/** Describes the first name that matches no file of the base; null if all match. */
export function filesProblem(files: readonly string[], basePaths: readonly string[], line: string): string | null {
  const missing = files.find((file) => {
    const inScope = scopeOf([file], basePaths);
    return inScope !== null && !basePaths.some(inScope);
  });
  if (missing === undefined) return null;
  const meant =
    // Paths are relative to the top; in a folder below, a person writes what `ls` shows there.
    basePaths.find((path) => path.endsWith(`/${missing}`)) ??
    nearest(missing, basePaths.length > MOST_COMPARED ? sameName(missing, basePaths) : basePaths);
  const hint = meant === null ? '.' : `, did you mean ${meant}?`;
  return `--files ${missing}: ${line} has no such file${hint} To have a new file made, name its directory, such as ${directoryOf(missing)}`;
}

/** Comparing letters is slow; in a large repository only files of the same last name are compared. */
const MOST_COMPARED = 20_000;

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const sameName = (path: string, all: readonly string[]): string[] =>
  all.filter((one) => lastName(one) === lastName(path));
const directoryOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '.');
