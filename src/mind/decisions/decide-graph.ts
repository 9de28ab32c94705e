/** Decisions about moving through a workflow: steps that need no worker, and rework. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { atLeastOne, neededFor } from '../approvals/required-approvals.ts';
import { riskFactsOf } from '../approvals/risk.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import { type AnswerOf, isBusy, type Step, type Task } from '../domain/task.ts';
import { MAX_LINE, UNKNOWN_COST } from '../domain/values.ts';
import { guardText, usedLastRound } from '../safeguards/loops.ts';
import { isCritical, weigh } from '../verdict/weigh.ts';
import { stepsAfter, type Workflow, type WorkflowStep } from '../workflows/workflow.ts';
import { askPerson } from './ask-person.ts';
import { apply, chargeOpen, closeTask, finishIfDone } from './decide-close.ts';
import { goesOn, isLeftToPerson, isSplit, judgeReviews, objectionText, reviewOf } from './decide-verdict.ts';
import { opensAfter, stepDefinition, taskIn, workflowOf } from './lookup.ts';

/**
 * Called after a step was done or opened: starts every open step that needs no worker, and finishes the task if none is
 * left. A task that is about to fail does not move; it closes when its last attempt has ended.
 */
export function advance(draft: Draft, id: TaskId): void {
  for (;;) {
    const task = taskIn(draft, id);
    if (task.closed !== null) return;
    if (task.failing !== undefined) {
      if (!task.open.some((step) => isBusy(task.steps.get(step)))) closeTask(draft, id, task.failing);
      return;
    }
    const most = draft.project.board.limits.max_steps;
    if (task.begun > most) {
      const reason = `the task began ${task.begun} steps over all its rounds, and ${most} are allowed (limits.max_steps)`;
      closeTask(draft, id, { status: workflowOf(draft, task).onExhausted, reason });
      return;
    }
    // A paused task starts nothing; `resume` calls this again.
    const next = task.paused ? undefined : task.open.find((step) => canBegin(draft, task, step));
    if (next === undefined) {
      if (task.paused !== true) finishIfDone(draft, id);
      return;
    }
    begin(draft, task, stepDefinition(draft, task, next));
  }
}

/**
 * Whether a step without a worker can start. A task makes one commit at a time, and none while a person decides about a
 * critical finding of the change, or while a step that did not let this change pass looks at it again.
 */
function canBegin(draft: Draft, task: Task, step: StepId): boolean {
  if (task.steps.get(step)?.place.at !== 'ready') return false;
  const { kind } = stepDefinition(draft, task, step);
  return kind !== 'change' && kind !== 'answer' && (kind !== 'commit' || (task.applying === null && !isHeldBack(task)));
}

const isHeldBack = ({ open, steps, verdict, candidate }: Task): boolean =>
  open.some((id) => {
    const place = steps.get(id)?.place;
    const isNo = verdict?.decision === 'REJECT' || verdict?.decision === 'ESCALATE';
    const isRefused = isNo && verdict.step === id && verdict.on.change_id === candidate?.change_id;
    return isRefused || (place?.at === 'waiting' && place.held !== undefined);
  });

function begin(draft: Draft, task: Task, definition: WorkflowStep): void {
  switch (definition.kind) {
    case 'gate':
      beginGates(draft, task, definition);
      return;
    case 'join':
      join(draft, task, definition);
      return;
    case 'commit':
      commit(draft, task, definition);
      return;
    case 'human':
      if (definition.policies.length === 0) askPerson(draft, task.id, definition, { asks: 'approval' });
      else askByPolicy(draft, task, definition);
      return;
    case 'pull_request':
      askPerson(draft, task.id, definition, { asks: 'pull_request' });
      return;
    case 'change':
    case 'answer':
      throw new Error(`step ${definition.id} needs a worker`);
    default:
      assertNever(definition.kind, 'kind of step');
  }
}

