/** Resolves paths of Rust: `self`, `super`, `crate`, and crates of the same repository, down to a file. */
import { below, directoryOf, joined, nameOf, nearest, upwards } from './paths.ts';
import type { MakeResolve, PathSet } from './resolver.ts';

export const rustResolver: MakeResolve = (files, configs) => {
  const crates = new Crates(files, configs);
  return (from, specifier) => crates.resolve(from, specifier);
};

class Crates {
  readonly #files: PathSet;
  /** Directories of crates, by the name that code uses. */
  readonly #byName = new Map<string, string[]>();
  /** The root file of a crate's library, by the crate's directory. */
  readonly #libraries = new Map<string, string>();
  readonly #directories: ReadonlySet<string>;

  constructor(files: PathSet, configs: ReadonlyMap<string, string>) {
    this.#files = files;
    for (const [path, text] of configs) if (nameOf(path) === 'Cargo.toml') this.#add(directoryOf(path), text);
    this.#directories = new Set([...this.#byName.values()].flat());
  }

  #add(directory: string, manifest: string): void {
    const name = inSection(manifest, 'package', 'name');
    if (name === null) return;
    const library = joined(directory, inSection(manifest, 'lib', 'path') ?? 'src/lib.rs');
    if (library !== null && this.#files.has(library)) this.#libraries.set(directory, library);
    for (const called of new Set([inSection(manifest, 'lib', 'name') ?? name, name])) {
      const key = called.replaceAll('-', '_');
      this.#byName.set(key, [...(this.#byName.get(key) ?? []), directory]);
    }
  }

  resolve(from: string, specifier: string): string[] {
    if (specifier.startsWith('./')) {
      const told = joined(directoryOf(from), specifier);
      return told !== null && this.#files.has(told) ? [told] : [];
    }
    const names = specifier.split('::').slice(0, 32);
    if (names.some((name) => !/^[\w$]+$/.test(name))) return [];
    const [first = '', ...rest] = names;
    if (first === 'self') return [this.#walk(from, rest)];
    if (first === 'super') return this.#fromParent(from, names);
    if (first === 'crate') {
      const root = this.#rootOf(from);
      return root === null ? [] : [this.#walk(root, rest)];
    }
    const own = this.#walk(from, names);
    if (own !== from) return [own];
    const crate = nearest(from, this.#byName.get(first) ?? []);
    const library = crate === undefined ? undefined : this.#libraries.get(crate);
    return library === undefined ? [] : [this.#walk(library, rest)];
  }

  /** `super::super::name`. */
  #fromParent(from: string, names: readonly string[]): string[] {
    let at: string | null = from;
    let i = 0;
    for (; names[i] === 'super' && at !== null; i += 1) at = this.#parentOf(at);
    return at === null ? [] : [this.#walk(at, names.slice(i))];
  }

  #walk(file: string, names: readonly string[]): string {
    let at = file;
    let directory = this.#childrenOf(file);
    for (const name of names) {
      directory = below(directory, name);
      const next = this.#moduleAt(directory);
      // A module inside a file has a directory but no file.
      if (next === null) continue;
      at = next;
      directory = this.#childrenOf(next);
    }
    return at;
  }

  #parentOf(file: string): string | null {
    const root = this.#rootOf(file);
    if (root === file) return null;
    const directory = nameOf(file) === 'mod.rs' ? directoryOf(directoryOf(file)) : directoryOf(file);
    if (root !== null && directory === directoryOf(root)) return root;
    return directory === '' ? null : this.#moduleAt(directory);
  }

  /** Where the submodules of a file's module lie. */
  #childrenOf(file: string): string {
    const isRoot = this.#rootOf(file) === file || /^(?:mod|lib|main)\.rs$/.test(nameOf(file));
    return isRoot ? directoryOf(file) : file.slice(0, -3);
  }

  #moduleAt(path: string): string | null {
    return [`${path}.rs`, `${path}/mod.rs`].find((file) => this.#files.has(file)) ?? null;
  }

  /** The root file of the file's crate. */
  #rootOf(from: string): string | null {
    const top = upwards(directoryOf(from)).find((directory) => this.#directories.has(directory));
    if (top === undefined) return null;
    const inside = top === '' ? from : from.slice(top.length + 1);
    const [first = '', second = '', third] = inside.split('/');
    // Each file here is a separate crate; so is a directory with a main.rs.
    const own =
      first === 'src' && second === 'bin' ? `src/bin/${third ?? ''}` : first === 'src' ? null : `${first}/${second}`;
    if (own !== null) {
      const root = below(top, own);
      return [root, `${root}/main.rs`].find((file) => this.#files.has(file)) ?? null;
    }
    const main = below(top, 'src/main.rs');
    const library = this.#libraries.get(top);
    if (from !== main && library !== undefined) return library;
    return this.#files.has(main) ? main : null;
  }
}

/** A string in a TOML section; enough for the names in a manifest. */
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
