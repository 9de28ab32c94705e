/** Findings of earlier reviews that are open: only who reviews, or a person, closes one. Each has an id, made of what it says. */
import { sha256 } from '../../kernel/hash.ts';
import { terminalLine } from '../../kernel/terminal-text.ts';
import type { BlockingFinding } from '../domain/values.ts';
import { keyOf, type ReviewFinding, rankOf } from './review-findings.ts';

export type Raised = ReviewFinding & { readonly id: string };

/** What a reviewer is given to look at besides the change: what is open, and hints of rules and of gates that only advise. */
export type ToCheck = { readonly raised: readonly Raised[]; readonly opinions: readonly string[] };

/** What a reviewer says about one of them. */
type Became = {
  readonly finding: string;
  readonly became: 'fixed' | 'dismissed' | 'open';
  readonly reason: string;
};

/** More in one review are no help to anybody; the worst are kept. */
const MOST_OPEN = 100;

export const findingId = (finding: ReviewFinding): string => `r-${sha256(keyOf(finding)).slice(0, 8)}`;
export const asRaised = (finding: ReviewFinding): Raised => ({ ...finding, id: findingId(finding) });

/** Of answers, oldest first, those findings that are open, each once. What cannot be read any more is not asked about. */
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

/** A finding is closed by its id and a reason. What is not named stays open, whatever the review says of the whole. */
export function afterReview(
  earlier: readonly Raised[],
  became: readonly Became[],
  counted: readonly ReviewFinding[],
): {
  readonly standing: readonly Raised[];
  readonly open: readonly Raised[];
  readonly dismissed: number;
  /** Nothing is said of them. */
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

/** As the next reviewer is shown it. */
export const raisedText = ({ id, severity, file = '', line = 0, message }: Raised): string =>
  `${id} ${severity} ${terminalLine(`${file}:${line}: ${message}`, 1_000)}`;
