/** Resolves paths of Rust: `self`, `super`, `crate`, and crates of the same repository. As deep as files reach. */
import { below, directoryOf, joined, nameOf, nearest, upwards } from './paths.ts';
import type { MakeResolve } from './resolve.ts';

export const rustResolver: MakeResolve = (files, configs) => {
  const crates = new Map<string, string[]>();
  const libraries = new Map<string, string>();
  for (const [path, text] of configs) {
    if (nameOf(path) !== 'Cargo.toml') continue;
    const directory = directoryOf(path);
    const name = inSection(text, 'package', 'name');
    if (name === null) continue;
    const library = joined(directory, inSection(text, 'lib', 'path') ?? 'src/lib.rs');
    if (library !== null && files.has(library)) libraries.set(directory, library);
    for (const called of new Set([inSection(text, 'lib', 'name') ?? name, name])) {
      const key = called.replaceAll('-', '_');
      crates.set(key, [...(crates.get(key) ?? []), directory]);
    }
  }
  const isCrate = new Set([...crates.values()].flat());

  /** The file whose module `crate` is, for a file. */
  const rootOf = (from: string): string | null => {
    const top = upwards(directoryOf(from)).find((directory) => isCrate.has(directory));
    if (top === undefined) return null;
    const inside = top === '' ? from : from.slice(top.length + 1);
    const [first = '', second = '', third] = inside.split('/');
    // Each file here is a crate of its own; so is a directory with a main.rs.
    const own =
      first === 'src' && second === 'bin' ? `src/bin/${third ?? ''}` : first === 'src' ? null : `${first}/${second}`;
    if (own !== null) {
      const root = below(top, own);
      if (files.has(root)) return root;
      return files.has(`${root}/main.rs`) ? `${root}/main.rs` : null;
    }
    const main = below(top, 'src/main.rs');
    const library = libraries.get(top);
    return from === main || library === undefined ? (files.has(main) ? main : null) : library;
  };

  const isRoot = (file: string): boolean => rootOf(file) === file || /^(?:mod|lib|main)\.rs$/.test(nameOf(file));
  /** Where the modules of a file's module lie. */
  const childrenOf = (file: string): string => (isRoot(file) ? directoryOf(file) : file.slice(0, -3));
  const moduleAt = (path: string): string | null =>
    [`${path}.rs`, `${path}/mod.rs`].find((file) => files.has(file)) ?? null;

  const walk = (file: string, names: readonly string[]): string => {
    let at = file;
    let directory = childrenOf(file);
    for (const name of names) {
      directory = below(directory, name);
      const next = moduleAt(directory);
      // A module inside of a file has a directory, and no file.
      if (next === null) continue;
      at = next;
      directory = childrenOf(next);
    }
    return at;
  };
  const parentOf = (file: string): string | null => {
    const root = rootOf(file);
    if (root === file) return null;
    const directory = nameOf(file) === 'mod.rs' ? directoryOf(directoryOf(file)) : directoryOf(file);
    if (root !== null && directory === directoryOf(root)) return root;
    return directory === '' ? null : moduleAt(directory);
  };

  return (from, specifier) => {
    if (specifier.startsWith('./')) {
      const told = joined(directoryOf(from), specifier);
      return told !== null && files.has(told) ? [told] : [];
    }
    const names = specifier.split('::').slice(0, 32);
    if (names.some((name) => !/^[\w$]+$/.test(name))) return [];
    const [first = '', ...rest] = names;
    if (first === 'self') return [walk(from, rest)];
    if (first === 'crate') {
      const root = rootOf(from);
      return root === null ? [] : [walk(root, rest)];
    }
    if (first === 'super') {
      let at: string | null = from;
      let i = 0;
      for (; names[i] === 'super' && at !== null; i += 1) at = parentOf(at);
      return at === null ? [] : [walk(at, names.slice(i))];
    }
    const own = walk(from, names);
    if (own !== from) return [own];
    const crate = nearest(from, crates.get(first) ?? []);
    const library = crate === undefined ? undefined : libraries.get(crate);
    return library === undefined ? [] : [walk(library, rest)];
  };
};

/** A text of a TOML section; enough for the names in a manifest. */
function inSection(text: string, section: string, key: string): string | null {
  let at = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[([^\]]*)\]/.exec(line)?.[1];
    if (header !== undefined) at = header.trim();
    else if (at === section) {
      const value = /^\s*([\w-]+)\s*=\s*["']([^"']*)["']/.exec(line);
      if (value?.[1] === key) return value[2] ?? null;
    }
  }
  return null;
}
