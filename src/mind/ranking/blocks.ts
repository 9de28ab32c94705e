/** Cuts a file into meaningful pieces: definitions, else paragraphs, up to a given length. */
/** Both ends included, counted from 1. */
export type LineRange = { readonly from: number; readonly to: number };

/** `indents`: the indentation of each line; -1 if it is empty. */
type Sizes = { readonly costs: Float64Array; readonly indents: Int32Array; readonly most: number };

export function indentsOf(lines: readonly string[]): Int32Array {
  const indents = new Int32Array(lines.length);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const inner = line.trimStart().length;
    indents[at] = inner === 0 ? -1 : line.length - inner;
  }
  return indents;
}

/** Where a piece starts: at the first line, and at each of these that define something. */
export function startsOf(definitions: Iterable<number>, lines: readonly string[]): readonly number[] {
  const starts = new Set([1]);
  for (const line of definitions) if (line >= 1 && line <= lines.length) starts.add(withComment(line, lines));
  return [...starts].sort((a, b) => a - b);
}

export function blocksOf(starts: readonly number[], sizes: Sizes): LineRange[] {
  const found: LineRange[] = [];
  for (const [at, from] of starts.entries())
    addSmaller(found, { from, to: (starts[at + 1] ?? sizes.costs.length + 1) - 1 }, sizes);
  return found;
}

/** A comment or decorator right above belongs to what follows. */
function withComment(line: number, lines: readonly string[]): number {
  let from = line;
  while (from > 1 && line - from < 20 && /^\s*(?:\/\/|\/?\*|#(?!include)|@|"""|--)/.test(lines[from - 2] ?? '')) from--;
  return from;
}

/** Long ones are cut at a new paragraph on the outermost level, if there is one near. */
function addSmaller(found: LineRange[], block: LineRange, { costs, indents, most }: Sizes): void {
  let { from } = block;
  let sum = 0;
  let cut = -1;
  let depth = Number.POSITIVE_INFINITY;
  for (let line = from; line <= block.to; line++) {
    const cost = costs[line - 1] as number;
    if (line > from && sum + cost > most) {
      const end = cut > from ? cut - 1 : line - 1;
      found.push({ from, to: end });
      from = end + 1;
      sum = 0;
      for (let k = from; k < line; k++) sum += costs[k - 1] as number;
      cut = -1;
      depth = Number.POSITIVE_INFINITY;
    }
    if (line > from && sum > most / 4) {
      const indent = indents[line - 1] as number;
      const here = indents[line - 2] === -1 ? indent : indent + 2;
      if (indent >= 0 && here <= depth) {
        depth = here;
        cut = line;
      }
    }
    sum += cost;
  }
  found.push({ from, to: block.to });
}
