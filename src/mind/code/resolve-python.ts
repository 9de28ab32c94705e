/** Resolves imports of Python: relative ones, and absolute ones from every directory with top-level packages. */
import { below, directoryOf, joined, nameOf, upwards } from './paths.ts';
import type { MakeResolve, PathSet } from './resolver.ts';

export const pythonResolver: MakeResolve = (files, configs) => {
  const roots = rootsIn(files, configs);
  const moduleAt = (path: string): string | null => {
    if (path === '') return null;
    for (const file of [`${path}.py`, `${path}/__init__.py`, `${path}.pyi`, `${path}/__init__.pyi`]) {
      if (files.has(file)) return file;
    }
    return null;
  };
  return (from, specifier) => {
    const match = /^(\.*)([^.]+(?:\.[^.]+)*)?$/.exec(specifier);
    if (match === null || specifier.includes('/')) return [];
    const [, dots = '', name = ''] = match;
    const path = name.replaceAll('.', '/');
    const directory = directoryOf(from);
    if (dots !== '') {
      const base = joined(directory, '../'.repeat(dots.length - 1));
      if (base === null) return [];
      const packed = base === '' ? '__init__.py' : `${base}/__init__.py`;
      const found = path === '' ? (files.has(packed) ? packed : null) : moduleAt(below(base, path));
      return found === null ? [] : [found];
    }
    if (path === '') return [];
    const near = upwards(directory);
    // A script finds what lies beside it; then the roots around the file, nearest first; then all others.
    const beside = files.has(below(directory, '__init__.py')) ? [] : [directory];
    const first = path.split('/', 1)[0] ?? '';
    const around = near.filter((root) => roots.all.has(root));
    for (const root of new Set([...beside, ...around, ...(roots.holding.get(first) ?? [])])) {
      const found = moduleAt(below(root, path));
      if (found !== null) return [found];
    }
    return [];
  };
};

type Roots = {
  readonly all: ReadonlySet<string> /** By the name of what they hold. */;
  readonly holding: ReadonlyMap<string, readonly string[]>;
};

function rootsIn(files: PathSet, configs: ReadonlyMap<string, string>): Roots {
  const all = new Set(['', 'src', 'lib', ...[...configs].flatMap(([path, text]) => toldRoots(path, text))]);
  const holding = new Map<string, string[]>();
  const add = (name: string, root: string): void => {
    const known = holding.get(name);
    if (known === undefined) holding.set(name, [root]);
    else if (!known.includes(root) && known.length < 100) known.push(root);
  };
  for (const path of files) {
    if (nameOf(path) !== '__init__.py') continue;
    const directory = directoryOf(path);
    const parent = directoryOf(directory);
    if (directory === '' || files.has(below(parent, '__init__.py'))) continue;
    all.add(parent);
    add(nameOf(directory), parent);
  }
  // Modules and packages without a file of their own can only be found from a root.
  for (const path of files) {
    if (!path.endsWith('.py')) continue;
    for (const root of ['', 'src', 'lib']) {
      if (root !== '' && !path.startsWith(`${root}/`)) continue;
      add((path.slice(root === '' ? 0 : root.length + 1).split('/', 1)[0] ?? '').replace(/\.py$/, ''), root);
    }
  }
  for (const roots of holding.values()) roots.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return { all, holding };
}

/** `where`, `package-dir`, `pythonpath` of setuptools and pytest; drops paths that leave the repository. */
function toldRoots(path: string, text: string): string[] {
  if (!/(?:pyproject\.toml|setup\.cfg)$/.test(path)) return [];
  const told: string[] = [];
  for (const line of text.split('\n')) {
    if (line.length > 500) continue;
    if (!/^\s*(?:where|package[-_]dir|pythonpath|""|''|)\s*=/.test(line)) continue;
    const value = line.slice(line.indexOf('=') + 1).replace(/["'[\]{}=]/g, ' ');
    told.push(...value.split(/[\s,]+/).filter((word) => /^[\w./-]+$/.test(word)));
  }
  return told.flatMap((root) => joined(directoryOf(path), root) ?? []);
}
