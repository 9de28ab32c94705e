/** Decisions about what a person answers: where their yes and their no lead. */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { agreedToLand, LANDING, neededToLand, openAsk } from '../approvals/landing-word.ts';
import { mayApprove, missing } from '../approvals/needed.ts';
import { missingText, personOf } from '../approvals/people.ts';
import { actorText, type CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import { type AnswerOf, type StepPlace, shownTo, statusOf, type Task } from '../domain/task.ts';
import { PLAYED_PERSON, playedAnswer } from '../workers/played-people.ts';
import type { Needed } from '../workflows/approval-policy.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { closeTask } from './decide-close.ts';
import { isHeld, sendBackHeld } from './decide-finding.ts';
import { advance, sendBack } from './decide-graph.ts';
import { opensAfter, stepDefinition, taskIn, unknownTask, workflowOf } from './lookup.ts';

type Waiting = Extract<StepPlace, { at: 'waiting' }>;
type Answer = CommandOf<'step.answer'>;

/** A person answers a step that waits for one. */
export function answerStep(draft: Draft, command: CommandOf<'step.answer'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  if (task.closed !== null && command.step === LANDING) return answerLanding(draft, task, command);
  const place = task.steps.get(command.step)?.place;
  if (task.closed !== null || place?.at !== 'waiting')
    return rejected(
      'not_waiting',
      `step ${command.step} of task ${task.id} waits for nobody: the task is ${statusOf(task)}`,
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
  if (isHeld(place)) {
    if (command.decision === 'APPROVE') return rejected('dismiss', dismissText(task.id));
    sendBackHeld(draft, task, command.reason, command.step);
    return null;
  }
  const agreed = command.decision === 'APPROVE' ? agreement(draft, task, place, command) : 'enough';
  if (agreed === 'enough') giveAnswer(draft, task, place, { ...command, by: actorText(draft.envelope.actor) });
  return typeof agreed === 'string' ? null : agreed;
}

function unexplained(draft: Draft, task: Task, { reason }: Answer): Rejection | null {
  if (!workflowOf(draft, task).auditTrail || reason.trim() !== '') return null;
  return rejected(
    'needs_reason',
    `the workflow of task ${task.id} keeps an audit trail (\`settings.audit_trail\`): say why with --reason`,
  );
}

/** What would land is not what was approved: a person says yes to it, or leaves it. */
function answerLanding(draft: Draft, task: Task, answer: Answer): Rejection | null {
  const { decision, about, reason } = answer;
  const { at, actor } = draft.envelope;
  const ask = openAsk(task, at);
  if (ask === null)
    return rejected(
      'not_waiting',
      `the landing of task ${task.id} waits for nobody's approval: \`supervisor land ${task.id}\``,
    );
  const { change_id } = ask.on;
  if (about !== undefined && about !== change_id)
    return rejected('stale_answer', staleText({ task: task.id, step: LANDING as StepId, about }, change_id));
  if (decision === 'REJECT')
    return rejected(
      'not_approved',
      `without a yes task ${task.id} does not land: nothing has to be done. \`supervisor cancel ${task.id}\` frees the files that it holds`,
    );
  const silent = unexplained(draft, task, answer);
  if (silent !== null) return silent;
  const needed = neededToLand(task);
  const by = actorText(actor);
  if (!mayApprove(needed, personOf(by)))
    return rejected('not_approver', notApproverText(task.id, LANDING, { needed, by }));
  const people = agreedToLand(task, at);
  if (people.includes(personOf(by)))
    return rejected(
      'approved_already',
      `${personOf(by)} approved the landing of task ${task.id} already: ${missingText(needed, people)}`,
    );
  draft.emit(taskStream(task.id), { type: 'task.approved', data: { on: ask.on, by, reason } });
  return null;
}

/** Whether this approval is all that the policies ask. Of several people, each counts once, and only while it is fresh. */
function agreement(
  draft: Draft,
  task: Task,
  place: Waiting,
  { step, reason }: CommandOf<'step.answer'>,
): 'enough' | 'more' | Rejection {
  const { needed, agreed = [], token } = place;
  const { at, actor } = draft.envelope;
  if (needed === undefined || task.spec.simulated === true) return 'enough';
  const by = actorText(actor);
  if (!mayApprove(needed, personOf(by)))
    return rejected('not_approver', notApproverText(task.id, step, { needed, by }));
  const fresh = agreed.filter((one) => one.at + needed.expires_ms > at).map((one) => personOf(one.by));
  if (fresh.includes(personOf(by)))
    return rejected(
      'approved_already',
      `${personOf(by)} approved step ${step} of task ${task.id} already: ${missingText(needed, fresh)}`,
    );
  if (missing(needed, [...fresh, personOf(by)]).length === 0) return 'enough';
  draft.emit(taskStream(task.id), { type: 'step.agreed', data: { step, token, by, reason } });
  return 'more';
}

function notApproverText(task: string, step: string, { needed, by }: { readonly needed: Needed; readonly by: string }) {
  return `${personOf(by)} may not approve step ${step} of task ${task}: ${missingText(needed, [])}`;
}

/** Nobody rejected in time what goes on by itself. */
export function approveInTime(draft: Draft, task: Task, step: StepId): Rejection | null {
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'waiting' || place.until === undefined || draft.envelope.at < place.until)
    return rejected('stale_timer', `step ${step} of task ${task.id} waits for no such time`);
  giveAnswer(draft, task, place, { step, decision: 'APPROVE', reason: 'nobody rejected it in time', by: 'policy' });
  return null;
}

/** In a simulation the people of the script answer at once, in the append that asks them. */
export function playPeople(draft: Draft, id: TaskId): void {
  for (;;) {
    const task = draft.project.tasks.get(id);
    const said = task === undefined ? null : playedAnswer(task);
    const place = said === null ? undefined : task?.steps.get(said.step)?.place;
    if (task === undefined || said === null || place?.at !== 'waiting' || isHeld(place)) return;
    giveAnswer(draft, task, place, { ...said, by: PLAYED_PERSON });
  }
}

type Given = Pick<CommandOf<'step.answer'>, 'step' | 'decision' | 'reason'> & { readonly by: string };

function giveAnswer(draft: Draft, task: Task, place: Waiting, { step, decision, reason, by }: Given): void {
  const shown = shownTo(place);
  const definition = stepDefinition(draft, task, step);
  // Of a failure, the yes means: once more.
  const goesOn = decision === 'APPROVE' && place.asks !== 'failure' && place.asks !== 'rounds';
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
    },
  });
  const answers = answersOf(task, definition);
  if (decision === 'REJECT')
    refused(draft, task.id, definition, { place, reason: reason || `rejected at step ${step}`, answers });
  else if (place.asks === 'rounds')
    sendBack(draft, task.id, definition, { reason: place.reason, answers, atPersonsWord: true });
  advance(draft, task.id);
}

/** What its reviewers said: the next worker is shown it. */
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
  no: { readonly place: Waiting; readonly reason: string; readonly answers: readonly AnswerOf[] },
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

function staleText({ task, step, about }: Pick<Answer, 'task' | 'step' | 'about'>, shown: string | null): string {
  const now = shown === null ? 'about nothing that has an id' : `about ${shown.slice(0, 12)}`;
  return `step ${step} of task ${task} waits for an answer ${now}, and not about ${about?.slice(0, 12)} any more: \`supervisor show ${task}\`, then answer again`;
}
