/** What a worker is told whose answer could not be read, in the session it had. */
import { terminalLine } from '../../kernel/terminal-text.ts';
import type { AnswerKind } from '../answers/schemas.ts';
import { contractText } from './contract.ts';

const MAX_REASON = 1_000;

export const againText = (kind: AnswerKind, reason: string): string =>
  [
    `Your last answer could not be used: ${terminalLine(reason, MAX_REASON)}.`,
    'What you changed is still there; change more only if it is needed. Then answer again.',
    '',
    contractText(kind),
    '',
  ].join('\n');
