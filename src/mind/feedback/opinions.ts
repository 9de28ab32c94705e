/** What models say about a rejected change: the points of a review, and other suggestions. Never more than opinions. */
import { noteOf } from '../answers/answer-note.ts';
import { parseAnswer } from '../answers/parse-answer.ts';
import type { Answer, AnswerKind } from '../answers/schemas.ts';
import type { Findings } from '../domain/values.ts';
import { joinFindings } from '../verdict/join-findings.ts';
import { findingId } from '../verdict/open-findings.ts';
import type { ReviewFinding } from '../verdict/review-findings.ts';

/** One point of a review. */
export type ReviewIssue = {
  /** The roles that raised it: several reviewers may have found the same. */
  readonly by: string;
  readonly severity: keyof Findings;
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string;
};

export type Opinion = {
  readonly by: string;
  readonly about: 'analysis' | 'suggestion';
  readonly text: string;
};

type SaidBy = {
  readonly by: string;
  readonly kind: AnswerKind;
  readonly text: string;
  readonly about?: 'change' | 'failure';
};
type ReviewPoints = { readonly issues: ReviewIssue[]; readonly opinions: Opinion[] };

export function opinionsIn(said: SaidBy, dismissed: readonly string[] = []): ReviewPoints {
  const found = pointsIn(said, dismissed);
  // An analysis of a failure is no review: its points are opinions, not issues to resolve.
  if (said.about !== 'failure') return found;
  return { issues: [], opinions: [...found.issues.map(asOpinion), ...found.opinions] };
}

const asOpinion = ({ by, file, line, message }: ReviewIssue): Opinion => ({
  by,
  about: 'analysis',
  text: `${placeText(file, line)}${message}`,
});

function pointsIn({ by, kind, text }: SaidBy, dismissed: readonly string[]): ReviewPoints {
  const parsed = kind === 'review' || kind === 'security' ? parseAnswer(kind, text) : null;
  const opinion = (about: Opinion['about'], said: string): Opinion => ({ by, about, text: said });
  if (parsed?.type !== 'answer') {
    const note = noteOf(kind, text);
    return { issues: [] as ReviewIssue[], opinions: note === null ? [] : [opinion('analysis', note)] };
  }
  const answer = parsed.answer as Answer<'review'> | Answer<'security'>;
  const all: readonly ReviewFinding[] = 'issues' in answer ? answer.issues : answer.findings;
  const points = all.filter((point) => !dismissed.includes(findingId(point)));
  const issues = points.map(
    ({ severity, file = null, line = null, message }): ReviewIssue => ({ by, severity, file, line, message }),
  );
  const mends = points.flatMap(({ suggestion, file, line }) =>
    suggestion === undefined ? [] : [`${placeText(file ?? null, line ?? null)}${suggestion}`],
  );
  const more = 'issues' in answer ? [...answer.security_concerns, ...answer.suggestions] : [];
  const opinions = [
    ...(answer.notes === '' ? [] : [opinion('analysis', answer.notes)]),
    ...[...mends, ...more].map((said) => opinion('suggestion', said)),
  ];
  return { issues, opinions };
}

/** Merges findings of several reviewers, worst first: the same fault is listed once, with all who found it. */
export const joinIssues = (issues: readonly ReviewIssue[]): readonly ReviewIssue[] =>
  joinFindings(
    issues.map(({ by, file, line, ...issue }) => ({
      by,
      findings: [{ ...issue, file: file ?? undefined, line: line ?? undefined }],
    })),
  ).map(({ severity, message, file = null, line = null, by }) => ({
    by: by.join(', '),
    severity,
    file,
    line,
    message,
  }));

export const placeText = (file: string | null, line: number | null): string =>
  file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `;
