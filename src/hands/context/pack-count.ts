/** The tokeniser, with a memory: most pieces of a packet were in the one before, and many were in one of another process. */
import type { TextFacts } from '../../engine/ports/surroundings.ts';
import { segmentsOf } from '../../mind/tokens/segments.ts';
import { ByteCache } from './tree-cache.ts';

const REMEMBERED_BYTES = 16 << 20;
/** A number of the encoding is what it is: only a mistake in counting makes another of this. */
const KIND = 'tokens of o200k 1';

export function memoCount(count: (text: string) => number, facts: TextFacts | null): (text: string) => number {
  const known = new ByteCache(REMEMBERED_BYTES);
  const counted = (text: string): number => {
    const kept = facts?.get(KIND, text)?.[0];
    if (kept !== undefined) return kept;
    const tokens = count(text);
    facts?.set(KIND, text, [tokens]);
    return tokens;
  };
  return (text) => {
    let sum = 0;
    for (const segment of segmentsOf(text)) {
      const before = known.get<number>(segment);
      const tokens = before ?? counted(segment);
      if (before === undefined) known.set(segment, tokens, segment.length * 2 + 100);
      sum += tokens;
    }
    return sum;
  };
}
