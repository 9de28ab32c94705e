/** What models say about a change that was sent back: the points of a review, and what else they suggest. Never more than opinions. */
import { noteOf } from '../answers/note-of.ts';
import { parseAnswer } from '../answers/parse-answer.ts';
import type { Answer, AnswerKind } from '../answers/schemas.ts';
import type { Findings } from '../domain/values.ts';

/** One point of a review. */
export type Issue = {
  /** The role that says it. */
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

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;

export function opinionsIn(by: string, kind: AnswerKind, text: string) {
  const parsed = kind === 'review' || kind === 'security' ? parseAnswer(kind, text) : null;
  const opinion = (about: Opinion['about'], said: string): Opinion => ({ by, about, text: said });
  if (parsed?.type !== 'answer') {
    const note = noteOf(kind, text);
    return { issues: [] as Issue[], opinions: note === null ? [] : [opinion('analysis', note)] };
  }
  const answer = parsed.answer as Answer<'review'> | Answer<'security'>;
  const points = 'issues' in answer ? answer.issues : answer.findings;
  const issues = points.map(
    ({ severity, file = null, line = null, message }): Issue => ({ by, severity, file, line, message }),
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

/** The worst first. */
export const bySeverity = (a: Issue, b: Issue): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);

export const placeText = (file: string | null, line: number | null): string =>
  file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `;
