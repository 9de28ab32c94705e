/** The listing of a tree with what is looked up in it again and again, made once per tree. */
import type { ProjectTree, TreeFile, TreeListing } from '../../engine/ports/project-tree.ts';
import type { PathSet } from '../../mind/code/resolve.ts';
import { matcher } from '../../mind/config/globs.ts';
import type { KeptFiles } from './kept-files.ts';
import type { ByteCache } from './tree-cache.ts';
import { factsOf, type ViewFacts } from './view-facts.ts';

export class View {
  readonly tree: ProjectTree;
  /** All files by their paths. */
  readonly byPath: TreeListing;
  /** All paths, for those who ask whether one is there. */
  readonly paths: PathSet;
  readonly #kept: KeptFiles | null;
  readonly #factsId: string;
  #facts: ViewFacts | null = null;
  readonly #matched = new Map<string, readonly string[]>();

  /** `kept`: where what is found out is kept for other processes; null: nowhere. */
  static of(tree: ProjectTree, cache: ByteCache, kept: KeptFiles | null, program: string | null = null): Promise<View> {
    return cache.once(
      `view ${tree.commit} ${tree.id}`,
      ({ byPath }: View) => byPath.paths.length * 120,
      async () => new View(tree, await tree.listing(), kept, program),
    );
  }

  private constructor(tree: ProjectTree, listing: TreeListing, kept: KeptFiles | null, program: string | null) {
    this.tree = tree;
    this.byPath = listing;
    this.paths = {
      has: (path) => listing.numberOf(path) >= 0,
      [Symbol.iterator]: () => listing.paths[Symbol.iterator](),
    };
    this.#kept = kept;
    this.#factsId = program === null ? tree.id : `${tree.id}-${program.slice(0, 16)}`;
  }

  get files(): readonly TreeFile[] {
    return this.byPath.files;
  }

  get facts(): ViewFacts {
    this.#facts ??= factsOf(this.#factsId, this.byPath, this.#kept);
    return this.#facts;
  }

  /** Those that are worth looking into for words and names, by their places among them. */
  readonly readable = {
    fileAt: (place: number): TreeFile => this.byPath.fileAt(this.facts.readable[place] as number),
    /** Undefined: it is none of them. */
    get: (path: string): number | undefined => {
      const place = this.facts.placeOf[this.byPath.numberOf(path)] ?? -1;
      return place < 0 ? undefined : place;
    },
  };

  /** Paths that some patterns mean; the same list is asked for in every packet. */
  readonly matching = (patterns: readonly string[]): readonly string[] => {
    const name = patterns.join('\0');
    const known = this.#matched.get(name);
    if (known !== undefined) return known;
    const found = pathsMeant(patterns, this.byPath);
    this.#matched.set(name, found);
    return found;
  };
}

/** Only paths that hold a piece of a pattern are tried: to look for that in all paths at once takes a tenth of the time. */
export function pathsMeant(
  patterns: readonly string[],
  { paths, text }: Pick<TreeListing, 'paths' | 'text'>,
): readonly string[] {
  const pieces = patterns.map(longestPiece);
  if (pieces.includes('')) return paths.filter(matcher(patterns));
  const found = new Map<number, string>();
  for (const piece of pieces) {
    for (let at = text.indexOf(piece); at >= 0; ) {
      const [start, end] = [text.lastIndexOf('\0', at) + 1, text.indexOf('\0', at)];
      found.set(start, text.slice(start, end));
      at = text.indexOf(piece, end);
    }
  }
  const inOrder = [...found.keys()].sort((a, b) => a - b).map((start) => found.get(start) as string);
  return inOrder.filter(matcher(patterns));
}

/** Whatever the pattern means has this in one of its names. */
function longestPiece(pattern: string): string {
  const pieces = pattern.split(/[*?/]+/).filter((piece) => piece !== '.');
  return pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
}
