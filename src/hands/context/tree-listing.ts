/** Lists the files of a tree. */
import type { FileColumns, TreeFile, TreeListing } from '../../engine/ports/project-tree.ts';
import { isDotGit, textOf } from '../../mind/candidates/names.ts';
import { parseRawDiff } from '../../mind/candidates/raw-diff.ts';
import { type GitCall, streamGit } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { joinedPaths } from './kept-columns.ts';
import { isOurs } from './tree-checkout.ts';
import { firstLine, must } from './tree-git.ts';
import { indexedFiles } from './tree-index.ts';

/** The files of a tree in git's order. */
export class Listing implements TreeListing {
  readonly paths: readonly string[];
  readonly ids: Buffer;
  readonly sizes: Float64Array;
  readonly links: Uint8Array;
  readonly #idSize: number;
  #files: readonly TreeFile[] | null = null;
  #text: string | null;
  #numbers: ReadonlyMap<string, number> | null = null;

  /** `text`: the paths in one, if it is known. */
  constructor({ paths, ids, sizes, links }: FileColumns, text: string | null = null) {
    this.paths = paths;
    this.ids = Buffer.from(ids.buffer, ids.byteOffset, ids.length);
    this.sizes = sizes;
    this.links = links;
    this.#idSize = ids.length / Math.max(1, paths.length);
    this.#text = text;
  }

  static of(files: readonly TreeFile[]): Listing {
    const byPath = new Map<string, TreeFile>();
    for (const file of files) if (!byPath.has(file.path)) byPath.set(file.path, file);
    // A tree written by hand may name one path twice.
    const all = byPath.size === files.length ? files : [...byPath.values()];
    return new Listing({
      paths: [...byPath.keys()],
      ids: Buffer.from(all.map(({ id }) => id).join(''), 'hex'),
      sizes: Float64Array.from(all, ({ bytes }) => bytes),
      links: Uint8Array.from(all, ({ link }) => (link ? 1 : 0)),
    });
  }

  get text(): string {
    this.#text ??= joinedPaths(this.paths);
    return this.#text;
  }

  numberOf(path: string): number {
    if (this.#numbers === null) {
      const numbers = new Map<string, number>();
      for (let n = 0; n < this.paths.length; n++) numbers.set(this.paths[n] as string, n);
      this.#numbers = numbers;
    }
    return this.#numbers.get(path) ?? -1;
  }

  fileAt(n: number): TreeFile {
    const id = this.ids.toString('hex', n * this.#idSize, (n + 1) * this.#idSize);
    return { path: this.paths[n] as string, id, bytes: this.sizes[n] as number, link: this.links[n] === 1 };
  }

  get(path: string): TreeFile | undefined {
    const n = this.numberOf(path);
    return n < 0 ? undefined : this.fileAt(n);
  }

  get files(): readonly TreeFile[] {
    this.#files ??= this.paths.map((_, n) => this.fileAt(n));
    return this.#files;
  }
}

/** Of memory, when all objects and the map were asked for: a path, an id and a place; measured at 31,000 files, rounded up. */
const BYTES_PER_FILE = 400;
export const bytesOf = ({ paths }: Listing): number => paths.length * BYTES_PER_FILE;

/** From the index of that checkout; null: it is not of this tree. */
export async function listIndexed(worktree: string, tree: string, call: GitCall): Promise<Listing | null> {
  const found = isOurs(worktree, call) ? indexedFiles(worktree, tree) : null;
  if (found === null) return null;
  const { names, ids, sizes } = found;
  const idSize = ids.length / Math.max(1, names.length);
  const idAt = (n: number) => ids.toString('hex', n * idSize, (n + 1) * idSize);
  const unsure: number[] = [];
  for (let n = 0; n < sizes.length; n++) if (sizes[n] === 0 && !EMPTY.has(idAt(n))) unsure.push(n);
  if (unsure.length > MAX_CHANGES) return null;
  const asked = await sizesOf([...new Set(unsure.map(idAt))], call);
  for (const n of unsure) sizes[n] = asked.get(idAt(n)) ?? 0;
  const paths = names.map(pathOf);
  if (paths.includes(null)) {
    const kept = [...names.keys()].flatMap(
      (n) => fileOf(names[n] as string, found.links[n] === 1, idAt(n), sizes[n] as number) ?? [],
    );
    return Listing.of(kept);
  }
  return new Listing({ paths: paths as string[], ids, sizes, links: found.links });
}

/** The id of nothing, by each kind of hash. */
const EMPTY: ReadonlySet<string> = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

export async function listTree(tree: string, call: GitCall): Promise<Listing> {
  const files: TreeFile[] = [];
  let rest = '';
  const { code, stderr } = await streamGit(['ls-tree', '-r', '-l', '-z', '--full-tree', tree], call, (piece) => {
    const lines = (rest + piece.toString('latin1')).split('\0');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const file = parseLine(line);
      if (file !== null) files.push(file);
    }
    return true;
  });
  if (code !== 0) throw new GitError(`git ls-tree failed: ${firstLine(stderr)}`);
  return Listing.of(files);
}

