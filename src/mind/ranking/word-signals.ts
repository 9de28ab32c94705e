/** What the words say: those of the task and those of the targets, in contents and in paths. */
import { type Column, raise } from './columns.ts';
import { folderOf } from './place-signals.ts';
import type { RankedFile } from './rank.ts';
import { Counter, type FileCounts, type WordCounts } from './scan.ts';
import type { Term } from './terms.ts';
import { isStopWord, wordsIn } from './words.ts';

/** Okapi BM25. Long files are not held down much: cost is weighed elsewhere. */
const SATURATION = 1.2;
const LENGTH = 0.6;

export function wordColumns(files: readonly RankedFile[], counts: WordCounts): { words: Column; symbols: Column } {
  const rows = files.map((file) => counts.files.get(file.path) ?? null);
  const idf = rarity(rows, counts.terms.list.length);
  const column = (of: Term['of']) => bm25(rows, idf, counts.terms.list, of);
  return { words: column('task'), symbols: column('target') };
}

function bm25(rows: readonly (FileCounts | null)[], idf: Float64Array, terms: readonly Term[], of: Term['of']): Column {
  const total = rows.reduce((sum, row) => sum + (row?.words ?? 0), 0);
  const mean = Math.max(1, total / Math.max(1, rows.length));
  const column = new Float64Array(rows.length);
  for (const [at, row] of rows.entries()) {
    if (row === null) continue;
    const norm = SATURATION * (1 - LENGTH + (LENGTH * row.words) / mean);
    let score = 0;
    for (let i = 0; i < row.hits.length; i += 2) {
      const term = row.hits[i] as number;
      const { weight, of: from } = terms[term] as Term;
      if (from !== of) continue;
      const count = row.hits[i + 1] as number;
      score += weight * (idf[term] as number) * ((count * (SATURATION + 1)) / (count + norm));
    }
    column[at] = score;
  }
  return column;
}

/** How much it says that a term occurs: nothing when it is everywhere. */
function rarity(rows: readonly (FileCounts | null)[], terms: number): Float64Array {
  const within = new Float64Array(terms);
  for (const row of rows) {
    if (row === null) continue;
    for (let i = 0; i < row.hits.length; i += 2) raise(within, row.hits[i] as number, 1);
  }
  return within.map((n) => idfOf(rows.length, n));
}

const idfOf = (files: number, within: number): number => Math.log(1 + (files - within + 0.5) / (within + 0.5));

/** `path`: words of the task in the path. `kin`: words that the path shares with that of a target. */
export function pathColumns(
  files: readonly RankedFile[],
  targets: readonly string[],
  counts: WordCounts,
): { path: Column; kin: Column } {
  const asked = counts.terms.list.filter((term) => term.of === 'task');
  return { path: inPaths(files, asked), kin: inPaths(files, targets.flatMap(pathTerms)) };
}

function pathTerms(path: string): Term[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const inName = new Set(wordsIn(name.replace(/\.[^.]*$/, '')));
  const words = [...new Set(wordsIn(path))].filter((word) => word.length > 1 && !isStopWord(word));
  return words.map((key) => ({ key, whole: false, weight: inName.has(key) ? 2 : 1, of: 'target' }));
}

/** The name counts twice: it says more than the folders. Those are the same for many files, and counted once. */
function inPaths(files: readonly RankedFile[], terms: readonly Term[]): Column {
  const column = new Float64Array(files.length);
  if (terms.length === 0) return column;
  const { folders, names } = pathCounts(files, terms);
  const times = new Uint32Array(terms.length);
  const found = new Uint32Array(terms.length);
  const within = new Float64Array(terms.length);
  for (let at = 0; at < files.length; at++) {
    const size = summed(folders[at] as FileCounts, names[at] as FileCounts, times, found);
    for (let i = 0; i < size; i++) {
      const term = found[i] as number;
      raise(within, term, 1);
      times[term] = 0;
    }
  }
  const worth = within.map((n, term) => (terms[term] as Term).weight * idfOf(files.length, n));
  for (let at = 0; at < files.length; at++) {
    const [folder, name] = [folders[at] as FileCounts, names[at] as FileCounts];
    const size = summed(folder, name, times, found);
    let score = 0;
    for (let i = 0; i < size; i++) {
      const term = found[i] as number;
      score += (worth[term] as number) * Math.min(2, times[term] as number);
      times[term] = 0;
    }
    if (score > 0) column[at] = score / Math.sqrt(folder.words + 2 * name.words + 4);
  }
  return column;
}

function pathCounts(files: readonly RankedFile[], terms: readonly Term[]) {
  const counter = new Counter(terms);
  const encoder = new TextEncoder();
  const room = new Uint8Array(4096);
  const count = (text: string): FileCounts => {
    const size = text.length > room.length ? -1 : ascii(text, room);
    return size < 0 ? counter.count(encoder.encode(text)) : counter.count(room, size);
  };
  const known = new Map<string, FileCounts>();
  const folders = files.map(({ path }) => {
    const folder = folderOf(path);
    const before = known.get(folder);
    if (before !== undefined) return before;
    const counts = count(folder);
    known.set(folder, counts);
    return counts;
  });
  return { folders, names: files.map(({ path }) => count(path.slice(path.lastIndexOf('/') + 1))) };
}

/** Writes a short text that is nothing but ASCII, which takes less time than to call the encoder; -1: it is not. */
function ascii(text: string, room: Uint8Array): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) return -1;
    room[at] = code;
  }
  return text.length;
}

/** Adds up how often each term occurs; which ones do stands in `found`, as many as it returns. */
function summed(folder: FileCounts, name: FileCounts, times: Uint32Array, found: Uint32Array): number {
  let size = 0;
  for (let i = 0; i < folder.hits.length; i += 2) {
    const term = folder.hits[i] as number;
    times[term] = folder.hits[i + 1] as number;
    found[size++] = term;
  }
  for (let i = 0; i < name.hits.length; i += 2) {
    const term = name.hits[i] as number;
    if (times[term] === 0) found[size++] = term;
    times[term] = (times[term] as number) + 2 * (name.hits[i + 1] as number);
  }
  return size;
}
