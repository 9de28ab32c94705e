/** Decisions about a person's answers: where an approval and a rejection lead. */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { textProblem } from '../approvals/approval-text.ts';
import { LANDING, neededToLand, openAsk } from '../approvals/landing-approval.ts';
import { approverOf, isRepeated, mayApprove, missing, missingText } from '../approvals/people.ts';
import { type AnswerCommand, actorText, type CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import { type Agreed, type AnswerOf, shownTo, statusOf, type Task, type WaitingStep } from '../domain/task.ts';
import type { Asks } from '../domain/values.ts';
import { PLAYED_PERSON, playedAnswer } from '../workers/played-people.ts';
import type { Needed } from '../workflows/approval-policy.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { closeTask } from './decide-close.ts';
import { isHeld, sendBackHeld } from './decide-finding.ts';
import { advance, sendBack } from './decide-graph.ts';
import { opensAfter, stepDefinition, taskIn, unknownTask, workflowOf } from './lookup.ts';

/** A person answers a step that waits for one. */
export function answerStep(draft: Draft, command: CommandOf<'step.answer'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  if (task.closed !== null && command.step === LANDING) return answerLanding(draft, task, command);
  const place = task.steps.get(command.step)?.place;
  if (task.closed !== null || place?.at !== 'waiting')
    return rejected(
      'not_waiting',
      `step ${command.step} of task ${task.id} waits for no answer: the task is ${statusOf(task)}`,
    );
  if (place.asks === 'question' && command.decision === 'APPROVE')
    return rejected(
      'needs_answer',
      `step ${command.step} of task ${task.id} asks a question: \`supervisor answer ${task.id} "…"\``,
    );
  const silent = unexplained(draft, task, command);
  if (silent !== null) return silent;
  const shown = shownTo(place);
  if ((command.about ?? shown) !== shown) return rejected('stale_answer', staleText(command, shown));
  const other = otherText(draft, task, command);
  if (other !== null) return other;
  if (isHeld(place) && (command.decision === 'REJECT' || place.asks !== 'environment')) {
    if (command.decision === 'APPROVE') return rejected('dismiss', dismissText(task.id));
    sendBackHeld(draft, task, command.reason, command.step);
    return null;
  }
  const { at } = draft.envelope;
  const agreed = command.decision === 'APPROVE' ? agreement(draft, task, place, command) : { since: at };
  if (agreed === 'more' || 'code' in agreed) return agreed === 'more' ? null : agreed;
  const since = agreed.since < at ? { since: agreed.since } : {};
  giveAnswer(draft, task, place, { ...command, ...since, by: actorText(draft.envelope.actor) });
  return null;
}

/** The signature was made for something else, or too long ago. */
function otherText(draft: Draft, task: Task, answer: AnswerCommand): Rejection | null {
  const { signed } = answer;
  const problem = signed === undefined ? null : textProblem(task, answer, signed, draft.envelope.at);
  return problem === null ? null : rejected(problem.code, problem.message);
}

function unexplained(draft: Draft, task: Task, { reason }: AnswerCommand): Rejection | null {
  if (!workflowOf(draft, task).auditTrail || reason.trim() !== '') return null;
  return rejected(
    'needs_reason',
    `the workflow of task ${task.id} keeps an audit trail (\`settings.audit_trail\`): say why with --reason`,
  );
}

/** The change to land is not the approved one, so a person approves it or not. */
function answerLanding(draft: Draft, task: Task, answer: AnswerCommand): Rejection | null {
  const { decision, about, reason } = answer;
  const { at, actor } = draft.envelope;
  const ask = openAsk(task, at);
  if (ask === null)
    return rejected('not_waiting', `the landing of task ${task.id} needs no approval: \`supervisor land ${task.id}\``);
  const { change_id } = ask.on;
  if (about !== undefined && about !== change_id)
    return rejected('stale_answer', staleText({ task: task.id, step: LANDING as StepId, about }, change_id));
  if (decision === 'REJECT')
    return rejected(
      'not_approved',
      `without an approval task ${task.id} does not land: nothing has to be done. \`supervisor cancel ${task.id}\` frees the files that it holds`,
    );
  const silent = unexplained(draft, task, answer) ?? otherText(draft, task, answer);
  if (silent !== null) return silent;
  const by = actorText(actor);
  const told = { needed: neededToLand(task), agreed: ask.agreed };
  const problem = unfit(draft, task, answer, told);
  if (problem !== null) return problem;
  draft.emit(taskStream(task.id), {
    type: 'task.approved',
    data: { on: ask.on, by, reason, ...signatureIn(answer, ask.agreed) },
  });
  return null;
}

type NeededApprovals = { readonly needed: Needed; readonly agreed: readonly Agreed[] };

/** This person may not approve, or did so before. */
function unfit(draft: Draft, task: Task, answer: AnswerCommand, { needed, agreed }: NeededApprovals): Rejection | null {
  const me = approverOf({ by: actorText(draft.envelope.actor), signed: answer.signed });
  const what = answer.step === LANDING ? `the landing of task ${task.id}` : `step ${answer.step} of task ${task.id}`;
  const before = stillCounted(draft, answer, { needed, agreed }).map(approverOf);
  if (!mayApprove(needed, me))
    return rejected('not_approver', `${me.name} may not approve ${what}: ${missingText(needed, before)}`);
  if (!isRepeated(needed, before, me)) return null;
  return rejected('approved_already', `${me.name} approved ${what} already: ${missingText(needed, before)}`);
}

/** An approval counts until it expires, and a signed one only while its signer is allowed. */
const stillCounted = (
  draft: Draft,
  { confirmed = [] }: Pick<AnswerCommand, 'confirmed'>,
  { needed, agreed }: NeededApprovals,
): readonly Agreed[] =>
  agreed
    .filter((one) => one.at + needed.expires_ms > draft.envelope.at)
    .filter(({ signed }) => signed === undefined || confirmed.includes(signed.key));

/** What the log keeps of a signature, and which earlier ones no longer count. */
function signatureIn({ signed, confirmed = [] }: AnswerCommand, agreed: readonly Agreed[]) {
  const without = agreed.flatMap((one) =>
    one.signed === undefined || confirmed.includes(one.signed.key) ? [] : [one.signed.key],
  );
  return { ...(signed === undefined ? {} : { signed }), ...(without.length === 0 ? {} : { without }) };
}

/** Whether this approval completes what the policies require. `since`: the time of the oldest one that counts. */
function agreement(
  draft: Draft,
  task: Task,
  place: WaitingStep,
  answer: AnswerCommand,
): { readonly since: number } | 'more' | Rejection {
  const { needed, agreed = [], token } = place;
  const { at, actor } = draft.envelope;
  const { step, reason, signed } = answer;
  const own = signed?.at ?? at;
  if (needed === undefined || task.spec.simulated === true) return { since: own };
  const problem = unfit(draft, task, answer, { needed, agreed });
  if (problem !== null) return problem;
  const by = actorText(actor);
  const before = stillCounted(draft, answer, { needed, agreed });
  if (missing(needed, [...before.map(approverOf), approverOf({ by, signed })]).length === 0)
    return { since: Math.min(own, ...before.map((one) => one.at)) };
  draft.emit(taskStream(task.id), {
    type: 'step.agreed',
    data: { step, token, by, reason, ...signatureIn(answer, agreed) },
  });
  return 'more';
}

/** No objection came in time, so the task goes on by itself. */
export function approveInTime(draft: Draft, task: Task, step: StepId): Rejection | null {
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'waiting' || place.until === undefined || draft.envelope.at < place.until)
    return rejected('stale_timer', `step ${step} of task ${task.id} waits for no such time`);
  giveAnswer(draft, task, place, { step, decision: 'APPROVE', reason: 'no rejection came in time', by: 'policy' });
  return null;
}

