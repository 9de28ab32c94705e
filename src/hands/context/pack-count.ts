/** The tokeniser, with a memory: most pieces of a packet were in the one before, and many were in one of another process. */
import type { TextFacts } from '../../engine/ports/surroundings.ts';
import { linesOf, segmentsOf } from '../../mind/tokens/segments.ts';
import { ByteCache } from './tree-cache.ts';

const REMEMBERED_BYTES = 16 << 20;
/** An excerpt may begin in the middle of a segment: nearly all of its lines were counted with one that was too long. */
const REMEMBERED_LINES = 5_000;
/** A number of the encoding is what it is: only a mistake in counting makes another of this. */
const KIND = 'tokens of o200k 1';

export function memoCount(count: (text: string) => number, facts: TextFacts | null): (text: string) => number {
  const known = new ByteCache(REMEMBERED_BYTES);
  const lines = new Map<string, number>();
  const countLine = (line: string): number => {
    const before = lines.get(line);
    if (before !== undefined) return before;
    const tokens = count(line);
    if (lines.size >= REMEMBERED_LINES) lines.clear();
    lines.set(line, tokens);
    return tokens;
  };
  const counted = (segment: string): number => {
    const kept = facts?.get(KIND, segment)?.[0];
    if (kept !== undefined) return kept;
    const tokens = linesOf(segment).reduce((sum, line) => sum + countLine(line), 0);
    facts?.set(KIND, segment, [tokens]);
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
