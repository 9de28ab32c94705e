/** A part of a text that is a secret, and how several of them become a sorted list. */

/** `from` and `to` are UTF-16 positions, `to` after the last; `rule` says why it is a secret. */
export type SecretSpan = { readonly from: number; readonly to: number; readonly rule: string };

/** Rules that judge by the surroundings; for the same characters a specific rule says more. */
const GENERAL = /^(?:named|near)-/;

/** Sorted and without overlaps: two that share characters become one range with the name of the first. */
export function merged(findings: readonly SecretSpan[]): SecretSpan[] {
  const sorted = [...findings].sort(
    (a, b) => a.from - b.from || b.to - a.to || Number(GENERAL.test(a.rule)) - Number(GENERAL.test(b.rule)),
  );
  const out: SecretSpan[] = [];
  for (const one of sorted) {
    const last = out.at(-1);
    if (last !== undefined && one.from < last.to) {
      if (one.to > last.to) out[out.length - 1] = { ...last, to: one.to };
    } else out.push(one);
  }
  return out;
}

/**
 * The marks around foreign text in a packet (see `prompts/quoted-data.ts`) look random, and a text before them may end
 * in `secret key:`. They show a reader where data ends, so nothing removes them. The pattern does not match at the end
 * of a longer value.
 */
const MARK = /<<<[0-9A-F]{20} |(?:(?<=\\[nrt])|(?<![\w+/=.~-]))[0-9A-F]{20}>>>/g;

/** Where the first mark after `from` starts, or `to`. */
export function firstMark(text: string, from: number, to: number): number {
  const at = text.slice(from, to).search(MARK);
  return at < 0 ? to : from + at;
}

/** The findings without the characters of marks; `findings` are sorted and without overlaps. */
export function besideMarks(text: string, findings: SecretSpan[]): SecretSpan[] {
  if (findings.length === 0 || !(text.includes('<<<') || text.includes('>>>'))) return findings;
  const out: SecretSpan[] = [];
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
