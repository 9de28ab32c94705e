/** What the words of paths say: those of the task, and those that a path shares with a target's. */
import { raise, SparseColumn } from './columns.ts';
import { holdersOf, type PathWords, type Places } from './places.ts';
import { keysOf } from './scan.ts';
import type { Term } from './terms.ts';
import { idfOf } from './word-signals.ts';
import { isStopWord, wordsIn } from './words.ts';

/** `path`: words of the task in the path. `kin`: words that the path shares with that of a target. */
export function pathColumns(
  places: Places,
  targets: readonly string[],
  terms: readonly Term[],
): { path: SparseColumn; kin: SparseColumn } {
  const asked = terms.filter((term) => term.of === 'task');
  return { path: inPaths(places, asked), kin: inPaths(places, targets.flatMap(pathTerms)) };
}

function pathTerms(path: string): Term[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const inName = new Set(wordsIn(name.replace(/\.[^.]*$/, '')));
  const words = [...new Set(wordsIn(path))].filter((word) => word.length > 1 && !isStopWord(word));
  return words.map((key) => ({ key, whole: false, weight: inName.has(key) ? 2 : 1, of: 'target' }));
}

/**
 * The name counts twice: it says more than the folders. Many files have the same terms in their folders and in their
 * names: what they are worth is added up once for all of them.
 */
function inPaths(places: Places, terms: readonly Term[]): SparseColumn {
  const { folderOf, names, inFolders } = places;
  const files = folderOf.length;
  const keys = keysOf(terms);
  const [folder, name] = [new Kinds(inFolders, keys), new Kinds(names, keys)];
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
    const words = (inFolders.totals[folderOf[file] as number] as number) + 2 * (names.totals[file] as number);
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

/** Texts that have the same terms, equally often, are of one kind; 0 is that of those without any. */
class Kinds {
  readonly of: Uint32Array;
  /** Each is another one and one more term. */
  readonly #before = [0];
  readonly #terms = [-1];

  constructor({ totals, words, wholes }: PathWords, keys: ReturnType<typeof keysOf>) {
    this.of = new Uint32Array(totals.length);
    for (let at = 0; at < keys.length; ) {
      const { term } = keys[at] as (typeof keys)[number];
      // Terms one after the other, so that the same ones always lead to the same kind, whatever their forms.
      const known = new Map<number, number>();
      for (; keys[at]?.term === term; at++) {
        const { hash, whole } = keys[at] as (typeof keys)[number];
        for (const list of whole ? wholes : words) this.#step(holdersOf(list, hash), term, known);
      }
    }
  }

  get size(): number {
    return this.#terms.length;
  }

  /** In order, each as often as it occurs. */
  terms(kind: number): number[] {
    const found: number[] = [];
    for (let at = kind; at > 0; at = this.#before[at] as number) found.push(this.#terms[at] as number);
    return found.reverse();
  }

  #step(numbers: Uint32Array, term: number, known: Map<number, number>): void {
    let last = -1;
    let to = 0;
    for (let n = 0; n < numbers.length; n++) {
      const number = numbers[n] as number;
      const kind = this.of[number];
      if (kind === undefined) continue;
      if (kind !== last) {
        to = known.get(kind) ?? this.#made(kind, term, known);
        last = kind;
      }
      this.of[number] = to;
    }
  }

  #made(kind: number, term: number, known: Map<number, number>): number {
    const made = this.#terms.length;
    this.#before.push(kind);
    this.#terms.push(term);
    known.set(kind, made);
    return made;
  }
}