/** `100644 blob 3b18e51…      12\tpath`; cut by hand, which is twice as fast as a pattern. */
function parseLine(line: string): TreeFile | null {
  const tab = line.indexOf('\t');
  const start = line.indexOf(' ', 7) + 1;
  const end = line.indexOf(' ', start);
  // Where the object is missing, git says `BAD`.
  const bytes = Number(line.slice(end, tab)) || 0;
  return withMode(line.slice(tab + 1), line.slice(0, 6), line.slice(start, end), bytes);
}

/** The same for a tree that differs little from a listed one: what did not change is not listed again. */
export async function listFrom(known: Listing, from: string, tree: string, call: GitCall): Promise<Listing | null> {
  const raw = await must(['diff-tree', '-r', ...RAW, from, tree], call);
  const changes = parseRawDiff(raw);
  if (changes.length > MAX_CHANGES) return null;
  const there = changes.flatMap(({ path, after }) => (after === null ? [] : [{ path, ...after }]));
  const sizes = await sizesOf([...new Set(there.map(({ id }) => id))], call);
  const gone = new Set(changes.map(({ path }) => textOf(path)));
  const added = there.flatMap(({ path, mode, id }) => withMode(path, mode, id, sizes.get(id) ?? 0) ?? []);
  return Listing.of(
    merged(
      known.files.filter(({ path }) => !gone.has(path)),
      added,
    ),
  );
}

/** The exact difference of two trees: no renames guessed, no setting asked. */
export const RAW = ['-z', '--raw', '--no-renames', '--full-index', '--ignore-submodules=none'];
/** With more of them a new list is not slower. */
const MAX_CHANGES = 2000;

async function sizesOf(ids: readonly string[], call: GitCall): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const input = `${ids.join('\n')}\n`;
  const lines = await must(['cat-file', '--batch-check=%(objectname) %(objectsize)'], { ...call, input });
  return new Map(lines.split('\n').map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1]) || 0]));
}

/** Null: not a file that can be shown, as a submodule. */
function withMode(name: string, mode: string, id: string, bytes: number): TreeFile | null {
  const link = mode === '120000';
  return link || mode.startsWith('100') ? fileOf(name, link, id, bytes) : null;
}

function fileOf(name: string, link: boolean, id: string, bytes: number): TreeFile | null {
  const path = pathOf(name);
  return path === null ? null : { path, id, bytes, link };
}

/** Null: not UTF-8, or a name that a tree has only when somebody wrote it by hand. */
function pathOf(name: string): string | null {
  // Asked for every file of a tree: one look tells that nothing is special about most of them.
  if (!SPECIAL.test(name)) return name;
  const parts = name.split('/');
  return parts.some((part) => part === '' || part === '.' || part === '..' || isDotGit(part)) ? null : textOf(name);
}

/** May have an empty part, `.`, `..` or `.git`, or is not ASCII. */
const SPECIAL = /(?:^|\/)(?:\.{0,2}(?:\/|$)|\.git|git~1)|[\x80-\xff]/i;

/** Two lists that are in git's order, as one. */
function merged(some: readonly TreeFile[], others: readonly TreeFile[]): TreeFile[] {
  const all: TreeFile[] = [];
  let next = 0;
  for (const file of some) {
    for (let other = others[next]; other !== undefined && isBefore(other.path, file.path); other = others[++next]) {
      all.push(other);
    }
    all.push(file);
  }
  return [...all, ...others.slice(next)];
}

/** By bytes, as git has it; JavaScript compares in another way only where there are surrogates. */
const isBefore = (a: string, b: string): boolean =>
  SURROGATE.test(a) || SURROGATE.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a < b;
const SURROGATE = /[\ud800-\udfff]/;
