/** Which lines of a file to show if it may not be shown whole. */
import { definedLines } from '../code/outline.ts';
import { blocksOf, indentsOf, type LineRange, startsOf } from './blocks.ts';
import { raise } from './columns.ts';
import type { Term, Terms } from './terms.ts';
import { formsOf, wordsIn } from './words.ts';

export type { LineRange } from './blocks.ts';

type ExcerptOf = {
  readonly path: string;
  readonly text: string;
  readonly terms: Terms;
  /** Estimates the cost of a text. */
  readonly estimate: (text: string) => number;
};

/** The share of the budget for the file's head: its purpose and its imports. */
const HEAD_SHARE = 0.12;
/** The cost of a mark for omitted lines. */
const GAP_TOKENS = 8;
/** Gaps this small are cheaper to show than to mark. */
const SMALL_GAP = 3;
const MOST_LINES = 50_000;

/**
 * Returns ranges in order, never overlapping; the whole file if it fits. Keeps what is nearest to the task's words. The
 * work that does not depend on the size is done once.
 */
export function excerptsOf(of: ExcerptOf): (maxTokens: number) => readonly LineRange[] {
  let file: CostedFile | null = null;
  return (maxTokens) => {
    file ??= fileOf(of);
    if (file.whole <= maxTokens) return of.text === '' ? [] : [{ from: 1, to: file.lines.length }];
    const parts = file.parts ?? partsOf(of, file);
    file.parts = parts;
    const { lines, costs } = file;
    const blocks = blocksOf(parts.starts, { costs, indents: parts.indents, most: maxTokens / 4 });
    const scores = scoresOf(blocks, parts.hits, of.terms);
    const order = blocks.map((_, at) => at);
    const worth = order.map((at) => (scores[at] as number) / Math.sqrt(20 + costOf(blocks[at] as LineRange, costs)));
    order.sort((a, b) => (worth[b] as number) - (worth[a] as number) || a - b);
    const first = headOf(blocks, costs, maxTokens);
    return fitted({ maxTokens, estimate: of.estimate, lines, costs, blocks, order: [...first, ...order] });
  };
}

type CostedFile = {
  readonly lines: readonly string[];
  readonly whole: number;
  readonly costs: Float64Array;
  /** Computed at first use. */
  parts: FileStructure | null;
};
type FileStructure = {
  /** Where something starts. */
  readonly starts: readonly number[];
  readonly indents: Int32Array;
  /** The terms of each line. */
  readonly hits: readonly (readonly number[])[];
};

function fileOf({ text, estimate }: ExcerptOf): CostedFile {
  const lines = text.split('\n', MOST_LINES);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const whole = estimate(text);
  const perLetter = whole / Math.max(1, text.length);
  const costs = new Float64Array(lines.length);
  for (let at = 0; at < lines.length; at++) costs[at] = ((lines[at] as string).length + 1) * perLetter;
  return { lines, whole, costs, parts: null };
}

function partsOf({ path, text, terms }: ExcerptOf, { lines }: CostedFile): FileStructure {
  const known = termFinder(terms);
  return {
    starts: startsOf(definedLines(path, text), lines),
    indents: indentsOf(lines),
    hits: lines.map((line) => hitsIn(line, known)),
  };
}

type ExcerptFit = {
  readonly maxTokens: number;
  readonly estimate: (text: string) => number;
  readonly lines: readonly string[];
  readonly costs: Float64Array;
  readonly blocks: readonly LineRange[];
  readonly order: readonly number[];
};

function fitted({ maxTokens, estimate, lines, costs, blocks, order }: ExcerptFit): readonly LineRange[] {
  let budget = maxTokens;
  // The costs of lines are shares of an estimate: the result is counted again, and cut harder if it is too large.
  for (let round = 0; round < 6; round++) {
    const taken = new Set<number>();
    let left = budget;
    for (const at of order) {
      const cost = costOf(blocks[at] as LineRange, costs) + GAP_TOKENS;
      if (taken.has(at) || cost > left) continue;
      taken.add(at);
      left -= cost;
    }
    const found = joined([...taken].sort((a, b) => a - b).map((at) => blocks[at] as LineRange));
    const shown = found.map(({ from, to }) => lines.slice(from - 1, to).join('\n')).join('\n');
    const over = estimate(shown) + found.length * GAP_TOKENS - maxTokens;
    if (over <= 0) return found;
    budget -= Math.max(over, maxTokens * 0.05);
  }
  return [];
}

const costOf = ({ from, to }: LineRange, costs: Float64Array): number => {
  let sum = 0;
  for (let line = from; line <= to; line++) sum += costs[line - 1] as number;
  return sum;
};

