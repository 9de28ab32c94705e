/** Tools that every step of packing uses. */
import type { Redact } from '../../engine/ports/surroundings.ts';
import type { Estimate } from '../../mind/context/outlines.ts';
import { estimateTokens } from '../../mind/tokens/estimate.ts';
import { linesOf, segmentsOf } from '../../mind/tokens/segments.ts';
import { ContentCache } from './content-cache.ts';
import { Texts } from './pack-texts.ts';

export type PackTools = {
  readonly cache: ContentCache;
  readonly texts: Texts;
  /** Estimates the tokens of a text. */
  readonly estimate: Estimate;
  /** A cache name for an object that lives as long as its task is packed. */
  readonly nameOf: (one: object) => number;
};

export function makeTools(redact: Redact, cache: ContentCache): PackTools {
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

/** Each text is estimated when offered, fitted and cut, and again for the next packet. */
function memoEstimate(): PackTools['estimate'] {
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
/** An excerpt may start in the middle of a segment: most of its lines were counted as part of a longer one. */
const REMEMBERED_LINES = 5_000;

/** Caches token counts: most pieces of a packet were in the previous one. */
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
