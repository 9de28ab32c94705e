/**
 * Cuts a text where its tokens are cut in any case, so that each piece can be counted by itself, and only once: the same
 * pieces of files come in many packets.
 */

/** The marks of packets, which are never the same twice. Every number of 20 digits is made of as many tokens. */
const MARKS = /(?<![\d\u0080-\uffff])\d{20}(?![\d\u0080-\uffff])/g;
const ANY_MARK = '0'.repeat(20);
/** Behind empty lines, and around what stands between marks. */
const CUTS = /\n\n+|<<<\d{20} [^\n]*\n|\n(?=\d{20}>>>)/g;

/** All pieces together have as many tokens as the text has. */
export function segmentsOf(text: string): string[] {
  const same = text.replace(MARKS, ANY_MARK);
  const segments: string[] = [];
  let from = 0;
  CUTS.lastIndex = 0;
  for (let found = CUTS.exec(same); found !== null; found = CUTS.exec(same)) {
    const to = CUTS.lastIndex;
    if (!isCut(same, to)) continue;
    segments.push(same.slice(from, to));
    from = to;
  }
  if (from < same.length) segments.push(same.slice(from));
  return segments;
}

/**
 * Behind a line break nothing goes on but spaces, and a slash where signs stand before it (`);\n//`); see the expression of
 * the encoding, whose words have a line break only at their end.
 */
function isCut(text: string, at: number): boolean {
  const next = text.charAt(at);
  return (
    next !== '' && (next === '/' ? /[A-Za-z0-9]\n+$/.test(text.slice(Math.max(0, at - NEAR), at)) : !/\s/.test(next))
  );
}
/** So many line breaks are looked at. */
const NEAR = 4;
