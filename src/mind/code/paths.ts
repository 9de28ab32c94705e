/** Paths inside the repository: `/` between names; the top is the empty path. */

export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const below = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`);

/** Where a relative path leads from a directory; null if it leaves the repository. */
export function joined(directory: string, relative: string): string | null {
  const names = directory === '' ? [] : directory.split('/');
  for (const name of relative.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join('/');
}

/** The directory itself, then each parent up to the top. */
export function upwards(directory: string): string[] {
  const all = [directory];
  for (let at = directory; at !== ''; ) {
    at = directoryOf(at);
    all.push(at);
  }
  return all;
}

/** The path that shares the most folders with `from`; the first among equals. */
export function nearest(from: string, paths: readonly string[]): string | undefined {
  let best: string | undefined;
  let most = -1;
  for (const path of paths) {
    let same = 0;
    while (same < from.length && from[same] === path[same]) same += 1;
    if (same > most) [best, most] = [path, same];
  }
  return best;
}