function headOf(blocks: readonly LineRange[], costs: Float64Array, maxTokens: number): number[] {
  const head: number[] = [];
  let left = maxTokens * HEAD_SHARE;
  for (const [at, block] of blocks.entries()) {
    left -= costOf(block, costs);
    if (left < 0) break;
    head.push(at);
  }
  return head;
}

function joined(blocks: readonly LineRange[]): LineRange[] {
  const found: LineRange[] = [];
  for (const block of blocks) {
    const last = found.at(-1);
    if (last !== undefined && block.from - last.to <= SMALL_GAP + 1)
      found[found.length - 1] = { from: last.from, to: block.to };
    else found.push(block);
  }
  return found;
}

/**
 * The terms of the blocks one after the other, each once per block, with their counts; `ends` marks the end of each
 * block.
 */
type MatchedLines = { readonly found: number[]; readonly counts: number[]; readonly ends: number[] };

function termsIn(blocks: readonly LineRange[], hits: FileStructure['hits'], size: number): MatchedLines {
  const [found, counts, ends]: [number[], number[], number[]] = [[], [], []];
  const times = new Uint32Array(size);
  for (const { from, to } of blocks) {
    for (let line = from; line <= to; line++) {
      const terms = hits[line - 1] ?? NONE;
      for (let n = 0; n < terms.length; n++) {
        const term = terms[n] as number;
        if (times[term] === 0) found.push(term);
        raise(times, term, 1);
      }
    }
    for (let at = counts.length; at < found.length; at++) {
      const term = found[at] as number;
      counts.push(times[term] as number);
      times[term] = 0;
    }
    ends.push(found.length);
  }
  return { found, counts, ends };
}

/** Scores blocks by the task's rare words; a word is worth more the fewer blocks have it. */
function scoresOf(blocks: readonly LineRange[], hits: FileStructure['hits'], { list }: Terms): Float64Array {
  const { found, counts, ends } = termsIn(blocks, hits, list.length);
  const within = new Uint32Array(list.length);
  for (let at = 0; at < found.length; at++) raise(within, found[at] as number, 1);
  const scores = new Float64Array(blocks.length);
  for (let block = 0, at = 0; block < ends.length; block++) {
    let score = 0;
    for (; at < (ends[block] as number); at++) {
      const { of, weight } = list[found[at] as number] as Term;
      const rare = Math.log(1 + blocks.length / (within[found[at] as number] as number));
      score += (of === 'task' ? weight : TARGET_SHARE * weight) * rare * (1 + Math.log(counts[at] as number));
    }
    scores[block] = score;
  }
  return scores;
}

/** For a place in another file, a name of the target says less than a word of the task. */
const TARGET_SHARE = 0.1;

const IDENTIFIER = /[A-Za-z0-9\u0080-\uffff]+(?:[_-][A-Za-z0-9\u0080-\uffff]+)*/g;

function hitsIn(line: string, known: TermFinder): readonly number[] {
  const identifiers = line.match(IDENTIFIER);
  if (identifiers === null) return NONE;
  let found: number[] | null = null;
  for (let n = 0; n < identifiers.length; n++) {
    const terms = known(identifiers[n] as string);
    if (terms.length === 0) continue;
    found ??= [];
    found.push(...terms);
  }
  return found ?? NONE;
}

/** Which terms an identifier contains. */
type TermFinder = (identifier: string) => readonly number[];
/** One for all excerpts of a packet: its files use the same identifiers, and splitting one is slow. */
const finders = new WeakMap<Terms, TermFinder>();
const NONE: readonly number[] = [];
/** With more it forgets them and starts again. */
const MOST_IDENTIFIERS = 50_000;

function termFinder(terms: Terms): TermFinder {
  const known = finders.get(terms);
  if (known !== undefined) return known;
  const words = new Map<string, number>();
  const wholes = new Map<string, number>();
  for (const [at, term] of terms.list.entries()) {
    for (const form of term.whole ? [term.key] : formsOf(term.key)) {
      const forms = term.whole ? wholes : words;
      if (!forms.has(form)) forms.set(form, at);
    }
  }
  const seen = new Map<string, readonly number[]>();
  const finder = (identifier: string): readonly number[] => {
    const before = seen.get(identifier);
    if (before !== undefined) return before;
    const inside = wordsIn(identifier);
    const found: number[] = [];
    for (let n = 0; n < inside.length; n++) {
      const term = words.get(inside[n] as string);
      if (term !== undefined) found.push(term);
    }
    const whole = wholes.get(inside.join(''));
    if (whole !== undefined) found.push(whole);
    if (seen.size >= MOST_IDENTIFIERS) seen.clear();
    // Most contain none: they share one list.
    seen.set(identifier, found.length === 0 ? NONE : found);
    return found;
  };
  finders.set(terms, finder);
  return finder;
}