/** The policies for this change decide whether a person is asked, and how many have to agree. */
function askByPolicy(draft: Draft, task: Task, definition: WorkflowStep): void {
  const { candidate } = task;
  if (candidate === null) {
    passOn(draft, task, definition, 'there is no change to approve');
    return;
  }
  const { timeoutMs, ...asked } = neededFor(definition.policies, riskFactsOf(task));
  const reason = `${asked.level}: ${asked.why}`;
  if (definition.ifAsked && asked.action === 'auto_approve')
    passOn(draft, task, definition, `no approval is needed (${reason})`);
  else if (definition.ifAsked && asked.action === 'notify_and_timeout')
    askPerson(draft, task.id, definition, {
      asks: 'approval',
      reason,
      needed: asked,
      until: draft.envelope.at + timeoutMs,
    });
  else askPerson(draft, task.id, definition, { asks: 'approval', reason, needed: atLeastOne(asked) });
}

/** Does not commit a change that is on the branch already. */
function commit(draft: Draft, task: Task, definition: WorkflowStep): void {
  const { candidate, committed } = task;
  if (candidate === null) passOn(draft, task, definition, 'there is no change to commit');
  else if (committed?.candidate.change_id === candidate.change_id)
    passOn(draft, task, definition, `${committed.branch ?? 'its branch'} holds this change already`);
  else apply(draft, task, { candidate, step: definition.id });
}

/** Starts an attempt without a worker: the input of its gates exists already. */
function beginGates(draft: Draft, task: Task, definition: WorkflowStep): void {
  const { id, gates } = definition;
  if (gates.length === 0) {
    passOn(draft, task, definition, 'there is no gate to run');
    return;
  }
  const stream = taskStream(task.id);
  const step = task.steps.get(id) as Step;
  const token = task.token + 1;
  const { candidate } = task;
  draft.emit(stream, {
    type: 'attempt.started',
    data: {
      step: id,
      attempt: step.attempts + 1,
      token,
      kind: 'gate',
      round: step.round,
      on: candidate,
      cli: '',
      reserve: 0,
      locks: [],
      deadline: draft.envelope.at,
    },
  });
  draft.emit(stream, {
    type: 'attempt.produced',
    data: { step: id, token, candidate, answer: null, record: null, said: null, cost: UNKNOWN_COST, gates: [...gates] },
  });
}

/** The step has nothing to do: the task goes on. */
function passOn(draft: Draft, task: Task, { id }: WorkflowStep, reason: string): void {
  const opens = opensAfter(workflowOf(draft, task), task, id);
  const data = { step: id, token: task.token + 1, decision: 'APPROVE' as const, reason, on: task.candidate, opens };
  draft.emit(taskStream(task.id), { type: 'step.joined', data });
}

/** All inputs are there: their answers are weighed, and the task goes on or back. */
function join(draft: Draft, task: Task, definition: WorkflowStep): void {
  const { id, needs } = definition;
  const workflow = workflowOf(draft, task);
  const inputs = needs
    .filter((need) => workflow.weighed.has(need))
    .map((need) => ({ need, place: doneAt(task, need) }));
  const opinions = inputs.map(({ need, place }) => ({
    by: need,
    said: place.said,
    change: place.on?.change_id ?? null,
    reason: place.reason,
  }));
  const weighed = weigh(opinions, task.candidate?.change_id ?? null);
  const verdict = judgeReviews(draft, task, definition, {
    on: task.candidate,
    token: task.token + 1,
    round: (task.steps.get(id) as Step).round,
    reviews: inputs.map(({ need, place }) => reviewOf(workflow, need, place)),
  });
  const asks = isLeftToPerson(verdict) ? 'review' : isSplit(verdict) ? 'disagreement' : null;
  if (asks !== null) {
    askPerson(draft, task.id, definition, { asks, reason: weighed.reason });
    return;
  }
  const decision = goesOn(verdict) ? 'APPROVE' : 'REJECT';
  const outvoted =
    decision === 'APPROVE' ? `approved by a consensus, although ${weighed.reason}` : objectionText(verdict);
  const reason = (decision === weighed.decision ? weighed.reason : outvoted).slice(0, MAX_LINE);
  draft.emit(taskStream(task.id), {
    type: 'step.joined',
    data: {
      step: id,
      token: task.token + 1,
      decision,
      reason,
      on: task.candidate,
      opens: decision === 'APPROVE' ? opensAfter(workflow, task, id) : [],
    },
  });
  if (decision === 'APPROVE') return;
  const answers = inputs.flatMap(({ need, place }) =>
    place.answer === null ? [] : [{ step: need, answer: place.answer }],
  );
  // A review with a critical finding was held, and a person has confirmed it: then no limit of rounds keeps the change from
  // going back.
  const atPersonsWord = inputs.some(({ place }) => isCritical(place.said)) ? { atPersonsWord: true as const } : {};
  sendBack(draft, task.id, definition, { reason, answers, ...atPersonsWord });
}

