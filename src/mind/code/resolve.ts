/** Finds the repository's files that an import means; third-party packages and outside paths give none. */
import { languageOf } from './languages.ts';
import { nameOf } from './paths.ts';
import { goResolver, javaResolver } from './resolve-compiled.ts';
import { pythonResolver } from './resolve-python.ts';
import { rustResolver } from './resolve-rust.ts';
import { scriptMayLeadTo, scriptResolver } from './resolve-script.ts';
import type { MakeResolve, PathSet, ResolveImport } from './resolver.ts';

const CONFIG = /^(?:[tj]sconfig\b[^/]*\.json|package\.json|go\.mod|Cargo\.toml|pyproject\.toml|setup\.cfg)$/;

/** Config files whose text the resolver needs. Those of installed packages say nothing about this repository. */
export const RESOLVER_FILES = (path: string): boolean =>
  CONFIG.test(nameOf(path)) && !/(?:^|\/)node_modules\//.test(path);

/** False if the import means none of these files, which is decided faster than which file it is. */
export function mayLeadTo(from: string, specifier: string, files: ReadonlySet<string>): boolean {
  const language = languageOf(from);
  return language === 'typescript' || language === 'javascript' ? scriptMayLeadTo(from, specifier, files) : true;
}

/**
 * `configs`: path and text of the files that `RESOLVER_FILES` names; broken ones are ignored. Indexes are made at first
 * use.
 */
export function makeResolver(files: PathSet, configs: ReadonlyMap<string, string>): ResolveImport {
  const lazy = (make: MakeResolve): ResolveImport => {
    let made: ResolveImport | undefined;
    return (from, specifier) => {
      made ??= make(files, configs);
      return made(from, specifier);
    };
  };
  const script = lazy(scriptResolver);
  const by = {
    typescript: script,
    javascript: script,
    python: lazy(pythonResolver),
    go: lazy(goResolver),
    rust: lazy(rustResolver),
    java: lazy(javaResolver),
    other: (): readonly string[] => [],
  };
  return (from, specifier) => by[languageOf(from)](from, specifier).filter((path) => path !== from);
}
