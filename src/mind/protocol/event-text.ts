/** Each event as one line for people: who did what, and what follows. */
import { assertNever } from '../../kernel/assert-never.ts';
import { formatDuration } from '../../kernel/duration.ts';
import type { DomainEvent } from '../domain/events/index.ts';
import type { Next } from '../domain/events/task.ts';
import type { OutcomeClass } from '../domain/values.ts';

/** How a line should look: good, bad, noteworthy or plain. */
export type Tone = 'good' | 'bad' | 'note' | 'plain';

/** The number of the attempt that begins now or next, and of the last one allowed. Not in the events: who watches counts. */
export type Numbering = { readonly attempt: number; readonly of: number };

export function eventText(
  event: DomainEvent,
  numbering: Numbering | null = null,
): { readonly text: string; readonly tone: Tone } {
  switch (event.type) {
    case 'task.created':
      return { text: `task created: ${event.data.title}`, tone: 'plain' };
    case 'attempt.started':
      return {
        text: `${event.data.step}: attempt ${event.data.attempt}${numbering === null ? '' : ` of ${numbering.of}`} begins (${event.data.cli})`,
        tone: 'plain',
      };
    case 'attempt.produced':
      return {
        text: `${event.data.step}: the worker is done; gates run: ${event.data.gates.join(', ')}`,
        tone: 'plain',
      };
    case 'gate.reported': {
      const { step, gate, status, ms } = event.data;
      const took = ms === null ? '' : ` (${formatDuration(ms)})`;
      if (status === 'error') return { text: `${step}: gate ${gate} could not run${took}`, tone: 'bad' };
      return {
        text: `${step}: gate ${gate} ${status === 'pass' ? 'passed' : 'failed'}${took}`,
        tone: status === 'pass' ? 'good' : 'bad',
      };
    }
    case 'attempt.settled': {
      const { step, class: outcome, reason, next } = event.data;
      return {
        text: `${step}: ${endText(outcome, reason)}${followText(next, outcome, numbering)}`,
        tone: outcome === 'ok' ? 'good' : next.do === 'close' ? 'bad' : 'note',
      };
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
      const look = branch === null ? '' : ` on ${branch}; look at it with: git show ${branch}`;
      const where = commit === null ? '' : `, commit ${commit.slice(0, 12)}${look}`;
      return { text: `task ${status}: ${reason}${where}`, tone: status === 'accepted' ? 'good' : 'bad' };
    }
    case 'task.landed':
      return { text: `landed on ${event.data.onto}: ${event.data.commit.slice(0, 12)}`, tone: 'good' };
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
    case 'cli.parked': {
      const { cli, until, told, why } = event.data;
      const time = new Date(until).toISOString();
      return {
        text: `${cli} takes no work until ${time}: ${told ? 'its quota resets then' : 'its quota is used up, then it is tried again'}${why === '' ? '' : ` (${why})`}`,
        tone: 'note',
      };
    }
    case 'cli.unparked':
      return { text: `${event.data.cli} takes work again: ${event.data.why}`, tone: 'good' };
    default:
      return assertNever(event, 'event');
  }
}

const ENDS: Readonly<Record<OutcomeClass, string>> = {
  ok: 'done',
  invalid: 'sent back',
  transient: 'failed in passing',
  quota: 'the quota is used up',
  auth: 'the CLI is not logged in',
  missing_cli: 'the CLI is not installed',
  wrong_version: 'the CLI has a version that does not work here',
  crash: 'the worker crashed',
  timeout: 'the worker took too long',
  killed: 'the worker was killed',
  output_limit: 'the worker printed too much',
  resource_limit: 'the worker hit a resource limit',
  waiting_for_input: 'the worker asks something',
  blocked: 'blocked',
  lost: 'the attempt was lost',
  interrupted: 'the attempt was interrupted',
  unknown: 'it is not known how the worker ended',
};

const RED_GATE = /^gate failed: (.+)$/s;

function endText(outcome: OutcomeClass, reason: string): string {
  if (outcome === 'invalid' && reason !== '') return reason.replace(RED_GATE, '$1 failed');
  return reason === '' ? ENDS[outcome] : `${ENDS[outcome]} (${reason})`;
}

function followText(next: Next, outcome: OutcomeClass, numbering: Numbering | null): string {
  if (next.do === 'complete') return '';
  if (next.do === 'close') return next.status === 'escalated' ? '; a person has to look' : '; there is no attempt left';
  if (outcome === 'quota' && next.at === null) return '; it waits for the quota, or another CLI takes it';
  const attempt = numbering === null ? 'the next attempt' : `attempt ${numbering.attempt} of ${numbering.of}`;
  if (outcome === 'invalid') return `; ${attempt} is told what failed`;
  return `; ${attempt} ${next.at === null ? 'follows' : `begins at ${new Date(next.at).toISOString()}`}`;
}
