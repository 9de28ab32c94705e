/** What the place of a file says: its distance from the targets, its name, who imports whom. */
import type { Column } from './columns.ts';
import type { ImportGraph, RankedFile } from './rank.ts';
import { lower, wordsIn } from './words.ts';

export function nearColumn(files: readonly RankedFile[], targets: readonly string[]): Column {
  const homes = targets.map((target) => folderOf(target).split('/'));
  const known = new Map<string, number>();
  return Float64Array.from(files, ({ path }) => {
    const folder = folderOf(path);
    let near = known.get(folder);
    if (near === undefined) {
      near = nearness(folder.split('/'), homes);
      known.set(folder, near);
    }
    return near;
  });
}

/** `a` and `a/b` are one step apart; the root is the folder without a name. */
function nearness(home: readonly string[], others: readonly (readonly string[])[]): number {
  let best = 0;
  for (const other of others) {
    const depth = (names: readonly string[]) => (names[0] === '' ? 0 : names.length);
    let shared = 0;
    while (shared < Math.min(depth(home), depth(other)) && home[shared] === other[shared]) shared++;
    best = Math.max(best, 1 / (1 + depth(home) + depth(other) - 2 * shared));
  }
  return best;
}

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Tells a test from what it tests, or a declaration from its source: not what they are about. */
const ROLE_WORDS = new Set(
  'test tests spec specs e2e mock mocks types type d index main impl unit it stories'.split(' '),
);

/** What a file is called after, without its role: `user.service.spec.ts` and `test_user_service.py` are twins. */
export function stemOfPath(path: string): string {
  const start = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const stem = stemOf(path, start, dot < start ? path.length : dot);
  if (stem !== '') return stem;
  // `parser/index.ts` is called after its folder.
  const folders = path
    .split('/')
    .slice(0, -1)
    .filter((folder) => !ROLE_WORDS.has(lower(folder)));
  return wordsIn(folders.at(-1) ?? '').join('');
}

/** As `wordsIn` cuts it. By hand, for there are many files, and most names have no capitals. */
function stemOf(path: string, start: number, end: number): string {
  let stem = '';
  let from = start;
  for (let at = start; at <= end; at++) {
    const code = at < end ? path.charCodeAt(at) : STROKE;
    if (code >= UPPER_A && code <= UPPER_Z) return stemOfName(path.slice(start, end));
    if ((code >= LOWER_A && code <= LOWER_Z) || (code >= ZERO && code <= NINE) || code >= 0x80) continue;
    if (at > from) {
      const word = path.slice(from, at);
      if (!ROLE_WORDS.has(word)) stem += word;
    }
    from = at + 1;
  }
  return stem;
}

const stemOfName = (name: string): string =>
  wordsIn(name)
    .filter((word) => !ROLE_WORDS.has(word))
    .join('');

const [STROKE, ZERO, NINE, UPPER_A, UPPER_Z, LOWER_A, LOWER_Z] = [47, 48, 57, 65, 90, 97, 122] as const;

/** `stems` are those of the files, in their order. */
export function twinColumn(stems: readonly string[], targets: readonly string[]): Column {
  const column = new Float64Array(stems.length);
  const wanted = new Set(targets.map(stemOfPath).filter((stem) => stem.length > 1));
  if (wanted.size === 0) return column;
  let found = 0;
  for (const [at, stem] of stems.entries()) {
    if (!wanted.has(stem)) continue;
    column[at] = 1;
    found++;
  }
  // A name that many files have says little about each.
  const worth = 1 / Math.log2(1 + Math.max(1, found - wanted.size));
  return column.map((value) => value * worth);
}

/** Files that the text names, by their path or the end of it. */
export function namedColumn(files: readonly RankedFile[], named: readonly string[]): Column {
  const column = new Float64Array(files.length);
  if (named.length === 0) return column;
  for (const [at, { path }] of files.entries()) {
    for (const name of named) {
      const start = path.length - name.length;
      // Where a name begins tells nearly all paths from it.
      if (start > 0 ? path.charCodeAt(start - 1) !== STROKE : start < 0) continue;
      if (lower(path.slice(start)) === name) column[at] = 1;
    }
  }
  return column;
}

/** Direct neighbours count whole, theirs a third; a file that everybody imports says less. */
export function importColumn(
  files: readonly RankedFile[],
  index: ReadonlyMap<string, number>,
  targets: readonly string[],
  imports: ImportGraph | null,
): Column {
  const column = new Float64Array(files.length);
  if (imports === null) return column;
  const raise = (path: string, value: number) => {
    const at = index.get(path);
    if (at !== undefined) column[at] = Math.max(column[at] as number, value);
  };
  for (const target of targets) {
    for (const [first, back] of [
      [imports.of(target), imports.by],
      [imports.by(target), imports.of],
    ] as const) {
      const damp = 1 / Math.log2(2 + first.length / 4);
      for (const path of first) {
        raise(path, damp);
        const others = back(path);
        if (others.length > 60) continue;
        for (const next of others) raise(next, (0.3 * damp) / Math.log2(2 + others.length / 4));
      }
      for (const path of first) {
        const others = back === imports.by ? imports.of(path) : imports.by(path);
        for (const next of others.slice(0, 60)) raise(next, (0.3 * damp) / Math.log2(2 + others.length / 4));
      }
    }
  }
  return column;
}
