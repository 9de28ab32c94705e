/** Iterates over the lines of a report without a list of them all: 50 MB may be seven million lines. */
import { UnusableReport } from './collect.ts';

const MAX_LENGTH = 1 << 16;

export function* linesIn(text: string): Generator<{ readonly line: string; readonly number: number }> {
  let number = 0;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\n', at);
    const next = found < 0 ? text.length : found;
    const end = text[next - 1] === '\r' && next > at ? next - 1 : next;
    number += 1;
    if (end - at > MAX_LENGTH) throw new UnusableReport(`line ${number} is longer than ${MAX_LENGTH} characters`);
    yield { line: text.slice(at, end), number };
    at = next + 1;
  }
}
