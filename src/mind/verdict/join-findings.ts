/**
 * Merges several reviewers' findings into one list: the same fault found twice is one finding, because reviewers differ
 * in what they find more than in how they vote.
 */
import { findingId } from './open-findings.ts';
import { type ReviewFinding, rankOf } from './review-findings.ts';

type ReviewerFindings = { readonly by: string; readonly findings: readonly ReviewFinding[] };
type JoinedFinding = ReviewFinding & { readonly id: string; readonly by: readonly string[] };

/** Worst first; of two equal ones, the higher severity counts. */
export function joinFindings(reviews: readonly ReviewerFindings[]): readonly JoinedFinding[] {
  const joined = new Map<string, JoinedFinding>();
  const all = reviews.flatMap(({ by, findings }) => findings.map((finding) => ({ by, finding })));
  for (const { by, finding } of all.sort((a, b) => rankOf(a.finding) - rankOf(b.finding))) {
    const id = findingId(finding);
    const known = joined.get(id);
    joined.set(id, { ...(known ?? { ...finding, id }), by: [...new Set([...(known?.by ?? []), by])] });
  }
  return [...joined.values()];
}
