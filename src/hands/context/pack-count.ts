/** The tokeniser, with a memory: most texts of a packet were in the one before. */
import { ByteCache } from './tree-cache.ts';

const REMEMBERED_BYTES = 16 << 20;
/** A whole packet never comes again: its marks are new. */
const LONGEST = 1 << 16;

export function memoCount(count: (text: string) => number): (text: string) => number {
  const known = new ByteCache(REMEMBERED_BYTES);
  return (text) => {
    if (text.length > LONGEST) return count(text);
    const before = known.get<number>(text);
    if (before !== undefined) return before;
    const tokens = count(text);
    known.set(text, tokens, text.length * 2 + 100);
    return tokens;
  };
}
