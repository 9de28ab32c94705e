/** Open findings of earlier reviews: only a reviewer or a person closes one. Each has an id, made from its content. */
import { sha256 } from '../../kernel/hash.ts';
import { terminalLine } from '../../kernel/terminal-text.ts';
import type { BlockingFinding } from '../domain/values.ts';
import { keyOf, type ReviewFinding, rankOf } from './review-findings.ts';

export type Raised = ReviewFinding & { readonly id: string };

/** What a reviewer gets besides the change: open findings, and hints of rules and advisory gates. */
export type ToCheck = { readonly raised: readonly Raised[]; readonly opinions: readonly string[] };

/** A reviewer's statement about one of them. */
type Became = {
  readonly finding: string;
  readonly became: 'fixed' | 'dismissed' | 'open';
  readonly reason: string;
};

/** More findings in one review do not help; the worst are kept. */
const MOST_OPEN = 100;

export const findingId = (finding: ReviewFinding): string => `r-${sha256(keyOf(finding)).slice(0, 8)}`;
export const asRaised = (finding: ReviewFinding): Raised => ({ ...finding, id: findingId(finding) });

/** The findings of these answers (oldest first) that are still open, each once. Unreadable answers are skipped. */
export function stillOpen(
  answers: readonly (readonly ReviewFinding[])[],
  open: readonly Pick<BlockingFinding, 'id'>[],
): readonly Raised[] {
  const known = new Map(answers.flat().map((one) => [findingId(one), one]));
  return open.flatMap(({ id }) => {
    const finding = known.get(id);
    return finding === undefined ? [] : [{ ...finding, id }];
  });
}

/** A finding is closed by its id and a reason. One that is not named stays open, whatever the review says overall. */
export function afterReview(
  earlier: readonly Raised[],
  became: readonly Became[],
  counted: readonly ReviewFinding[],
): {
  readonly standing: readonly Raised[];
  readonly open: readonly Raised[];
  readonly dismissed: number;
  /** The review does not mention them. */
  readonly unnamed: readonly Raised[];
} {
  const said = new Map(became.filter(({ reason }) => reason.trim() !== '').map((one) => [one.finding, one.became]));
  const now = counted.map(asRaised);
  const again = new Set(now.map(({ id }) => id));
  const standing = earlier.filter(({ id }) => (said.get(id) ?? 'open') === 'open' && !again.has(id));
  const open = [...now, ...standing].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_OPEN);
  const dismissed = earlier.filter(({ id }) => said.get(id) === 'dismissed' && !again.has(id)).length;
  const left = new Set(became.filter((one) => one.became === 'open').map((one) => one.finding));
  const unnamed = standing.filter(({ id }) => !said.has(id) && !left.has(id));
  return { standing, open, dismissed, unnamed };
}

/** As the next reviewer sees it. */
export const raisedText = ({ id, severity, file = '', line = 0, message }: Raised): string =>
  `${id} ${severity} ${terminalLine(`${file}:${line}: ${message}`, 1_000)}`;
