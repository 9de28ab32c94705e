/**
 * The marks around text of others in a packet (see `prompts/quoted-data.ts`) look random, and a text before them may end
 * in `secret key:`. They tell a reader where data ends, so nothing takes them out.
 */
import type { Finding } from './finding.ts';

/** Not the end of a longer value. */
const MARK = /<<<[0-9A-F]{20} |(?:(?<=\\[nrt])|(?<![\w+/=.~-]))[0-9A-F]{20}>>>/g;

/** Where the first mark behind `from` begins, or `to`. */
export function firstMark(text: string, from: number, to: number): number {
  const at = text.slice(from, to).search(MARK);
  return at < 0 ? to : from + at;
}

/** The findings without the characters of marks; `findings` are in order and apart. */
export function besideMarks(text: string, findings: Finding[]): Finding[] {
  if (findings.length === 0 || !(text.includes('<<<') || text.includes('>>>'))) return findings;
  const out: Finding[] = [];
  const marks = [...text.matchAll(MARK)].map(({ index, 0: mark }) => ({ from: index, to: index + mark.length }));
  let next = 0;
  for (const { from, to, rule } of findings) {
    while ((marks[next]?.to ?? text.length) <= from && next < marks.length) next++;
    let start = from;
    for (let n = next; n < marks.length; n++) {
      const mark = marks[n];
      if (mark === undefined || mark.from >= to) break;
      if (mark.from > start) out.push({ from: start, to: mark.from, rule });
      start = Math.max(start, mark.to);
    }
    if (start < to) out.push({ from: start, to, rule });
  }
  return out;
}
