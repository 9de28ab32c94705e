/** What a task may write: the files it named, what lies in the directories it named, and nothing else. */
import { type Matcher, matcher } from '../config/globs.ts';

/** Null: the task named nothing, so everything is in scope. */
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
