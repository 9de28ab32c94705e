/**
 * Resolves imports of Go (a package is a directory of a module) and Java (a class is a file under some source root).
 */
import { isTest } from './languages.ts';
import { below, directoryOf, nameOf, nearest } from './paths.ts';
import type { MakeResolve } from './resolver.ts';

export const goResolver: MakeResolve = (files, configs) => {
  const modules: { readonly name: string; readonly directory: string }[] = [];
  for (const [path, text] of configs) {
    if (nameOf(path) !== 'go.mod') continue;
    const name = /^[ \t]*module[ \t]+"?([^\s"]{1,400})"?/m.exec(text)?.[1];
    if (name !== undefined) modules.push({ name, directory: directoryOf(path) });
  }
  // Nested modules have the longer name.
  modules.sort((a, b) => b.name.length - a.name.length);
  const packages = grouped(files, (path) => path.endsWith('.go') && !path.endsWith('_test.go'), directoryOf);
  return (_from, specifier) => {
    for (const { name, directory } of modules) {
      if (specifier !== name && !specifier.startsWith(`${name}/`)) continue;
      const rest = specifier.slice(name.length + 1);
      const found = packages.get(rest === '' ? directory : below(directory, rest));
      if (found !== undefined) return found;
    }
    return [];
  };
};

export const javaResolver: MakeResolve = (files) => {
  const isJava = (path: string): boolean => path.endsWith('.java');
  const classes = grouped(files, isJava, (path) => nameOf(path).slice(0, -5));
  const packages = grouped(files, isJava, directoryOf);
  const directories = grouped(packages.keys(), () => true, nameOf);
  return (from, specifier) => {
    const all = specifier.endsWith('.*');
    let names = specifier.replace(/\.\*$/, '').split('.');
    if (all) {
      const end = names.join('/');
      const found = (directories.get(names.at(-1) ?? '') ?? []).filter((path) => ends(path, end));
      if (found.length > 0) return found.flatMap((path) => packages.get(path) ?? []).filter((path) => !isTest(path));
    }
    // Members and nested classes: the file has the name of an outer class.
    for (let tries = 0; tries < 4 && names.length > 0; tries += 1) {
      const end = `${names.join('/')}.java`;
      const found = nearest(
        from,
        (classes.get(names.at(-1) ?? '') ?? []).filter((path) => ends(path, end)),
      );
      if (found !== undefined) return [found];
      names = names.slice(0, -1);
    }
    return [];
  };
};

const ends = (path: string, end: string): boolean => path === end || path.endsWith(`/${end}`);

function grouped(
  paths: Iterable<string>,
  wanted: (path: string) => boolean,
  key: (path: string) => string,
): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    if (!wanted(path)) continue;
    const group = groups.get(key(path));
    if (group === undefined) groups.set(key(path), [path]);
    else group.push(path);
  }
  return groups;
}
