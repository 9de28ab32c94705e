/** What every step of packing uses. */
import type { Redact } from '../../engine/ports/surroundings.ts';
import { estimateTokens } from '../../mind/tokens/estimate.ts';
import { linesOf, segmentsOf } from '../../mind/tokens/segments.ts';
import { ContentCache } from './content-cache.ts';
import { Texts } from './pack-texts.ts';

export type Tools = {
  readonly cache: ContentCache;
  readonly texts: Texts;
  /** Tokens of a text, roughly. */
  readonly estimate: (text: string) => number;
  /** A name for an object that lives as long as its task is packed for, to remember by what was made with it. */
  readonly nameOf: (one: object) => number;
};

/** Tokens of a text, roughly, times the factor of the model. */
export type Estimate = (text: string) => number;

export function makeTools(redact: Redact, cache: ContentCache): Tools {
  const names = new WeakMap<object, number>();
  let last = 0;
  const nameOf = (one: object): number => {
    const known = names.get(one);
    if (known !== undefined) return known;
    last += 1;
    names.set(one, last);
    return last;
  };
  return { cache, nameOf, texts: new Texts(redact, cache), estimate: memoEstimate() };
}

const ESTIMATED_BYTES = 16 << 20;

/** Each text is asked about when it is offered, when it is fitted and when it is cut, and again for the next packet. */
function memoEstimate(): Tools['estimate'] {
  const known = new ContentCache({ memoryBytes: ESTIMATED_BYTES });
  return (text) => {
    const before = known.get<number>(text);
    if (before !== undefined) return before;
    const tokens = estimateTokens(text);
    known.set(text, tokens, text.length * 2 + 100);
    return tokens;
  };
}

const REMEMBERED_BYTES = 16 << 20;
/** An excerpt may begin in the middle of a segment: nearly all of its lines were counted with one that was too long. */
const REMEMBERED_LINES = 5_000;

/** The tokeniser, with a memory: most pieces of a packet were in the one before. */
export function memoCount(count: (text: string) => number): (text: string) => number {
  const known = new ContentCache({ memoryBytes: REMEMBERED_BYTES });
  const lines = new Map<string, number>();
  const countLine = (line: string): number => {
    const before = lines.get(line);
    if (before !== undefined) return before;
    const tokens = count(line);
    if (lines.size >= REMEMBERED_LINES) lines.clear();
    lines.set(line, tokens);
    return tokens;
  };
  return (text) => {
    let sum = 0;
    for (const segment of segmentsOf(text)) {
      const before = known.get<number>(segment);
      const tokens = before ?? linesOf(segment).reduce((total, line) => total + countLine(line), 0);
      if (before === undefined) known.set(segment, tokens, segment.length * 2 + 100);
      sum += tokens;
    }
    return sum;
  };
}
