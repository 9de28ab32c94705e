/** The packages that a repository holds: found by their names, `exports`, `imports` and entry points. */
import { isTest } from './languages.ts';
import { asObject, type Loose, looseJson } from './loose-json.ts';
import { below, directoryOf, joined, nameOf, nearest, upwards } from './paths.ts';
import type { FileAt } from './resolve-script.ts';

export type Packages = {
  /** `name` or `name/below`, of a package of this repository. */
  named(from: string, specifier: string): string | null;
  /** `#name` of the package around a directory. */
  imported(directory: string, specifier: string): string | null;
  /** Whether a package, or the repository, has its top here. */
  isTop(directory: string): boolean;
};

const ENTRIES = ['source', 'module', 'main', 'types', 'typings', 'browser'];
const USUAL = ['src/index', 'index', 'src/main', 'lib/index', 'src'];
/** Where builds go: what a package exports from there is made of its `src`. */
const BUILT = /^(?:\.\/)?(?:dist|build|lib|out|output|esm|cjs|es|umd)\//;
const MAX_LEAVES = 50;

export function readPackages(configs: ReadonlyMap<string, string>, fileAt: FileAt): Packages {
  const byDirectory = new Map<string, Loose>();
  const byName = new Map<string, string[]>();
  for (const [path, text] of configs) {
    if (nameOf(path) !== 'package.json') continue;
    const read = looseJson(text);
    if (read === null) continue;
    byDirectory.set(directoryOf(path), read);
    const { name } = read;
    if (typeof name === 'string') byName.set(name, [...(byName.get(name) ?? []), directoryOf(path)]);
  }

  const target = (directory: string, path: string): string | null => {
    const there = fileAt(joined(directory, path), false);
    if (there !== null) return there;
    const bare = path.replace(BUILT, 'src/').replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '');
    // dist/esm/x is of src/x too.
    for (const source of [bare, bare.replace(/^src\/(?:esm|cjs|es|types|lib|src)\//, 'src/')]) {
      const found = fileAt(joined(directory, source), true);
      if (found !== null) return found;
    }
    return null;
  };

  const mapped = (directory: string, map: unknown, key: string): string | null => {
    const table = asObject(map);
    const keyed = table !== null && Object.keys(table).some((one) => /^[.#]/.test(one));
    for (const [leaf, star] of keyed ? entriesFor(table, key) : key === '.' ? [[map, ''] as const] : []) {
      for (const path of leaves(leaf)) {
        const found = path.startsWith('.')
          ? target(
              directory,
              path.replaceAll('*', () => star),
            )
          : null;
        if (found !== null) return found;
      }
    }
    return null;
  };

  return {
    named(from, specifier) {
      const names = specifier.split('/');
      const name = names.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
      const rest = specifier.slice(name.length + 1);
      const places = byName.get(name) ?? [];
      // A package of a test's fixtures is not what others mean by that name.
      const usable = isTest(from) ? places : places.filter((place) => !isTest(below(place, 'package.json')));
      const directory = nearest(from, usable);
      if (directory === undefined) return null;
      const read = byDirectory.get(directory) ?? {};
      const exported = mapped(directory, read['exports'], rest === '' ? '.' : `./${rest}`);
      if (exported !== null) return exported;
      const entries = ENTRIES.flatMap((entry) => (typeof read[entry] === 'string' ? [read[entry]] : []));
      for (const path of rest === '' ? [...entries, ...USUAL] : [rest, `src/${rest}`]) {
        const found = target(directory, path);
        if (found !== null) return found;
      }
      return null;
    },
    imported(directory, specifier) {
      for (const at of upwards(directory)) {
        const read = byDirectory.get(at);
        if (read !== undefined) return mapped(at, read['imports'], specifier);
      }
      return null;
    },
    isTop: (directory) => directory === '' || byDirectory.has(directory),
  };
}

/** The entry of that key, or those whose star it fits, with what the star stands for. */
function entriesFor(table: Loose, key: string): (readonly [unknown, string])[] {
  if (Object.hasOwn(table, key)) return [[table[key], '']];
  return Object.keys(table)
    .filter((pattern) => pattern.includes('*'))
    .sort((a, b) => b.length - a.length)
    .flatMap((pattern) => {
      const [head = '', tail = ''] = pattern.split('*');
      const fits = key.length >= head.length + tail.length && key.startsWith(head) && key.endsWith(tail);
      return fits ? [[table[pattern], key.slice(head.length, key.length - tail.length)] as const] : [];
    });
}

/** Every path under the conditions, in order: which condition holds is not known here. */
function leaves(value: unknown): string[] {
  const found: string[] = [];
  const queue = [value];
  for (let seen = 0; queue.length > 0 && seen < MAX_LEAVES; seen += 1) {
    const one = queue.shift();
    if (typeof one === 'string') found.push(one);
    else if (Array.isArray(one)) queue.push(...one.slice(0, MAX_LEAVES));
    else queue.push(...Object.values(asObject(one) ?? {}).slice(0, MAX_LEAVES));
  }
  return found;
}
