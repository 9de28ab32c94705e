/** Signals of words in paths: the task's words, and those shared with a target's path. */
import { raise, SparseColumn } from './columns.ts';
import type { PathTable } from './places.ts';
import { keysOf } from './scan.ts';
import type { Term, Terms } from './terms.ts';
import { Walk } from './walk.ts';
import { idfOf } from './word-signals.ts';
import { isStopWord, wordsIn } from './words.ts';

/** `path`: the task's words in the path. `kin`: words shared with a target's path. */
export function pathColumns(
  places: PathTable,
  targets: readonly string[],
  { list, joined }: Pick<Terms, 'list' | 'joined'>,
): { path: SparseColumn; kin: SparseColumn } {
  const lists = { path: [...list.filter((term) => term.of === 'task'), ...joined], kin: targets.flatMap(pathTerms) };
  const [folders, names] = [new Found(places.folders, 'whole', lists), new Found(places.paths, 'name', lists)];
  const column = (list: keyof PathTerms) => columnOf(places, lists[list], list, folders, names);
  return { path: column('path'), kin: column('kin') };
}

function pathTerms(path: string): Term[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const inName = new Set(wordsIn(name.replace(/\.[^.]*$/, '')));
  const words = [...new Set(wordsIn(path))].filter((word) => word.length > 1 && !isStopWord(word));
  return words.map((key) => ({ key, whole: false, weight: inName.has(key) ? 2 : 1, of: 'target' }));
}

type PathTerms = { readonly path: readonly Term[]; readonly kin: readonly Term[] };

/**
 * The name counts twice: it says more than the folders. Many files have the same terms in folders and names, so their
 * worth is computed once for all of them.
 */
function columnOf(
  { folderOf }: PathTable,
  terms: readonly Term[],
  list: keyof PathTerms,
  folders: Found,
  names: Found,
): SparseColumn {
  const files = folderOf.length;
  const [folder, name] = [folders.kinds[list], names.kinds[list]];
  if (folder.size === 1 && name.size === 1) return new SparseColumn(files);
  const kinds = name.size;
  // Two numbers in one, which may be large.
  const kindOf = new Float64Array(files);
  const often = new Map<number, number>();
  let last = -1;
  let run = 0;
  for (let file = 0; file < files; file++) {
    const kind = (folder.of[folderOf[file] as number] as number) * kinds + (name.of[file] as number);
    kindOf[file] = kind;
    if (kind !== last) {
      if (run > 0) often.set(last, (often.get(last) ?? 0) + run);
      last = kind;
      run = 0;
    }
    run += 1;
  }
  if (run > 0) often.set(last, (often.get(last) ?? 0) + run);
  const all = [...often].map(([kind, count]) => {
    return { kind, count, times: together(folder.terms(Math.floor(kind / kinds)), name.terms(kind % kinds)) };
  });
  const within = new Float64Array(terms.length);
  for (const { times, count } of all) for (const term of times.keys()) raise(within, term, count);
  const worth = within.map((n, term) => (terms[term] as Term).weight * idfOf(files, n));
  const scores = new Map<number, number>();
  for (const { kind, times } of all) {
    let score = 0;
    for (const [term, count] of times) score += (worth[term] as number) * Math.min(2, count);
    scores.set(kind, score);
  }
  const column = new SparseColumn(files);
  last = -1;
  let score = 0;
  for (let file = 0; file < files; file++) {
    const kind = kindOf[file] as number;
    if (kind !== last) score = scores.get(kind) as number;
    last = kind;
    if (score === 0) continue;
    const words = (folders.totals[folderOf[file] as number] as number) + 2 * (names.totals[file] as number);
    column.raise(file, score / Math.sqrt(words + 4));
  }
  return column;
}

/** How often each term occurs in both; those of the folders first. */
function together(folder: readonly number[], name: readonly number[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const term of folder) times.set(term, (times.get(term) ?? 0) + 1);
  for (const term of name) times.set(term, (times.get(term) ?? 0) + 2);
  return times;
}

