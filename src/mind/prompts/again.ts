/** What a worker is told whose answer could not be read, in the session it had. */
import { terminalLine } from '../../kernel/terminal-text.ts';
import type { AnswerKind } from '../answers/schemas.ts';
import { contractOf } from './contract.ts';
import { renderTemplate, type Templates } from './liquid.ts';
import { said } from './said.ts';
import type { Variables } from './template-values.ts';

export const AGAIN = 'again';
const MAX_REASON = 1_000;

export const renderAgain = (answer: AnswerKind, reason: string, templates: Templates, seed: string): string =>
  renderTemplate(templates, AGAIN, againVariables(answer, reason), seed);

export const againVariables = (answer: AnswerKind, reason: string): Variables => ({
  reason: said('what is wrong with the answer', terminalLine(reason, MAX_REASON)),
  answer: { kind: answer, ...contractOf(answer) },
});
