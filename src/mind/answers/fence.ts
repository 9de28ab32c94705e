/**
 * Finds the answer in a worker's output: the last complete, top-level block fenced with three or more backticks whose
 * info string is `json`. Scans by line, following CommonMark's rules for fences, because a regular expression that
 * looks right here takes minutes on hostile input.
 */
import { withoutAnsi } from '../../kernel/ansi.ts';

type FoundBlock =
  | {
      readonly type: 'block';
      readonly text: string;
      readonly line: number /** Other json blocks, which do not count. */;
      readonly others: number;
    }
  | { readonly type: 'none' }
  | { readonly type: 'unterminated'; readonly line: number };

type Fence = {
  readonly char: string;
  readonly length: number;
  readonly json: boolean;
  readonly line: number;
  readonly start: number;
};

export function lastJsonBlock(said: string): FoundBlock {
  // Tools that colour their output colour fences too, and some write the answer over a progress line.
  const text = withoutAnsi(said);
  let open: Fence | null = null;
  let found: { text: string; line: number } | null = null;
  let count = 0;
  let lineNumber = 0;
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    lineNumber += 1;
    // A fence line is short; a long line is never one, and is not copied.
    const line = end - start <= MAX_FENCE_LINE ? shownLine(text.slice(start, end)) : '';
    if (open === null) {
      open = opening(line, lineNumber, end + 1);
    } else if (closes(line, open)) {
      if (open.json) {
        found = { text: text.slice(open.start, start), line: open.line };
        count += 1;
      }
      open = null;
    }
    start = end + 1;
  }
  if (open?.json === true) return { type: 'unterminated', line: open.line };
  return found === null ? { type: 'none' } : { type: 'block', ...found, others: count - 1 };
}

/** The text without its json block, for people. */
export function withoutJsonBlock(text: string): string {
  const block = lastJsonBlock(text);
  if (block.type !== 'block') return text;
  const lines = withoutAnsi(text).split('\n');
  // The opening fence, the block's lines, and the closing fence.
  lines.splice(block.line - 1, block.text.split('\n').length - 1 + 2);
  return lines.join('\n');
}

const MAX_FENCE_LINE = 256;

/** A line as a terminal shows it: text before a carriage return is overwritten. */
function shownLine(line: string): string {
  const text = line.replace(/\r+$/, '');
  return text.slice(text.lastIndexOf('\r') + 1);
}

function opening(line: string, lineNumber: number, start: number): Fence | null {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/.exec(line);
  const fence = match?.[1];
  if (fence === undefined) return null;
  const char = fence[0] as string;
  return {
    char,
    length: fence.length,
    json: char === '`' && match?.[2]?.trim().toLowerCase() === 'json',
    line: lineNumber,
    start,
  };
}

function closes(line: string, { char, length }: Fence): boolean {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line);
  return match?.[1]?.[0] === char && match[1].length >= length;
}