/** In a simulation the script's people answer at once, in the append that asks them. */
export function playPeople(draft: Draft, id: TaskId): void {
  for (;;) {
    const task = draft.project.tasks.get(id);
    const said = task === undefined ? null : playedAnswer(task);
    const place = said === null ? undefined : task?.steps.get(said.step)?.place;
    if (task === undefined || said === null || place?.at !== 'waiting' || isHeld(place)) return;
    giveAnswer(draft, task, place, { ...said, by: PLAYED_PERSON });
  }
}

/** Approving these retries the step, or runs its gates. */
const OPENS_NOTHING: ReadonlySet<Asks> = new Set(['failure', 'rounds', 'environment']);

type GivenAnswer = Pick<AnswerCommand, 'step' | 'decision' | 'reason' | 'signed'> & {
  readonly by: string;
  readonly since?: number;
};

function giveAnswer(draft: Draft, task: Task, place: WaitingStep, given: GivenAnswer): void {
  const { step, decision, reason, by, since, signed } = given;
  const shown = shownTo(place);
  const definition = stepDefinition(draft, task, step);
  const goesOn = decision === 'APPROVE' && !OPENS_NOTHING.has(place.asks);
  draft.emit(taskStream(task.id), {
    type: 'step.answered',
    data: {
      step,
      token: place.token,
      decision,
      by,
      reason,
      opens: goesOn ? opensAfter(workflowOf(draft, task), task, step) : [],
      ...(shown === null ? {} : { about: shown }),
      ...(since === undefined ? {} : { since }),
      ...(signed === undefined ? {} : { signed }),
      anew: true,
    },
  });
  const answers = answersOf(task, definition);
  if (decision === 'REJECT')
    refused(draft, task.id, definition, { place, reason: reason || `rejected at step ${step}`, answers });
  else if (place.asks === 'rounds')
    sendBack(draft, task.id, definition, { reason: place.reason, answers, atPersonsWord: true });
  advance(draft, task.id);
}

/** Answers of its reviewers, for the next worker. */
function answersOf(task: Task, { kind, needs }: WorkflowStep): AnswerOf[] {
  if (kind !== 'join') return [];
  return needs.flatMap((step) => {
    const place = task.steps.get(step)?.place;
    return place?.at === 'done' && place.answer !== null ? [{ step, answer: place.answer }] : [];
  });
}

function refused(
  draft: Draft,
  id: TaskId,
  definition: WorkflowStep,
  no: { readonly place: WaitingStep; readonly reason: string; readonly answers: readonly AnswerOf[] },
): void {
  const { place, reason, answers } = no;
  if (place.asks === 'failure' || place.asks === 'rounds' || place.asks === 'question') {
    const { onExhausted: status } = workflowOf(draft, taskIn(draft, id));
    closeTask(draft, id, { status, reason: place.reason || reason });
  } else if (definition.rework === null) closeTask(draft, id, { status: 'rejected', reason });
  else sendBack(draft, id, definition, { reason, answers });
}

const dismissText = (task: string): string =>
  `a critical finding of task ${task} is not approved but dismissed, with a reason: \`supervisor show ${task}\` tells how`;

function staleText(
  { task, step, about }: Pick<AnswerCommand, 'task' | 'step' | 'about'>,
  shown: string | null,
): string {
  const now = shown === null ? 'about nothing that has an id' : `about ${shown.slice(0, 12)}`;
  return `step ${step} of task ${task} waits for an answer ${now}, and not about ${about?.slice(0, 12)} any more: \`supervisor show ${task}\`, then answer again`;
}
