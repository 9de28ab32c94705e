/** One changed file as text before and after, and which of its lines are new or gone. */

/** Null if the file does not exist. */
export type ChangedFile = { readonly path: string; readonly before: string | null; readonly after: string | null };

/** `line` starts at 1: in the new text for an added line, in the old one for a removed line. */
export type AddedLine = { readonly line: number; readonly text: string };

/** A rewritten stretch without anchors is compared exactly only up to this many pairs of lines. */
const MAX_PAIRS = 250_000;
/** Anchors are searched again between anchors, but each line only this often. */
const MAX_LOOKS = 12;

export function addedLines(file: ChangedFile): readonly AddedLine[] {
  return lineDiff(file).added;
}

export function removedLines(file: ChangedFile): readonly AddedLine[] {
  return lineDiff(file).removed;
}

export type LineDiff = { readonly added: readonly AddedLine[]; readonly removed: readonly AddedLine[] };

/** Both sides at once, which halves the work. */
export function lineDiff({ before, after }: ChangedFile): LineDiff {
  const [old, now] = [linesOf(before), linesOf(after)];
  const [oldKept, nowKept] = [new Uint8Array(old.length), new Uint8Array(now.length)];
  const budget: DiffBudget = { pairs: MAX_PAIRS, lines: MAX_LOOKS * (old.length + now.length) };
  const stretches: Stretch[] = [{ from: 0, to: old.length, nowFrom: 0, nowTo: now.length }];
  const keep = (i: number, j: number): void => {
    oldKept[i] = 1;
    nowKept[j] = 1;
  };
  for (let next = stretches.pop(); next !== undefined; next = stretches.pop()) {
    const rest = withoutEnds(old, now, next, keep);
    if (rest.from === rest.to || rest.nowFrom === rest.nowTo) continue;
    budget.lines -= rest.to - rest.from + rest.nowTo - rest.nowFrom;
    const anchors = budget.lines < 0 ? [] : anchorsOf(old, now, rest);
    if (anchors.length === 0) exactly(old, now, rest, keep, budget);
    else stretches.push(...between(rest, anchors, keep));
  }
  return { added: left(now, nowKept), removed: left(old, oldKept) };
}

type Stretch = { readonly from: number; readonly to: number; readonly nowFrom: number; readonly nowTo: number };
type DiffBudget = { pairs: number; lines: number };
type Keep = (i: number, j: number) => void;
type LineAnchor = readonly [number, number];

/** A carriage return at the end of a line matters to no rule. */
function linesOf(text: string | null): string[] {
  if (text === null || text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function left(lines: readonly string[], kept: Uint8Array): AddedLine[] {
  return lines.flatMap((text, i) => (kept[i] === 1 ? [] : [{ line: i + 1, text }]));
}

function withoutEnds(old: readonly string[], now: readonly string[], stretch: Stretch, keep: Keep): Stretch {
  let { from, to, nowFrom, nowTo } = stretch;
  while (from < to && nowFrom < nowTo && old[from] === now[nowFrom]) keep(from++, nowFrom++);
  while (from < to && nowFrom < nowTo && old[to - 1] === now[nowTo - 1]) keep(--to, --nowTo);
  return { from, to, nowFrom, nowTo };
}

/** Lines that occur once on each side, in the longest order that both sides share. */
function anchorsOf(
  old: readonly string[],
  now: readonly string[],
  { from, to, nowFrom, nowTo }: Stretch,
): LineAnchor[] {
  const places = new Map<string, [count: number, at: number, nowCount: number, nowAt: number]>();
  for (let i = from; i < to; i += 1) {
    const place = places.get(old[i] as string);
    if (place === undefined) places.set(old[i] as string, [1, i, 0, -1]);
    else place[0] += 1;
  }
  for (let j = nowFrom; j < nowTo; j += 1) {
    const place = places.get(now[j] as string);
    if (place === undefined) continue;
    place[2] += 1;
    place[3] = j;
  }
  const pairs: LineAnchor[] = [];
  for (const [count, at, nowCount, nowAt] of places.values())
    if (count === 1 && nowCount === 1) pairs.push([at, nowAt]);
  return longestRising(pairs);
}

/** The longest subsequence that also rises in the second number; the pairs rise in the first. */
function longestRising(pairs: readonly LineAnchor[]): LineAnchor[] {
  const tops: number[] = [];
  const below = new Int32Array(pairs.length).fill(-1);
  const second = (index: number | undefined): number => pairs[index ?? -1]?.[1] ?? -1;
  for (let n = 0; n < pairs.length; n += 1) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (second(tops[middle]) < second(n)) low = middle + 1;
      else high = middle;
    }
    if (low > 0) below[n] = tops[low - 1] as number;
    tops[low] = n;
  }
  const found: LineAnchor[] = [];
  for (let n = tops.at(-1) ?? -1; n >= 0; n = below[n] ?? -1) found.push(pairs[n] as LineAnchor);
  return found.reverse();
}

function between({ from, to, nowFrom, nowTo }: Stretch, anchors: readonly LineAnchor[], keep: Keep): Stretch[] {
  const stretches: Stretch[] = [];
  let [i, j] = [from, nowFrom];
  for (const [at, nowAt] of anchors) {
    stretches.push({ from: i, to: at, nowFrom: j, nowTo: nowAt });
    keep(at, nowAt);
    [i, j] = [at + 1, nowAt + 1];
  }
  stretches.push({ from: i, to, nowFrom: j, nowTo });
  return stretches;
}

/** The longest common subsequence; beyond the budget every line of the stretch counts as rewritten. */
function exactly(
  old: readonly string[],
  now: readonly string[],
  stretch: Stretch,
  keep: Keep,
  budget: DiffBudget,
): void {
  const { from, to, nowFrom, nowTo } = stretch;
  // Lines that only one side has match nothing.
  const [was, is] = [new Set(old.slice(from, to)), new Set(now.slice(nowFrom, nowTo))];
  const rows = range(from, to).filter((i) => is.has(old[i] as string));
  const columns = range(nowFrom, nowTo).filter((j) => was.has(now[j] as string));
  budget.pairs -= rows.length * columns.length;
  if (budget.pairs < 0) return;
  const width = columns.length + 1;
  const table = new Uint32Array((rows.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] as number;
  const same = (i: number, j: number): boolean => old[rows[i] as number] === now[columns[j] as number];
  for (let i = rows.length - 1; i >= 0; i -= 1)
    for (let j = columns.length - 1; j >= 0; j -= 1)
      table[i * width + j] = same(i, j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  for (let i = 0, j = 0; i < rows.length && j < columns.length; ) {
    if (same(i, j)) keep(rows[i++] as number, columns[j++] as number);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
