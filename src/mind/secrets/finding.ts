/** A part of a text that is a secret, and the rule that says so; `from` and `to` are UTF-16 places, `to` behind the last. */
export type Finding = { readonly from: number; readonly to: number; readonly rule: string };

/** Rules that judge by what stands around; of the same characters a rule that knows what they are says more. */
const GENERAL = /^(?:named|near|assigned)-/;

/** In order and without overlaps: of two that touch the same characters, the whole of both under the name of the first. */
export function merged(findings: readonly Finding[]): Finding[] {
  const sorted = [...findings].sort(
    (a, b) => a.from - b.from || b.to - a.to || Number(GENERAL.test(a.rule)) - Number(GENERAL.test(b.rule)),
  );
  const out: Finding[] = [];
  for (const one of sorted) {
    const last = out.at(-1);
    if (last !== undefined && one.from < last.to) {
      if (one.to > last.to) out[out.length - 1] = { ...last, to: one.to };
    } else out.push(one);
  }
  return out;
}
