/** Which lines of a file to show when it may not be shown whole. */
import { definedLines } from '../code/outline.ts';
import { blocksOf, type Lines, startsOf } from './blocks.ts';
import type { Terms } from './terms.ts';
import { formsOf, wordsIn } from './words.ts';

export type { Lines } from './blocks.ts';

export type ExcerptOf = {
  readonly path: string;
  readonly text: string;
  readonly terms: Terms;
  /** What a text costs. */
  readonly estimate: (text: string) => number;
  /** The lines of a file that define something, from whoever knows them. */
  readonly definitions?: ((path: string, text: string) => Iterable<number>) | undefined;
};

/** Of the budget, for the head of the file: what it is, and what it imports. */
const HEAD_SHARE = 0.12;
/** A mark where lines are left out. */
const GAP_TOKENS = 8;
/** Gaps this small are cheaper to show than to mark. */
const SMALL_GAP = 3;
const MOST_LINES = 50_000;

/** In order, never overlapping; the whole file when it fits. What is nearest to the words of the task is kept. */
export const excerptLines = (ask: ExcerptOf & { readonly maxTokens: number }): readonly Lines[] =>
  excerptsOf(ask)(ask.maxTokens);

/** The same for one file and as many sizes as are asked for: what does not depend on the size is done once. */
export function excerptsOf(of: ExcerptOf): (maxTokens: number) => readonly Lines[] {
  let file: File | null = null;
  return (maxTokens) => {
    file ??= fileOf(of);
    if (file.whole <= maxTokens) return of.text === '' ? [] : [{ from: 1, to: file.lines.length }];
    const parts = file.parts ?? partsOf(of, file);
    file.parts = parts;
    const { lines, costs } = file;
    const blocks = blocksOf(parts.starts, lines, { costs, most: maxTokens / 4 });
    const scores = scoresOf(blocks, parts.hits, of.terms);
    const order = blocks.map((_, at) => at);
    const worth = order.map((at) => (scores[at] as number) / Math.sqrt(20 + costOf(blocks[at] as Lines, costs)));
    order.sort((a, b) => (worth[b] as number) - (worth[a] as number) || a - b);
    const first = headOf(blocks, costs, maxTokens);
    return fitted({ maxTokens, estimate: of.estimate, lines, costs, blocks, order: [...first, ...order] });
  };
}

type File = {
  readonly lines: readonly string[];
  readonly whole: number;
  readonly costs: Float64Array;
  /** Null: nobody needed them yet. */
  parts: Parts | null;
};
type Parts = {
  /** Where something begins. */
  readonly starts: readonly number[];
  /** For each line the terms in it. */
  readonly hits: readonly (readonly number[])[];
};

function fileOf({ text, estimate }: ExcerptOf): File {
  const lines = text.split('\n', MOST_LINES);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const whole = estimate(text);
  const perLetter = whole / Math.max(1, text.length);
  return { lines, whole, costs: Float64Array.from(lines, (line) => (line.length + 1) * perLetter), parts: null };
}

function partsOf({ path, text, terms, definitions = definedLines }: ExcerptOf, { lines }: File): Parts {
  const known = termFinder(terms);
  return { starts: startsOf(definitions(path, text), lines), hits: lines.map((line) => hitsIn(line, known)) };
}

type Fit = {
  readonly maxTokens: number;
  readonly estimate: (text: string) => number;
  readonly lines: readonly string[];
  readonly costs: Float64Array;
  readonly blocks: readonly Lines[];
  readonly order: readonly number[];
};

function fitted({ maxTokens, estimate, lines, costs, blocks, order }: Fit): readonly Lines[] {
  let budget = maxTokens;
  // The costs of lines are shares of an estimate: what comes out is counted again, and cut harder if it is too much.
  for (let round = 0; round < 6; round++) {
    const taken = new Set<number>();
    let left = budget;
    for (const at of order) {
      const cost = costOf(blocks[at] as Lines, costs) + GAP_TOKENS;
      if (taken.has(at) || cost > left) continue;
      taken.add(at);
      left -= cost;
    }
    const found = joined([...taken].sort((a, b) => a - b).map((at) => blocks[at] as Lines));
    const shown = found.map(({ from, to }) => lines.slice(from - 1, to).join('\n')).join('\n');
    const over = estimate(shown) + found.length * GAP_TOKENS - maxTokens;
    if (over <= 0) return found;
    budget -= Math.max(over, maxTokens * 0.05);
  }
  return [];
}

const costOf = ({ from, to }: Lines, costs: Float64Array): number => {
  let sum = 0;
  for (let line = from; line <= to; line++) sum += costs[line - 1] as number;
  return sum;
};

function headOf(blocks: readonly Lines[], costs: Float64Array, maxTokens: number): number[] {
  const head: number[] = [];
  let left = maxTokens * HEAD_SHARE;
  for (const [at, block] of blocks.entries()) {
    left -= costOf(block, costs);
    if (left < 0) break;
    head.push(at);
  }
  return head;
}

function joined(blocks: readonly Lines[]): Lines[] {
  const found: Lines[] = [];
  for (const block of blocks) {
    const last = found.at(-1);
    if (last !== undefined && block.from - last.to <= SMALL_GAP + 1)
      found[found.length - 1] = { from: last.from, to: block.to };
    else found.push(block);
  }
  return found;
}

/** Rare words of the task in a block, each worth more the fewer blocks have it. */
function scoresOf(blocks: readonly Lines[], lines: readonly (readonly number[])[], terms: Terms): Float64Array {
  const hits = blocks.map(({ from, to }) => {
    const found = new Map<number, number>();
    for (let line = from; line <= to; line++)
      for (const term of lines[line - 1] ?? NONE) found.set(term, (found.get(term) ?? 0) + 1);
    return found;
  });
  const within = new Map<number, number>();
  for (const block of hits) for (const term of block.keys()) within.set(term, (within.get(term) ?? 0) + 1);
  return Float64Array.from(hits, (block) => {
    let score = 0;
    for (const [at, count] of block) {
      const term = terms.list[at];
      if (term === undefined) continue;
      const rare = Math.log(1 + blocks.length / (within.get(at) as number));
      score += (term.of === 'task' ? term.weight : TARGET_SHARE * term.weight) * rare * (1 + Math.log(count));
    }
    return score;
  });
}

/** A name of the target says less about where in another file than a word of the task. */
const TARGET_SHARE = 0.1;

const IDENTIFIER = /[A-Za-z0-9\u0080-\uffff]+(?:[_-][A-Za-z0-9\u0080-\uffff]+)*/g;

function hitsIn(line: string, known: TermFinder): readonly number[] {
  let found: number[] | null = null;
  for (const identifier of line.match(IDENTIFIER) ?? NO_WORDS) {
    const terms = known(identifier);
    if (terms.length === 0) continue;
    found ??= [];
    found.push(...terms);
  }
  return found ?? NONE;
}
const NO_WORDS: readonly string[] = [];

/** Which terms an identifier is. */
type TermFinder = (identifier: string) => readonly number[];
/** One for all excerpts of a packet: its files use the same identifiers, and to take one apart takes long. */
const finders = new WeakMap<Terms, TermFinder>();
const NONE: readonly number[] = [];
/** Then it forgets them and begins anew. */
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
    const found = [...inside.map((word) => words.get(word)), wholes.get(inside.join(''))];
    const numbers = found.filter((term) => term !== undefined);
    if (seen.size >= MOST_IDENTIFIERS) seen.clear();
    seen.set(identifier, numbers.length === 0 ? NONE : numbers);
    return numbers;
  };
  finders.set(terms, finder);
  return finder;
}
