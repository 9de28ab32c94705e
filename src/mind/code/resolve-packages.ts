/** The packages in a repository, found by their names, `exports`, `imports` and entry points. */
import { isTest } from './languages.ts';
import { asObject, type Loose, looseJson } from './loose-json.ts';
import { below, directoryOf, joined, nameOf, nearest, upwards } from './paths.ts';
import type { FileAt } from './resolver.ts';

const ENTRIES = ['source', 'module', 'main', 'types', 'typings', 'browser'];
const USUAL = ['src/index', 'index', 'src/main', 'lib/index', 'src'];
/** Build directories: what a package exports from there is built from its `src`. */
const BUILT = /^(?:\.\/)?(?:dist|build|lib|out|output|esm|cjs|es|umd)\//;
const MAX_LEAVES = 50;

export class Packages {
  readonly #fileAt: FileAt;
  readonly #byDirectory = new Map<string, Loose>();
  readonly #byName = new Map<string, string[]>();

  constructor(configs: ReadonlyMap<string, string>, fileAt: FileAt) {
    this.#fileAt = fileAt;
    for (const [path, text] of configs) {
      const read = nameOf(path) === 'package.json' ? looseJson(text) : null;
      if (read === null) continue;
      this.#byDirectory.set(directoryOf(path), read);
      const { name } = read;
      if (typeof name === 'string') this.#byName.set(name, [...(this.#byName.get(name) ?? []), directoryOf(path)]);
    }
  }

  /** `name` or `name/below`, of a package in this repository. */
  named(from: string, specifier: string): string | null {
    const names = specifier.split('/');
    const name = names.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
    const rest = specifier.slice(name.length + 1);
    const places = this.#byName.get(name) ?? [];
    // Other code does not mean a package of a test's fixtures by that name.
    const usable = isTest(from) ? places : places.filter((place) => !isTest(below(place, 'package.json')));
    const directory = nearest(from, usable);
    if (directory === undefined) return null;
    const read = this.#byDirectory.get(directory) ?? {};
    const exported = this.#mapped(directory, read['exports'], rest === '' ? '.' : `./${rest}`);
    if (exported !== null) return exported;
    const entries = ENTRIES.flatMap((entry) => (typeof read[entry] === 'string' ? [read[entry]] : []));
    return this.#firstOf(directory, rest === '' ? [...entries, ...USUAL] : [rest, `src/${rest}`]);
  }

  /** `#name` of the package around a directory. */
  imported(directory: string, specifier: string): string | null {
    for (const at of upwards(directory)) {
      const read = this.#byDirectory.get(at);
      if (read !== undefined) return this.#mapped(at, read['imports'], specifier);
    }
    return null;
  }

  /** Whether a package, or the repository, has its top here. */
  isTop(directory: string): boolean {
    return directory === '' || this.#byDirectory.has(directory);
  }

  /** The file that a package's `exports` or `imports` gives for a key. */
  #mapped(directory: string, map: unknown, key: string): string | null {
    const table = asObject(map);
    const keyed = table !== null && Object.keys(table).some((one) => /^[.#]/.test(one));
    const entries = keyed ? entriesFor(table, key) : key === '.' ? [[map, ''] as const] : [];
    for (const [leaf, star] of entries) {
      const paths = leaves(leaf).filter((path) => path.startsWith('.'));
      const found = this.#firstOf(
        directory,
        paths.map((path) => path.replaceAll('*', () => star)),
      );
      if (found !== null) return found;
    }
    return null;
  }

  #firstOf(directory: string, paths: readonly string[]): string | null {
    for (const path of paths) {
      const found = this.#target(directory, path);
      if (found !== null) return found;
    }
    return null;
  }

  /** The file at a path of a package, or the source that it is built from. */
  #target(directory: string, path: string): string | null {
    const there = this.#fileAt(joined(directory, path), false);
    if (there !== null) return there;
    const bare = path.replace(BUILT, 'src/').replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '');
    // dist/esm/x may come from src/x too.
    for (const source of [bare, bare.replace(/^src\/(?:esm|cjs|es|types|lib|src)\//, 'src/')]) {
      const found = this.#fileAt(joined(directory, source), true);
      if (found !== null) return found;
    }
    return null;
  }
}

/** The entry of that key, or those whose star matches, with the text of the star. */
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

/** Every path under the conditions, in order: which condition applies is unknown here. */
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
