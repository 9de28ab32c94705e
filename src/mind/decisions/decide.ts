/** The mind's one question: given this state and this command, which events follow? Pure, serial per project. */

import * as v from 'valibot';
import { assertNever } from '../../kernel/assert-never.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { ProposalId } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { authority } from '../approvals/authority.ts';
import {
  actorText,
  type Command,
  type CommandOf,
  command as commandSchema,
  type Envelope,
  taskOf,
} from '../domain/commands.ts';
import { type Draft, startDraft } from '../domain/draft.ts';
import type { StreamKind } from '../domain/events/define.ts';
import type { EventIn, NewEvent } from '../domain/events/index.ts';
import type { Project } from '../domain/project.ts';
import { BOARD, GOAL, proposalStream, type StreamName } from '../domain/stream-name.ts';
import { watchMemory } from '../safeguards/memory.ts';
import { grantReady } from '../scheduler/grant.ts';
import { halt, resetBreaker, resetCli, setRunning } from './decide-board.ts';
import { closeTask } from './decide-close.ts';
import { reportApply, startEffect } from './decide-effect.ts';
import { resolveIncident } from './decide-incident.ts';
import { landTask, reportLine, withdrawLanding } from './decide-land.ts';
import { reportLandingGate } from './decide-landing-gates.ts';
import { reportNotify } from './decide-notice.ts';
import { reportAttempt, reportGate } from './decide-outcome.ts';
import { answerStep, playPeople } from './decide-person.ts';
import { decideTaking, isTaking, type Taking } from './decide-take.ts';
import { answerRedBase, cancelTask, createTask, fireTimer, pauseTask, resumeTask } from './decide-task.ts';

export type Decision =
  | { readonly type: 'decided'; readonly events: readonly NewEvent[]; readonly project: Project }
  | Rejection;

export function decide(project: Project, envelope: Envelope): Decision {
  const { actor, command } = envelope;
  const draft = startDraft(project, envelope);
  const ruling = authority(actor.kind, command.type, project.goal.mode);
  const refusal =
    ruling === 'do' ? performWhole(draft) : ruling === 'propose' ? propose(draft) : notAllowed(envelope, ruling);
  return refusal ?? { type: 'decided', events: draft.events, project: draft.project };
}

function performWhole(draft: Draft): Rejection | null {
  const { command } = draft.envelope;
  const refusal = isTaking(command) ? decideTaking(draft, command) : perform(draft, command);
  const task = taskOf(command);
  if (refusal === null && task !== null) playPeople(draft, task);
  return refusal;
}

function perform(draft: Draft, command: Exclude<Command, Taking>): Rejection | null {
  switch (command.type) {
    case 'task.create':
      return createTask(draft, command);
    case 'task.cancel':
      return cancelTask(draft, command);
    case 'task.resolve':
      return resolveIncident(draft, command);
    case 'task.pause':
      return pauseTask(draft, command);
    case 'task.answer_base':
      return answerRedBase(draft, command);
    case 'task.resume':
      return resumeTask(draft, command);
    case 'task.land':
      return landTask(draft, command);
    case 'task.unland':
      return withdrawLanding(draft, command);
    case 'goal.set':
      return emit(draft, GOAL, { type: 'goal.set', data: { text: command.text } });
    case 'mode.set':
      return emit(draft, GOAL, { type: 'mode.set', data: { mode: command.mode } });
    case 'board.configure':
      // Starting again with the same limits is no event.
      if (canonicalJson(command.limits) === canonicalJson(draft.project.board.limits)) return null;
      return emit(draft, BOARD, { type: 'board.configured', data: { limits: command.limits } });
    case 'board.halt':
      return halt(draft, command);
    case 'board.resume':
      return setRunning(draft, command);
    case 'breaker.reset':
      return resetBreaker(draft, command);
    case 'cli.reset':
      return resetCli(draft, command);
    case 'proposal.accept':
    case 'proposal.reject':
      return answerProposal(draft, command);
    case 'board.grant':
      watchMemory(draft, command.memory ?? null);
      return grantReady(draft, (one, id, reason) => closeTask(one, id, { status: 'escalated', reason }));
    case 'attempt.report':
      return reportAttempt(draft, command);
    case 'gate.report':
      return command.step === null
        ? reportLandingGate(draft, command)
        : reportGate(draft, { ...command, step: command.step });
    case 'apply.report':
      return reportApply(draft, command);
    case 'line.report':
      return reportLine(draft, command);
    case 'notify.report':
      return reportNotify(draft, command);
    case 'step.answer':
      return answerStep(draft, command);
    case 'effect.start':
      return startEffect(draft, command);
    case 'timer.fire':
      return fireTimer(draft, command);
    default:
      return assertNever(command, 'command');
  }
}

function emit<K extends StreamKind>(draft: Draft, stream: StreamName<K>, event: EventIn<K>): null {
  draft.emit(stream, event);
  return null;
}

function notAllowed({ actor, command }: Envelope, ruling: 'ask' | 'refuse'): Rejection {
  if (ruling === 'ask')
    return rejected(
      'confirm',
      `${command.type} by ${actorText(actor)} needs the approval of the operator: ask, then send it as the operator`,
    );
  return rejected('not_allowed', `${actorText(actor)} may not send ${command.type}`);
}

/** Stores the whole command; when the operator accepts it, it is decided again on the state of that time. */
function propose(draft: Draft): null {
  const { id, actor, command } = draft.envelope;
  const proposal = `p-${sha256(id).slice(0, 12)}` as ProposalId;
  draft.emit(proposalStream(proposal), {
    type: 'proposal.made',
    data: { proposal, command, by: actorText(actor), why: '' },
  });
  return null;
}

function answerProposal(
  draft: Draft,
  answer: CommandOf<'proposal.accept'> | CommandOf<'proposal.reject'>,
): Rejection | null {
  const proposal = draft.project.proposals.get(answer.proposal);
  if (proposal === undefined) return rejected('unknown_proposal', `no open proposal ${answer.proposal}`);
  const accepted = answer.type === 'proposal.accept';
  draft.emit(proposalStream(answer.proposal), {
    type: 'proposal.decided',
    data: { accepted, by: actorText(draft.envelope.actor), why: answer.reason },
  });
  if (!accepted) return null;
  const parsed = v.safeParse(commandSchema, proposal.command);
  if (!parsed.success)
    return rejected(
      'stale_proposal',
      `proposal ${answer.proposal} holds a command this version does not know; reject it`,
    );
  const inner = decide(draft.project, { ...draft.envelope, command: parsed.output });
  if (inner.type === 'rejected')
    return rejected(inner.code, `proposal ${answer.proposal} cannot be carried out: ${inner.message}`);
  draft.take(inner.events);
  return null;
}
