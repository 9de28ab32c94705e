/** Each event as one line for people: who did what, and what follows. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { DomainEvent } from '../domain/events/index.ts';
import type { Next } from '../domain/events/task.ts';

/** How a line should look: good, bad, noteworthy or plain. */
export type Tone = 'good' | 'bad' | 'note' | 'plain';

export function eventText(event: DomainEvent): { readonly text: string; readonly tone: Tone } {
  switch (event.type) {
    case 'task.created':
      return { text: `task created: ${event.data.title}`, tone: 'plain' };
    case 'attempt.started':
      return { text: `${event.data.step}: attempt ${event.data.attempt} begins (${event.data.cli})`, tone: 'plain' };
    case 'attempt.produced':
      return {
        text: `${event.data.step}: the worker is done; gates run: ${event.data.gates.join(', ')}`,
        tone: 'plain',
      };
    case 'gate.reported': {
      const { step, gate, status } = event.data;
      if (status === 'error') return { text: `${step}: gate ${gate} could not run`, tone: 'bad' };
      return {
        text: `${step}: gate ${gate} ${status === 'pass' ? 'passed' : 'failed'}`,
        tone: status === 'pass' ? 'good' : 'bad',
      };
    }
    case 'attempt.settled': {
      const { step, class: outcome, reason, next } = event.data;
      const why = reason === '' ? '' : ` (${reason})`;
      return { text: `${step}: ${outcome}${why}${followText(next)}`, tone: outcome === 'ok' ? 'good' : 'note' };
    }
    case 'step.woken':
      return { text: `${event.data.step}: the wait is over`, tone: 'plain' };
    case 'effect.started':
      return { text: `${event.data.kind} begins`, tone: 'plain' };
    case 'effect.settled':
      return { text: `${event.data.kind}: ${event.data.result}`, tone: 'plain' };
    case 'outcome.refused':
      return {
        text: `an outcome came too late and was refused: ${event.data.kind}, ${event.data.reason}`,
        tone: 'note',
      };
    case 'task.applying':
      return { text: 'all steps are done; the candidate is applied', tone: 'plain' };
    case 'task.closed': {
      const { status, reason, commit, branch } = event.data;
      const where = commit === null ? '' : `, commit ${commit.slice(0, 12)} on ${branch ?? 'no branch'}`;
      return { text: `task ${status}: ${reason}${where}`, tone: status === 'accepted' ? 'good' : 'bad' };
    }
    case 'task.reopened':
      return { text: `task goes on: ${event.data.opens.join(', ') || 'its steps are done'}`, tone: 'note' };
    case 'board.configured':
      return { text: `limits set: ${event.data.limits.slots.total} slots`, tone: 'plain' };
    case 'board.charged':
      return {
        text: `charged ${(event.data.microusd / 1e6).toFixed(4)} USD for ${event.data.task}/${event.data.step}`,
        tone: 'plain',
      };
    case 'breaker.counted':
      return { text: `a failure counts against ${event.data.lane}`, tone: 'note' };
    case 'breaker.opened':
      return { text: `breaker ${event.data.lane} opens after ${event.data.failures} failures`, tone: 'bad' };
    case 'breaker.reset':
      return { text: `breaker ${event.data.lane} is reset`, tone: 'plain' };
    case 'goal.set':
      return { text: `goal: ${event.data.text}`, tone: 'plain' };
    case 'mode.set':
      return { text: `mode: ${event.data.mode}`, tone: 'plain' };
    case 'workflow.pinned':
      return { text: `workflow ${event.data.definition.name} pinned (${event.data.hash.slice(0, 12)})`, tone: 'plain' };
    case 'proposal.made':
      return { text: `${event.data.by} proposes ${String(event.data.command['type'])}`, tone: 'note' };
    case 'proposal.decided':
      return { text: `proposal ${event.data.accepted ? 'accepted' : 'rejected'} by ${event.data.by}`, tone: 'plain' };
    case 'host.charged':
      return { text: `charged ${(event.data.microusd / 1e6).toFixed(4)} USD on ${event.data.day}`, tone: 'plain' };
    default:
      return assertNever(event, 'event');
  }
}

function followText(next: Next): string {
  if (next.do === 'complete') return '';
  if (next.do === 'close') return '; no way on';
  return next.at === null ? '; again' : `; again at ${new Date(next.at).toISOString()}`;
}
