/**
 * Splits a text where tokens always end, so that each piece can be counted separately and only once: packets share many
 * pieces of files.
 */

/** The marks of packets, which are never the same twice. Every number of 20 digits has the same number of tokens. */
const MARKS = /(?<![\d\u0080-\uffff])\d{20}(?![\d\u0080-\uffff])/g;
const ANY_MARK = '0'.repeat(20);
/** After empty lines, and around text between marks. Bounded, because a hostile line has thousands of them. */
const CUTS = /\n\n+|<<<\d{20} [^\n]{0,1000}\n|\n(?=\d{20}>>>)/g;
const LINE_ENDS = /\n/g;

/** All pieces together have as many tokens as the text. */
export const segmentsOf = (text: string): string[] => cut(text.replace(MARKS, ANY_MARK), CUTS);

/** Smaller pieces: lines without indentation, each with the indented ones after it. */
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
 * After a line break nothing continues but spaces, and a slash if signs precede it (`);
 * //`); see the expression of the encoding, whose words have a line break only at their end.
 */
function isCut(text: string, at: number): boolean {
  const next = text.charAt(at);
  if (next === '/') return /[A-Za-z0-9]\n+$/.test(text.slice(Math.max(0, at - NEAR), at));
  return (next > ' ' && next < '\x7f') || /\S/.test(next);
}
/** How many line breaks are examined. */
const NEAR = 4;
