/** What an agent's stop hook receives: go on and repair, or stop. Claude Code and Codex read the same form. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { Judgement } from './judgement.ts';
import { feedbackOf, nextAction } from './judgement-text.ts';

/** How often one turn of an agent is sent back before a person has to look. */
const MAX_SENT_BACK = 3;
const MAX_REASON = 8_000;

/**
 * `decision: block`: the agent goes on with the reason as its next instruction. `systemMessage`: shown to the person.
 */
export type HookAnswer =
  | { readonly decision: 'block'; readonly reason: string }
  | { readonly systemMessage: string }
  | Readonly<Record<string, never>>;

/** `sentBack`: how often this turn was sent back before. */
export function hookAnswer(judgement: Judgement, sentBack: number): HookAnswer {
  const { decision, reasons, gates } = judgement;
  switch (decision) {
    case 'APPROVE':
      return gates.length === 0 ? {} : { systemMessage: `supervisor: ${decision}` };
    case 'ESCALATE':
      return { systemMessage: `supervisor: ${decision}: ${reasons.join('; ')}. A person has to look` };
    case 'REJECT':
      if (sentBack >= MAX_SENT_BACK)
        return {
          systemMessage: `supervisor: still rejected after ${MAX_SENT_BACK} rounds, so the agent may stop: ${reasons.join('; ')}`,
        };
      return { decision: 'block', reason: reasonFor(judgement) };
    default:
      return assertNever(decision, 'decision');
  }
}

function reasonFor(judgement: Judgement): string {
  const end = `What to do: ${nextAction(judgement)}. Repair the change itself; do not weaken tests or gates.`;
  const text = `Your change is not accepted yet. supervisor judge says:\n\n${feedbackOf(judgement)}`;
  const room = MAX_REASON - end.length - 2;
  return `${text.length <= room ? text : `${text.slice(0, room - 1)}…`.toWellFormed()}\n\n${end}`;
}
