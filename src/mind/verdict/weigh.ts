/** What several opinions on one change come to. Deterministic: the same opinions always give the same decision. */
import { MAX_LINE, type Said } from '../domain/values.ts';

type Opinion = {
  /** The step it comes from. */
  readonly by: string;
  readonly said: Said | null;
  /** The change it looked at. */
  readonly change: string | null;
  /** In words, where it says no. */
  readonly reason: string;
};
type Decision = { readonly decision: 'APPROVE' | 'REJECT'; readonly reason: string };

/** Every opinion has to approve this very change: one about another change, or none at all, is no approval. */
export function weigh(opinions: readonly Opinion[], change: string | null): Decision {
  const against = opinions.flatMap((opinion) => {
    const why = objection(opinion, change);
    return why === null ? [] : [why];
  });
  if (against.length > 0) return { decision: 'REJECT', reason: against.join('; ').slice(0, MAX_LINE) };
  return { decision: 'APPROVE', reason: `approved by ${opinions.map(({ by }) => by).join(', ')}` };
}

function objection({ by, said, change: seen, reason }: Opinion, change: string | null): string | null {
  if (seen !== change) return `${by} looked at another change`;
  if (said === null) return `${by} gave no opinion`;
  return saysNo(said) ? reason || `${by} says ${said.status}` : null;
}

/** Whether an answer speaks against the change it looked at. */
export function saysNo({ status }: Said): boolean {
  return status === 'CHANGES_REQUESTED' || status === 'REJECTED';
}