function doneAt(task: Task, id: StepId): Extract<Step['place'], { at: 'done' }> {
  const place = task.steps.get(id)?.place;
  if (place?.at !== 'done') throw new Error(`step ${id} of task ${task.id} is weighed before it is done`);
  return place;
}

/**
 * Whether a rejecting step may still send the task back. `rounds` counts the candidates that reach it, including the
 * first.
 */
export const roundsLeft = ({ rework }: WorkflowStep, step: Step): boolean =>
  rework !== null && step.reworks + 1 < rework.rounds;

/**
 * A join or a person rejected the change; the step stays open until the task goes on. The task goes where the workflow
 * says, or ends if it says nothing or all rounds are used.
 */
export function sendBack(
  draft: Draft,
  id: TaskId,
  definition: WorkflowStep,
  no: {
    readonly reason: string;
    readonly answers: readonly AnswerOf[];
    readonly atPersonsWord?: true;
    /** The signature of its gates' failure. */
    readonly signature?: string;
  },
): void {
  const reason = no.reason || `${definition.id} says no`;
  const task = taskIn(draft, id);
  const workflow = workflowOf(draft, task);
  const { rework } = definition;
  if (rework === null) {
    closeTask(draft, id, { status: 'escalated', reason });
    return;
  }
  const isPersons = no.atPersonsWord === true || definition.kind === 'human';
  const late = isPersons ? null : usedLastRound(task, draft.envelope.at, draft.project.board.limits.task_age_ms);
  if (late !== null) {
    closeTask(draft, id, { status: 'escalated', reason: `${reason.slice(0, MAX_LINE / 2)}; ${guardText(late)}` });
    return;
  }
  if (no.atPersonsWord !== true && !roundsLeft(definition, task.steps.get(definition.id) as Step)) {
    const end = noRoundLeft(reason, definition);
    if (definition.asksPerson) askPerson(draft, id, definition, { asks: 'rounds', reason: end });
    else closeTask(draft, id, { status: workflow.onExhausted, reason: end });
    return;
  }
  const after = stepsAfter(workflow, rework.to).filter((step) => task.steps.has(step));
  const voids = [...after, ...analysesOf(workflow, task, [rework.to, ...after])];
  const analysts = definition.kind === 'gate' ? workflow.steps.get(rework.to)?.analysts : undefined;
  const estimated = chargeOpen(draft, task, voids);
  draft.emit(taskStream(id), {
    type: 'task.reworked',
    data: {
      from: definition.id,
      to: rework.to,
      voids,
      reason,
      answers: [...no.answers],
      ...(analysts === undefined || analysts.length === 0 ? {} : { analyses: [...analysts] }),
      ...(no.signature === undefined ? {} : { signature: no.signature }),
      ...(task.warned === undefined ? {} : { late: true as const }),
      ...estimated,
    },
  });
}

/** Running analyses of changes that no step builds on any more. */
const analysesOf = ({ steps }: Workflow, { open }: Task, gone: readonly StepId[]): StepId[] =>
  open.filter((id) => {
    const of = steps.get(id)?.analyses ?? null;
    return of !== null && gone.includes(of);
  });

export function noRoundLeft(reason: string, { rework }: WorkflowStep): string {
  const end = `; no round is left (${rework?.rounds} of ${rework?.rounds})`;
  return `${reason.slice(0, MAX_LINE - end.length)}${end}`;
}
