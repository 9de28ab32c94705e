/** Which files of a tree are tied by imports: followed from some files, and looked for by their names in all others. */
import type { TreeFile } from '../../engine/ports/project-tree.ts';
import { importsIn } from '../../mind/code/imports.ts';
import { type Language, languageOf } from '../../mind/code/languages.ts';
import { makeResolver, RESOLVER_FILES, type Resolve } from '../../mind/code/resolve.ts';
import { MAX_FILE_BYTES } from '../../mind/context/limits.ts';
import type { Tie } from '../../mind/context/wishes.ts';
import { nameFinder } from '../../mind/ranking/name-finder.ts';
import type { WordPage } from '../../mind/ranking/word-pages.ts';
import { decode } from './pack-texts.ts';
import type { View } from './pack-view.ts';
import type { ByteCache } from './tree-cache.ts';

/** Of one hop: a file that imports more is a list of everything, which tells nothing. */
const MAX_FOLLOWED = 150;
/** Files with the right word in them that are looked at more closely. */
const MAX_PARSED = 2_000;
/** Imports stand on top, nearly always; to read all of every file takes three times as long. */
const HEAD_BYTES = 6_000;
const MAX_CONFIGS = 2_000;
const MAX_CONFIG_BYTES = 1 << 18;

export class Imports {
  readonly #view: View;
  readonly #cache: ByteCache;

  constructor(view: View, cache: ByteCache) {
    this.#view = view;
    this.#cache = cache;
  }

  /** What these files import, and what that imports, so many hops far; without themselves. */
  async follow(paths: readonly string[], hops: number): Promise<Tie[]> {
    const seen = new Set(paths);
    const ties: Tie[] = [];
    let from = paths.slice(0, MAX_FOLLOWED);
    for (let hop = 1; hop <= hops && from.length > 0; hop++) {
      const next: string[] = [];
      for (const [path, to] of await this.#edges(from)) {
        if (seen.has(to)) continue;
        seen.add(to);
        ties.push({ path: to, to: path, hop });
        next.push(to);
      }
      from = next.slice(0, MAX_FOLLOWED);
    }
    return ties;
  }

  async #edges(from: readonly string[]): Promise<[string, string][]> {
    const resolve = await this.resolver();
    const code = from.filter((path) => languageOf(path) !== 'other');
    const contents = await this.#view.tree.read(code, MAX_FILE_BYTES);
    return code.flatMap((path, n) => {
      const bytes = contents[n];
      if (bytes === null || bytes === undefined) return [];
      return this.#targetsOf(path, bytes, resolve).map((to): [string, string] => [path, to]);
    });
  }

  #targetsOf(path: string, bytes: Uint8Array, resolve: Resolve): string[] {
    const all = importsIn(path, decode(bytes)).flatMap((specifier) => resolve(path, specifier));
    return [...new Set(all)].filter((to) => to !== path && this.#view.byPath.has(to));
  }

  /** Who imports these files: shown every file's bytes, it looks closer where one of their names occurs near the top. */
  async search(paths: readonly string[]): Promise<ImporterSearch> {
    const resolve = await this.resolver();
    const wanted = new Set(paths.filter((path) => languageOf(path) !== 'other'));
    const families = new Set([...wanted].map(familyOf));
    const words = [...new Set([...wanted].map(wordOf))];
    const needles = words.map((word) => Buffer.from(word));
    // An index is imported by its directory, which may be nothing but dots.
    const mayBe = (specifier: string) => /^[./]*$/.test(specifier) || words.some((word) => specifier.includes(word));
    const ties: Tie[] = [];
    let parsed = 0;
    return {
      mayHold: nameFinder(words),
      wants: ({ path }) => families.has(familyOf(path)) && languageOf(path) !== 'other',
      see: ({ path }, bytes) => {
        if (parsed >= MAX_PARSED || wanted.has(path)) return;
        const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
        if (!needles.some((word) => head.includes(word))) return;
        parsed += 1;
        const found = importsIn(path, head.toString()).filter(mayBe);
        for (const to of new Set(found.flatMap((specifier) => resolve(path, specifier))))
          if (wanted.has(to)) ties.push({ path, to, hop: 1 });
      },
      ties: () => ties,
    };
  }

  /** Aliases and packages are told by config files; the resolver is the same for all packets of one tree. */
  resolver(): Promise<Resolve> {
    const bytesOf = () => this.#view.byPath.size * 100;
    return this.#cache.once(`resolver ${this.#view.tree.id}`, bytesOf, async () => {
      const paths = [...this.#view.paths].filter(RESOLVER_FILES).slice(0, MAX_CONFIGS);
      const contents = await this.#view.tree.read(paths, MAX_CONFIG_BYTES);
      const configs = new Map<string, string>();
      for (const [n, path] of paths.entries()) {
        const bytes = contents[n];
        if (bytes) configs.set(path, decode(bytes));
      }
      return makeResolver(this.#view.paths, configs);
    });
  }
}

export type ImporterSearch = {
  /** Whether one of the names may occur in a file of this page. */
  mayHold(page: WordPage): (file: number) => boolean;
  wants(file: TreeFile): boolean;
  see(file: TreeFile, bytes: Uint8Array): void;
  ties(): readonly Tie[];
};

/** TypeScript and JavaScript import each other. */
const familyOf = (path: string): Language => {
  const language = languageOf(path);
  return language === 'javascript' ? 'typescript' : language;
};

/** The word that an import of this file must hold: its name, or that of its directory where the directory is imported. */
function wordOf(path: string): string {
  const names = path.split('/');
  const name = (names.pop() ?? '').replace(/\.[^.]*$/, '').replace(/\.d$/, '');
  const isWhole = languageOf(path) === 'go' || /^(?:index|__init__|mod|lib|main)$/.test(name);
  return isWhole ? (names.findLast((one) => one !== 'src' && one !== 'lib') ?? name) : name;
}
