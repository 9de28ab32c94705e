/** Finds files that are tied by imports: follows imports from some files, and searches all others for their names. */
import type { TreeFile } from '../../engine/ports/project-tree.ts';
import { importsIn } from '../../mind/code/imports.ts';
import { type Language, languageOf } from '../../mind/code/languages.ts';
import { makeResolver, mayLeadTo } from '../../mind/code/resolve.ts';
import type { ResolveImport } from '../../mind/code/resolver.ts';
import { MAX_FILE_BYTES } from '../../mind/context/limits.ts';
import type { Tie } from '../../mind/context/wishes.ts';
import type { ContentCache } from './content-cache.ts';
import { decode } from './pack-texts.ts';
import type { View } from './pack-view.ts';

/** Follows at most this many imports of one file; a file with more imports everything and says nothing. */
const MAX_FOLLOWED = 150;
/** Imports are nearly always at the top; reading whole files takes three times as long. */
const HEAD_BYTES = 6_000;
const MAX_CONFIGS = 2_000;
const MAX_CONFIG_BYTES = 1 << 18;

export class Imports {
  readonly #view: View;
  readonly #cache: ContentCache;

  constructor(view: View, cache: ContentCache) {
    this.#view = view;
    this.#cache = cache;
  }

  /** What these files import, transitively up to `hops`; without the files themselves. */
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
    const code = from.filter((path) => languageOf(path) !== 'other');
    if (code.length === 0) return [];
    const resolve = await this.resolver();
    const contents = await this.#view.tree.read(code, MAX_FILE_BYTES);
    return code.flatMap((path, n) => {
      const bytes = contents[n];
      if (bytes === null || bytes === undefined) return [];
      return this.#targetsOf(path, bytes, resolve).map((to): [string, string] => [path, to]);
    });
  }

  #targetsOf(path: string, bytes: Uint8Array, resolve: ResolveImport): string[] {
    const all = importsIn(path, decode(bytes)).flatMap((specifier) => resolve(path, specifier));
    return [...new Set(all)].filter((to) => to !== path && this.#view.paths.has(to));
  }

  /** Finds the files that import these. It parses a file only if one of their names occurs near its top. */
  async search(paths: readonly string[]): Promise<ImporterSearch> {
    const wanted = new Set(paths.filter((path) => languageOf(path) !== 'other'));
    const resolve = wanted.size === 0 ? () => [] : await this.resolver();
    const families = new Set([...wanted].map(familyOf));
    const words = [...new Set([...wanted].map(wordOf))];
    const needles = words.map((word) => Buffer.from(word));
    // An index is imported by its directory, which may be nothing but dots.
    const mayBe = (specifier: string) => /^[./]*$/.test(specifier) || words.some((word) => specifier.includes(word));
    const ties: Tie[] = [];
    return {
      wants: ({ path }) => families.has(familyOf(path)) && languageOf(path) !== 'other',
      see: ({ path }, bytes) => {
        if (wanted.has(path)) return;
        const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
        if (!needles.some((word) => head.includes(word))) return;
        const text = head.toString();
        const leads = (specifier: string) => mayBe(specifier) && mayLeadTo(path, specifier, wanted);
        const meant = (specifiers: Iterable<string>) =>
          new Set([...specifiers].filter(leads).flatMap((specifier) => resolve(path, specifier))).intersection(wanted);
        // Separating strings from other text is slow, and most files import something else.
        if (isQuoted(path) && meant(quotedIn(text)).size === 0) return;
        for (const to of meant(importsIn(path, text))) ties.push({ path, to, hop: 1 });
      },
      ties: () => ties,
    };
  }

  /** The contents of these files, in order; also reads ahead what comes next, because each request is slow. */
  async read(paths: readonly string[]): Promise<readonly (Uint8Array | null)[]> {
    const next = paths.some((path) => languageOf(path) !== 'other') ? this.#configs() : [];
    const contents = await this.#view.tree.read([...paths, ...next], MAX_FILE_BYTES);
    return contents.slice(0, paths.length);
  }

  #configs(): readonly string[] {
    return this.#view.configs.slice(0, MAX_CONFIGS);
  }

  /** Config files define aliases and packages; one resolver serves all packets of a tree. */
  resolver(): Promise<ResolveImport> {
    const bytesOf = () => this.#view.files.length * 100;
    return this.#cache.once(`resolver ${this.#view.tree.id}`, bytesOf, async () => {
      const paths = this.#configs();
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
  wants(file: TreeFile): boolean;
  see(file: TreeFile, bytes: Uint8Array): void;
  ties(): readonly Tie[];
};

/** TypeScript and JavaScript files import each other. */
const familyOf = (path: string): Language => {
  const language = languageOf(path);
  return language === 'javascript' ? 'typescript' : language;
};

/** True for languages that name modules by strings. */
const isQuoted = (path: string): boolean => familyOf(path) === 'typescript' || familyOf(path) === 'go';

/** All strings that may name a module: any text between two equal quotes. */
function quotedIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const quote of ['"', "'", '`'])
    for (const piece of text.split(quote).slice(1, -1)) if (piece !== '' && piece.length < 1_000) found.add(piece);
  return found;
}

/** A word that any import of this file must contain: its name, or its directory's name if the directory is imported. */
function wordOf(path: string): string {
  const names = path.split('/');
  const name = (names.pop() ?? '').replace(/\.[^.]*$/, '').replace(/\.d$/, '');
  const isWhole = languageOf(path) === 'go' || /^(?:index|__init__|mod|lib|main)$/.test(name);
  return isWhole ? (names.findLast((one) => one !== 'src' && one !== 'lib') ?? name) : name;
}
