/** What security rules need of changed files besides their added lines. */
import type { ChangedFile } from '../../changes/changed-file.ts';

/**
 * For each of the given texts, how many more lines have it after the change than before; white space at both ends does
 * not count. Zero or less: the line was moved or indented, possibly from another file.
 */
export function growth(files: readonly ChangedFile[], texts: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (text: string | null, by: number) => {
    for (const line of linesOf(text ?? '')) {
      const trimmed = line.trim();
      if (texts.has(trimmed)) counts.set(trimmed, (counts.get(trimmed) ?? 0) + by);
    }
  };
  for (const { before, after } of files) {
    count(before, -1);
    count(after, 1);
  }
  return counts;
}

/** The first added line of a range: a call may start in an old line and get its argument in a new one. */
export function firstAdded(added: ReadonlySet<number>, from: number, to: number): number | null {
  for (let line = from; line <= to; line += 1) if (added.has(line)) return line;
  return null;
}

export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return text.includes('\r') ? lines.map((line) => line.replace(/\r$/, '')) : lines;
}

/** Finds the line number of a position in a text. */
export class LineNumbers {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  at(place: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }
}
