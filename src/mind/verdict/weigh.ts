/** Combines the reviews of one change. Deterministic: the same reviews always give the same decision, in any order. */
import { type AnswerFacts, MAX_LINE } from '../domain/values.ts';
import { rounded, totalOf } from './total.ts';

type Vote = {
  /** The step it comes from. */
  readonly by: string;
  readonly said: AnswerFacts | null;
  /** The change it looked at. */
  readonly change: string | null;
  /** The reason if it rejects, in words. */
  readonly reason: string;
};
type VoteDecision = { readonly decision: 'APPROVE' | 'REJECT'; readonly reason: string };

/** Every opinion has to approve this change: one about another change, or none, is no approval. */
export function weigh(opinions: readonly Vote[], change: string | null): VoteDecision {
  const against = opinions.flatMap((opinion) => {
    const why = objection(opinion, change);
    return why === null ? [] : [why];
  });
  if (against.length > 0) return { decision: 'REJECT', reason: against.join('; ').slice(0, MAX_LINE) };
  return { decision: 'APPROVE', reason: `approved by ${opinions.map(({ by }) => by).join(', ')}` };
}

function objection({ by, said, change: seen, reason }: Vote, change: string | null): string | null {
  if (seen !== change) return `${by} looked at another change`;
  if (said === null) return `${by} gave no opinion`;
  return saysNo(said) ? reason || `${by} says ${said.status}` : null;
}

/** Whether an answer objects to the change it looked at. An approval with a finding that must be fixed first does. */
export function saysNo({ status, findings }: AnswerFacts): boolean {
  if (status === 'APPROVED') return findings !== null && findings.critical + findings.high > 0;
  return status === 'CHANGES_REQUESTED' || status === 'REJECTED';
}

/** A rejection without a finding that counts. If findings were not counted, as in a simulation, that is unknown. */
export const namesNoLine = (said: AnswerFacts): boolean =>
  saysNo(said) && said.findings !== null && Object.values(said.findings).every((count) => count === 0);

/**
 * The same if its findings were checked: such a rejection cannot be verified, so it sends nothing back. A person
 * decides.
 */
const isUnfounded = (said: AnswerFacts): boolean => namesNoLine(said) && said.uncounted !== undefined;

/** An answer that judges a change, and not one that made or planned something. */
export const isReview = (said: AnswerFacts): boolean => said.status === 'APPROVED' || saysNo(said);

/** Whether a review has a critical finding that counts (each names a line of the change). Such a review holds its task for a person. */
export const isCritical = (said: AnswerFacts | null): boolean =>
  said !== null && isReview(said) && (said.findings?.critical ?? 0) > 0;

/** One review, as the verdict knows it. */
export type ReviewFact = {
  /** The step it comes from. */
  readonly by: string;
  readonly cli: string;
  readonly role: string;
  readonly said: AnswerFacts | null;
  /** The change it looked at. */
  readonly change_id: string | null;
};

/**
 * Appendix B. The specification names three CLIs, whose weights add up to one; any other weighs as much as the lighter
 * two.
 */
const CLI_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['claude', 0.4],
  ['codex', 0.3],
  ['gemini', 0.3],
]);
const OTHER_WEIGHT = 0.3;
/** The value of a vote without a confidence. */
const USUAL_CONFIDENCE = 0.5;

export type Panel = {
  /** The reviews of this change that gave an opinion. No others count. */
  readonly counted: readonly ReviewFact[];
  readonly approvals: number;
  /** The two sums of appendix B, as shares of the present weights: from 0 to 1. */
  readonly approve: number;
  readonly reject: number;
  readonly vetoed: boolean;
  /** A counted vote had no confidence. */
  readonly unsure: boolean;
  /** All requested reviewers approve this change. */
  readonly unanimous: boolean;
  /** The only objections are reviews that name no line of the change. */
  readonly unfounded: boolean;
  /** All gave an opinion, some approve, and those who reject have neither a finding that counts nor a veto. */
  readonly disagreed: boolean;
};

/**
 * Appendix B, normalised over the present reviews. Reviews by one CLI share its weight: a model that is asked twice has
 * no more to say.
 */
export function countVotes(reviews: readonly ReviewFact[], change: string | null): Panel {
  const counted = reviews.filter(({ said, change_id }) => said !== null && change_id === change);
  const weightOf = ({ cli }: ReviewFact) =>
    (CLI_WEIGHTS.get(cli) ?? OTHER_WEIGHT) / counted.filter((other) => other.cli === cli).length;
  const present = totalOf(counted.map(weightOf));
  const share = (votes: readonly ReviewFact[]) =>
    present === 0 ? 0 : rounded(totalOf(votes.map((vote) => weightOf(vote) * confidenceOf(vote))) / present, 12);
  const [yes, no] = [counted.filter((one) => !isNo(one)), counted.filter(isNo)];
  const opinions = reviews.map(({ by, said, change_id }) => ({ by, said, change: change_id, reason: '' }));
  return {
    counted,
    approvals: yes.length,
    approve: share(yes),
    reject: share(no),
    vetoed: counted.some(isVeto),
    unfounded:
      no.length > 0 && counted.length === reviews.length && no.every(({ said }) => said !== null && isUnfounded(said)),
    disagreed:
      yes.length > 0 &&
      no.length > 0 &&
      counted.length === reviews.length &&
      !counted.some(isVeto) &&
      no.every(({ said }) => said !== null && namesNoLine(said)),
    unsure: counted.some(({ said }) => said?.confidence === null),
    unanimous: weigh(opinions, change).decision === 'APPROVE',
  };
}

const isNo = ({ said }: ReviewFact): boolean => said !== null && saysNo(said);
const confidenceOf = ({ said }: ReviewFact): number => said?.confidence ?? USUAL_CONFIDENCE;

/** Its role reviews security, according to its file (`answer: security`), and it forbids the change. */
const isVeto = ({ said }: ReviewFact): boolean => said !== null && (said.vetoes ?? 0) > 0 && !isUnfounded(said);
