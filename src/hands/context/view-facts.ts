/**
 * What the listing of a tree says by itself: which files are worth looking into, what their paths say, which are tests or
 * tell how imports are meant. It is the same for every task, and kept on disk by the id of the tree.
 */
import type { TreeFile, TreeListing } from '../../engine/ports/project-tree.ts';
import { type TestFiles, testFilesIn } from '../../mind/code/companions.ts';
import { isGenerated } from '../../mind/code/kinds.ts';
import { endingOf } from '../../mind/code/languages.ts';
import { RESOLVER_FILES } from '../../mind/code/resolve.ts';
import { MAX_FILE_BYTES } from '../../mind/context/limits.ts';
import { isSecretFile } from '../../mind/context/secret-files.ts';
import { depthsOf, type Places, placesOf } from '../../mind/ranking/places.ts';
import { type BlobKeys, keysOfBlobs } from '../../mind/ranking/word-pages.ts';
import { ColumnReader, joinedPaths, packColumns, splitPaths } from './kept-columns.ts';
import type { KeptFiles } from './kept-files.ts';

/** Another one for every change of what is told here: of endings, names or stems. */
export const FACTS = 'facts3';

export type ViewFacts = {
  /** Of those that are worth looking into for words and names: their numbers in the listing. */
  readonly readable: Uint32Array;
  /** Of each file of the listing where it stands among them, -1 where it does not. */
  readonly placeOf: Int32Array;
  readonly bytes: Uint32Array;
  readonly blobs: BlobKeys;
  readonly places: Places;
  readonly tests: TestFiles;
  /** Numbers of the files that the resolver wants. */
  readonly configs: Uint32Array;
};

/** `id` names the tree, and the program where it has a name: its rules for paths are part of what is told. */
export function factsOf(id: string, listing: TreeListing, kept: KeptFiles | null): ViewFacts {
  const known = kept?.get(id, (bytes) => unpackedFacts(bytes, listing)) ?? null;
  if (known !== null) return known;
  const made = madeOf(listing);
  kept?.set(id, () => packedFacts(made));
  return made;
}

function madeOf(listing: TreeListing): ViewFacts {
  const { paths } = listing;
  const readable = numbersOf(paths.length, (n) => isReadableAt(listing, n));
  return {
    ...chosen(listing, readable),
    places: placesOf(pathsOf(listing, readable)),
    tests: testFilesIn(paths),
    configs: numbersOf(paths.length, (n) => RESOLVER_FILES(paths[n] as string)),
  };
}

function pathsOf({ paths }: TreeListing, numbers: Uint32Array): string[] {
  const some: string[] = [];
  for (let n = 0; n < numbers.length; n++) some.push(paths[numbers[n] as number] as string);
  return some;
}

/** What the listing has of those files. */
function chosen({ paths, sizes, ids }: TreeListing, readable: Uint32Array) {
  const blobs = keysOfBlobs(ids, paths.length);
  const pick = (all: ArrayLike<number>): Uint32Array => {
    const picked = new Uint32Array(readable.length);
    for (let place = 0; place < readable.length; place++) picked[place] = all[readable[place] as number] as number;
    return picked;
  };
  return {
    readable,
    placeOf: placesIn(readable, paths.length),
    bytes: pick(sizes),
    blobs: { highs: pick(blobs.highs), lows: pick(blobs.lows) },
  };
}

function placesIn(numbers: Uint32Array, size: number): Int32Array {
  const places = new Int32Array(size).fill(-1);
  for (let place = 0; place < numbers.length; place++) places[numbers[place] as number] = place;
  return places;
}

function numbersOf(size: number, isMeant: (n: number) => boolean): Uint32Array {
  const found: number[] = [];
  for (let n = 0; n < size; n++) if (isMeant(n)) found.push(n);
  return Uint32Array.from(found);
}

/** Pictures, archives and the like: nobody looks for words in them. */
const NO_TEXT: ReadonlySet<string> = new Set(
  (
    'png jpg jpeg gif webp avif ico icns bmp tif tiff psd svg svgz mp3 mp4 m4a mov avi webm ogg wav flac woff woff2 ttf ' +
    'otf eot pdf zip gz tgz bz2 xz zst 7z rar jar war class so dylib dll exe o a lib wasm bin dat db sqlite sqlite3 pyc ' +
    'pyo mo lock map'
  ).split(' '),
);

const isReadableAt = ({ paths, sizes, links }: TreeListing, n: number): boolean =>
  links[n] === 0 && isReadableFile(paths[n] as string, sizes[n] as number);

export const isReadable = ({ path, bytes, link }: TreeFile): boolean => !link && isReadableFile(path, bytes);

const isReadableFile = (path: string, bytes: number): boolean =>
  bytes > 0 && bytes <= MAX_FILE_BYTES && !NO_TEXT.has(endingOf(path)) && !isSecretFile(path) && !isGenerated(path, '');

/** What the listing itself tells is not written once more. */
export function packedFacts({ readable, placeOf, places, tests, configs }: ViewFacts): Uint8Array {
  const { folders, folderOf, stems } = places;
  return packColumns([
    ...[Uint32Array.of(placeOf.length), readable, tests.files, tests.stems, configs],
    ...[Buffer.from(joinedPaths(folders)), folderOf, stems],
  ]);
}

function unpackedFacts(kept: Uint8Array, listing: TreeListing): ViewFacts {
  const columns = new ColumnReader(kept);
  const numbers = () => columns.next(Uint32Array);
  const [files] = numbers();
  // All of it is by the numbers of a listing: of one with other files nothing would be right.
  if (files !== listing.paths.length) throw new Error('the facts of another listing');
  const readable = numbers();
  const tests = { files: numbers(), stems: columns.next(Int32Array) };
  const configs = numbers();
  const folders = splitPaths(columns.text());
  const [folderOf, stems] = [numbers(), columns.next(Int32Array)];
  const places = { paths: pathsOf(listing, readable), ...{ folders, depths: depthsOf(folders), folderOf, stems } };
  return { ...chosen(listing, readable), places, tests, configs };
}
