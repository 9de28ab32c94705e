/** What several reviewers found, as one list: finders more than voters, so the same fault found twice is one finding. */
import { findingId } from './open-findings.ts';
import { type ReviewFinding, rankOf } from './review-findings.ts';

type Found = { readonly by: string; readonly findings: readonly ReviewFinding[] };
type JoinedFinding = ReviewFinding & { readonly id: string; readonly by: readonly string[] };

/** The worst first; of two that say the same, the higher severity counts. */
export function joinFindings(reviews: readonly Found[]): readonly JoinedFinding[] {
  const joined = new Map<string, JoinedFinding>();
  const all = reviews.flatMap(({ by, findings }) => findings.map((finding) => ({ by, finding })));
  for (const { by, finding } of all.sort((a, b) => rankOf(a.finding) - rankOf(b.finding))) {
    const id = findingId(finding);
    const known = joined.get(id);
    joined.set(id, { ...(known ?? { ...finding, id }), by: [...new Set([...(known?.by ?? []), by])] });
  }
  return [...joined.values()];
}
