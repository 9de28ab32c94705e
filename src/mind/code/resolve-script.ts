/**
 * Resolves imports of TypeScript and JavaScript: relative ones, aliases, `#imports`, packages of the same repository.
 */
import { languageOf } from './languages.ts';
import { directoryOf, joined, upwards } from './paths.ts';
import { readAliases } from './resolve-aliases.ts';
import { Packages } from './resolve-packages.ts';
import type { FileAt, MakeResolve, PathSet } from './resolver.ts';

const ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte', '.json'];
/** Files that TypeScript imports by the name of their output. */
const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts'],
  '.jsx': ['.tsx', '.d.ts'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
};

export const scriptResolver: MakeResolve = (files, configs) => {
  const fileAt: FileAt = (path, typescript) => {
    if (path === null) return null;
    const has = (ending: string): string | null => (files.has(path + ending) ? path + ending : null);
    const source = sourceOf(files, path);
    if (typescript && source !== null) return source;
    if (files.has(path)) return path;
    for (const ending of ENDINGS) {
      const found = has(ending);
      if (found !== null) return found;
    }
    if (source !== null) return source;
    const index = path === '' ? 'index' : `${path}/index`;
    for (const ending of ENDINGS) if (files.has(index + ending)) return index + ending;
    return null;
  };
  const aliases = readAliases(configs);
  const packages = new Packages(configs, fileAt);

  return (from, written) => {
    // Vite's `?raw` and the like.
    const specifier = written.replace(/\?.*$/s, '');
    if (specifier === '' || specifier.includes('\0') || specifier.includes('\\')) return [];
    const typescript = languageOf(from) === 'typescript';
    const directory = directoryOf(from);
    const at = (path: string | null): string | null => fileAt(path, typescript);
    const first = (paths: Iterable<string | null>): string | null => {
      for (const path of paths) {
        const found = at(path);
        if (found !== null) return found;
      }
      return null;
    };
    let found: string | null = null;
    if (RELATIVE.test(specifier)) found = at(joined(directory, specifier));
    else if (specifier.startsWith('#'))
      found = packages.imported(directory, specifier) ?? first(aliases(directory, specifier));
    else if (specifier.startsWith('/')) {
      found = first(
        upwards(directory)
          .filter((top) => packages.isTop(top))
          .map((top) => joined(top, specifier)),
      );
    } else if (!/^[a-z][a-z+.-]*:/i.test(specifier)) {
      found = first(aliases(directory, specifier)) ?? packages.named(from, specifier);
      // The usual alias of bundlers, whose config is a program.
      if (found === null && /^[@~]\//.test(specifier)) {
        const tops = upwards(directory).filter((top) => packages.isTop(top));
        found = first(
          tops.flatMap((top) => [joined(top, `src/${specifier.slice(2)}`), joined(top, specifier.slice(2))]),
        );
      }
    }
    return found === null ? [] : [found];
  };
};

function sourceOf(files: PathSet, path: string): string | null {
  const dot = path.lastIndexOf('.');
  for (const ending of WRITTEN_AS[path.slice(dot)] ?? []) {
    const source = path.slice(0, dot) + ending;
    if (files.has(source)) return source;
  }
  return null;
}

/** A relative specifier can only get another ending, or name a directory. */
export function scriptMayLeadTo(from: string, specifier: string, files: ReadonlySet<string>): boolean {
  if (!RELATIVE.test(specifier)) return true;
  const path = joined(directoryOf(from), specifier.replace(/\?.*$/s, ''));
  if (path === null) return false;
  const bare = path.replace(/(?:\.d)?\.[^./]*$/, '');
  for (const file of files) if (file.startsWith(bare)) return true;
  return false;
}

const RELATIVE = /^\.\.?(?:\/|$)/;
