/** Cuts a file into pieces that make sense by themselves: definitions, else paragraphs, never longer than asked. */
/** Both ends included, counted from 1. */
export type Lines = { readonly from: number; readonly to: number };

type Sizes = { readonly costs: Float64Array; readonly most: number };

/** Where a piece begins: at the first line, and at each of these that define something. */
export function startsOf(definitions: Iterable<number>, lines: readonly string[]): readonly number[] {
  const starts = new Set([1]);
  for (const line of definitions) if (line >= 1 && line <= lines.length) starts.add(withComment(line, lines));
  return [...starts].sort((a, b) => a - b);
}

export function blocksOf(starts: readonly number[], lines: readonly string[], sizes: Sizes): Lines[] {
  const blocks = starts.map((from, at) => ({ from, to: (starts[at + 1] ?? lines.length + 1) - 1 }));
  return blocks.flatMap((block) => smaller(block, lines, sizes));
}

/** A comment or decorator right above belongs to what follows. */
function withComment(line: number, lines: readonly string[]): number {
  let from = line;
  while (from > 1 && line - from < 20 && /^\s*(?:\/\/|\/?\*|#(?!include)|@|"""|--)/.test(lines[from - 2] ?? '')) from--;
  return from;
}

/** Long ones are cut where a new paragraph begins on the least deep level, if there is one near. */
function smaller(block: Lines, lines: readonly string[], { costs, most }: Sizes): Lines[] {
  const found: Lines[] = [];
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
      const text = lines[line - 1] ?? '';
      const here = (lines[line - 2] ?? '').trim() === '' ? indentOf(text) : indentOf(text) + 2;
      if (text.trim() !== '' && here <= depth) {
        depth = here;
        cut = line;
      }
    }
    sum += cost;
  }
  found.push({ from, to: block.to });
  return found;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
