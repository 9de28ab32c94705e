/**
 * The prompt for a worker whose answer did not parse: in its session, or afresh. The second has only the form of the
 * answer and what was done, so it costs one short request.
 */
import { terminalLine, terminalText } from '../../kernel/terminal-text.ts';
import type { AnswerKind } from '../answers/schemas.ts';
import { contractOf } from './contract.ts';
import { said } from './foreign-text.ts';
import { renderTemplate, type Templates } from './liquid.ts';
import type { Variables } from './template-values.ts';

export const AGAIN = 'again';
export const ANSWER_ONLY = 'answer_only';
const MAX_REASON = 1_000;
const MAX_CHANGED = 200;
/** Reports are at the end. */
const MAX_WORDS = 12_000;

export const renderAgain = (answer: AnswerKind, reason: string, templates: Templates, seed: string): string =>
  renderTemplate(templates, AGAIN, againVariables(answer, reason), seed);

export const againVariables = (answer: AnswerKind, reason: string): Variables => ({
  reason: said('what is wrong with the answer', terminalLine(reason, MAX_REASON)),
  answer: { kind: answer, ...contractOf(answer) },
});

/** The work whose answer is missing. */
type UnansweredWork = {
  readonly answer: AnswerKind;
  readonly reason: string;
  /** A line for each changed path; null if it may change nothing. */
  readonly changed: readonly string[] | null;
  /** The worker's output, redacted. */
  readonly words: string;
};

export const renderAnswerOnly = (work: UnansweredWork, templates: Templates, seed: string): string =>
  renderTemplate(templates, ANSWER_ONLY, answerOnlyVariables(work), seed);

export function answerOnlyVariables({ answer, reason, changed, words }: UnansweredWork): Variables {
  const lines = changed ?? [];
  const more = lines.length - MAX_CHANGED;
  const told = more > 0 ? [...lines.slice(0, MAX_CHANGED), `and ${more} more`] : lines;
  const end = words.trim().slice(-MAX_WORDS).toWellFormed();
  return {
    ...againVariables(answer, reason),
    changes: changed !== null,
    changed: told.map((line) => said('what was changed', terminalLine(line, MAX_REASON))),
    words: end === '' ? null : said('what was said', terminalText(end)),
  };
}
