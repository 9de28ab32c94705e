/** The listing of a tree with what is looked up in it again and again, made once per tree. */
import type { ProjectTree, TreeFile } from '../../engine/ports/project-tree.ts';
import { isGenerated } from '../../mind/code/kinds.ts';
import { endingOf } from '../../mind/code/languages.ts';
import { matcher } from '../../mind/config/globs.ts';
import { MAX_FILE_BYTES } from '../../mind/context/limits.ts';
import { isSecretFile } from '../../mind/context/secret-files.ts';
import type { ByteCache } from './tree-cache.ts';

export class View {
  readonly tree: ProjectTree;
  readonly files: readonly TreeFile[];
  readonly byPath: ReadonlyMap<string, TreeFile>;
  /** All paths, for those who ask whether one is there. */
  readonly paths: ReadonlySet<string>;
  #readable: readonly TreeFile[] | null = null;
  readonly #matched = new Map<string, readonly string[]>();

  static of(tree: ProjectTree, cache: ByteCache): Promise<View> {
    return cache.once(
      `view ${tree.commit} ${tree.id}`,
      ({ files }: View) => files.length * 120,
      async () => new View(tree, await tree.files()),
    );
  }

  private constructor(tree: ProjectTree, files: readonly TreeFile[]) {
    this.tree = tree;
    this.files = files;
    const byPath = new Map<string, TreeFile>();
    for (const file of files) byPath.set(file.path, file);
    this.byPath = byPath;
    this.paths = new Set(byPath.keys());
  }

  /** What is worth looking into for words and names. */
  get readable(): readonly TreeFile[] {
    this.#readable ??= this.files.filter(isReadable);
    return this.#readable;
  }

  /** Paths that some patterns mean; the same list is asked for in every packet. */
  readonly matching = (patterns: readonly string[]): readonly string[] => {
    const name = patterns.join('\0');
    const known = this.#matched.get(name);
    if (known !== undefined) return known;
    const isMeant = matcher(patterns);
    const found = this.files.filter(({ path }) => isMeant(path)).map(({ path }) => path);
    this.#matched.set(name, found);
    return found;
  };
}

/** Pictures, archives and the like: nobody looks for words in them. */
const NO_TEXT: ReadonlySet<string> = new Set(
  (
    'png jpg jpeg gif webp avif ico icns bmp tif tiff psd svg svgz mp3 mp4 m4a mov avi webm ogg wav flac woff woff2 ttf ' +
    'otf eot pdf zip gz tgz bz2 xz zst 7z rar jar war class so dylib dll exe o a lib wasm bin dat db sqlite sqlite3 pyc ' +
    'pyo mo lock map'
  ).split(' '),
);

export const isReadable = ({ path, bytes, link }: TreeFile): boolean =>
  !link &&
  bytes > 0 &&
  bytes <= MAX_FILE_BYTES &&
  !NO_TEXT.has(endingOf(path)) &&
  !isSecretFile(path) &&
  !isGenerated(path, '');