/** The terms in paths, or only in file names; each text is searched once, for both lists. */
class Found {
  readonly kinds: { readonly path: Kinds; readonly kin: Kinds };
  /** How many words each has. */
  readonly totals: Uint16Array;

  constructor(paths: readonly string[], part: 'whole' | 'name', { path, kin }: PathTerms) {
    this.kinds = { path: new Kinds(path, paths.length), kin: new Kinds(kin, paths.length) };
    this.totals = new Uint16Array(paths.length);
    const walk = new Walk();
    this.kinds.path.wantIn(walk);
    this.kinds.kin.wantIn(walk);
    // All in one, separated by NUL, which no path contains.
    const bytes = encoder.encode(`${paths.join('\0')}\0`);
    for (let n = 0, start = 0; n < paths.length; n++) {
      const one = paths[n] as string;
      const from = part === 'name' ? one.lastIndexOf('/') + 1 : 0;
      const plain = start + one.length;
      // Continues after a letter of several bytes.
      const end = bytes[plain] === 0 ? plain : bytes.indexOf(0, plain);
      const total = walk.walk(bytes, end, start + (end === plain ? from : sizeOf(one.slice(0, from))));
      this.#take(n, total, walk);
      start = end + 1;
    }
  }

  #take(n: number, total: number, walk: Walk): void {
    this.totals[n] = Math.min(total, 0xffff);
    if (walk.wordCount + walk.wholeCount === 0) return;
    this.kinds.path.take(n, walk);
    this.kinds.kin.take(n, walk);
  }
}

const encoder = new TextEncoder();
const sizeOf = (text: string): number => encoder.encode(text).length;

/** Texts with the same terms, once or more often, are of one kind; kind 0 has none. */
class Kinds {
  readonly of: Uint32Array;
  /** The term of each hash. */
  readonly #words = new Map<number, number>();
  readonly #wholes = new Map<number, number>();
  readonly #size: number;
  /** Each kind is another one plus one term. */
  readonly #before = [0];
  readonly #terms = [-1];
  readonly #after = new Map<number, number>();

  constructor(terms: readonly Term[], texts: number) {
    this.of = new Uint32Array(texts);
    this.#size = terms.length;
    for (const { hash, term, whole } of keysOf(terms)) (whole ? this.#wholes : this.#words).set(hash, term);
  }

  wantIn(walk: Walk): void {
    for (const hashes of [this.#words, this.#wholes]) for (const hash of hashes.keys()) walk.want(hash);
  }

  /** Stores the terms found in a text. */
  take(text: number, { words, wordCount, wholes, wholeCount }: Walk): void {
    const found: number[] = [];
    for (let n = 0; n < wordCount; n++) add(found, this.#words.get(words[n] as number));
    for (let n = 0; n < wholeCount; n++) add(found, this.#wholes.get(wholes[n] as number));
    // Sorted, so that the same terms always lead to the same kind.
    if (found.length > 1) found.sort((a, b) => a - b);
    let kind = 0;
    for (let n = 0; n < found.length; n++) {
      // More than twice counts as twice.
      if (found[n] !== found[n - 2]) kind = this.#next(kind, found[n] as number);
    }
    this.of[text] = kind;
  }

  get size(): number {
    return this.#terms.length;
  }

  /** Sorted, each once or twice. */
  terms(kind: number): number[] {
    const found: number[] = [];
    for (let at = kind; at > 0; at = this.#before[at] as number) found.push(this.#terms[at] as number);
    return found.reverse();
  }

  #next(kind: number, term: number): number {
    const key = kind * this.#size + term;
    const known = this.#after.get(key);
    if (known !== undefined) return known;
    const made = this.#terms.length;
    this.#before.push(kind);
    this.#terms.push(term);
    this.#after.set(key, made);
    return made;
  }
}

function add(found: number[], term: number | undefined): void {
  if (term !== undefined) found.push(term);
}
