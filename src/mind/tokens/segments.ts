/**
 * Cuts a text where its tokens are cut in any case, so that each piece can be counted by itself, and only once: the same
 * pieces of files come in many packets.
 */

/** The marks of packets, which are never the same twice. Every number of 20 digits is made of as many tokens. */
const MARKS = /(?<![\d\u0080-\uffff])\d{20}(?![\d\u0080-\uffff])/g;
const ANY_MARK = '0'.repeat(20);
/** Behind empty lines, and around what stands between marks. With an end: a hostile line has thousands of them. */
const CUTS = /\n\n+|<<<\d{20} [^\n]{0,1000}\n|\n(?=\d{20}>>>)/g;
const LINE_ENDS = /\n/g;

/** All pieces together have as many tokens as the text has. */
export const segmentsOf = (text: string): string[] => cut(text.replace(MARKS, ANY_MARK), CUTS);

/** Smaller pieces: lines that are not indented, with those behind them that are. */
export const linesOf = (text: string): string[] => cut(text, LINE_ENDS);

function cut(text: string, ends: RegExp): string[] {
  const pieces: string[] = [];
  let from = 0;
  ends.lastIndex = 0;
  while (ends.test(text)) {
    const to = ends.lastIndex;
    if (!isCut(text, to)) continue;
    pieces.push(text.slice(from, to));
    from = to;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/**
 * Behind a line break nothing goes on but spaces, and a slash where signs stand before it (`);\n//`); see the expression of
 * the encoding, whose words have a line break only at their end.
 */
function isCut(text: string, at: number): boolean {
  const next = text.charAt(at);
  if (next === '/') return /[A-Za-z0-9]\n+$/.test(text.slice(Math.max(0, at - NEAR), at));
  return (next > ' ' && next < '\x7f') || /\S/.test(next);
}
/** So many line breaks are looked at. */
const NEAR = 4;
