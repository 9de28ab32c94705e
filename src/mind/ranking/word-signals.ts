/** What the words say: those of the task and those of the targets, in contents and in paths. */
import { type Column, raise } from './columns.ts';
import type { RankedFile } from './rank.ts';
import { type FileCounts, type WordCounts, wordScanner } from './scan.ts';
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
  return within.map((n) => Math.log(1 + (rows.length - n + 0.5) / (n + 0.5)));
}

/** `path`: words of the task in the path. `kin`: words that the path shares with that of a target. */
export function pathColumns(
  files: readonly RankedFile[],
  targets: readonly string[],
  counts: WordCounts,
): { path: Column; kin: Column } {
  const asked = [counts.terms.list.filter((term) => term.of === 'task'), targets.flatMap(pathTerms)];
  const scanners = asked.map((list) => wordScanner({ list, named: [] }));
  const encoder = new TextEncoder();
  let room = new Uint8Array(4096);
  for (const { path } of files) {
    // The name stands twice: it says more than the folders.
    const said = `${path} ${path.slice(path.lastIndexOf('/') + 1)}`;
    if (said.length * 3 > room.length) room = new Uint8Array(said.length * 3);
    const bytes = room.subarray(0, encoder.encodeInto(said, room).written);
    for (const scanner of scanners) scanner.add(path, bytes);
  }
  const [path, kin] = scanners.map((scanner) => inPaths(files, scanner.result()));
  return { path: path as Column, kin: kin as Column };
}

function pathTerms(path: string): Term[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const inName = new Set(wordsIn(name.replace(/\.[^.]*$/, '')));
  const words = [...new Set(wordsIn(path))].filter((word) => word.length > 1 && !isStopWord(word));
  return words.map((key) => ({ key, whole: false, weight: inName.has(key) ? 2 : 1, of: 'target' }));
}

function inPaths(files: readonly RankedFile[], { terms: { list: terms }, files: counted }: WordCounts): Column {
  const column = new Float64Array(files.length);
  if (terms.length === 0) return column;
  const rows = files.map((file) => counted.get(file.path) ?? null);
  const idf = rarity(rows, terms.length);
  for (const [at, row] of rows.entries()) {
    if (row === null) continue;
    let score = 0;
    for (let i = 0; i < row.hits.length; i += 2) {
      const term = row.hits[i] as number;
      score += (terms[term] as Term).weight * (idf[term] as number) * Math.min(2, row.hits[i + 1] as number);
    }
    column[at] = score / Math.sqrt(row.words + 4);
  }
  return column;
}
