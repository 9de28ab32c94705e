/** Decisions about the way through a workflow: steps that need no worker, and the way back. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { atLeastOne, neededFor } from '../approvals/needed.ts';
import { riskFactsOf } from '../approvals/risk.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import { type AnswerOf, isBusy, type Step, type Task } from '../domain/task.ts';
import { MAX_LINE, UNKNOWN_COST } from '../domain/values.ts';
import { weigh } from '../verdict/weigh.ts';
import { stepsAfter, type WorkflowStep } from '../workflows/workflow.ts';
import { askPerson } from './ask-person.ts';
import { apply, chargeOpen, closeTask, finishIfDone } from './decide-close.ts';
import { goesOn, isLeftToPerson, isSplit, judgeReviews, objectionText, reviewOf } from './decide-verdict.ts';
import { opensAfter, stepDefinition, taskIn, workflowOf } from './lookup.ts';

/**
 * After a step was done or opened: begins every open step that needs no worker, and finishes the task when none is left.
 * A task that is about to fail goes nowhere; it closes when its last attempt has ended.
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
    // A paused task begins nothing; `resume` comes here again.
    const next = task.paused ? undefined : task.open.find((step) => canBegin(draft, task, step));
    if (next === undefined) {
      finishIfDone(draft, id);
      return;
    }
    begin(draft, task, stepDefinition(draft, task, next));
  }
}

/** It needs no worker. One commit of a task is made at a time, and none while a person decides about a critical finding of the change. */
function canBegin(draft: Draft, task: Task, step: StepId): boolean {
  if (task.steps.get(step)?.place.at !== 'ready') return false;
  const { kind } = stepDefinition(draft, task, step);
  return kind !== 'change' && kind !== 'answer' && (kind !== 'commit' || (task.applying === null && !isHeldBack(task)));
}

const isHeldBack = ({ open, steps }: Task): boolean =>
  open.some((id) => {
    const place = steps.get(id)?.place;
    return place?.at === 'waiting' && place.held !== undefined;
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

/** What the policies ask about this change decides whether a person is asked, and how many have to agree. */
function askByPolicy(draft: Draft, task: Task, definition: WorkflowStep): void {
  const { candidate } = task;
  if (candidate === null) {
    passOn(draft, task, definition, 'there is no change to approve');
    return;
  }
  const { timeoutMs, ...asked } = neededFor(definition.policies, riskFactsOf(task));
  const reason = `${asked.level}: ${asked.why}`;
  if (definition.ifAsked && asked.action === 'auto_approve')
    passOn(draft, task, definition, `no approval is asked (${reason})`);
  else if (definition.ifAsked && asked.action === 'notify_and_timeout')
    askPerson(draft, task.id, definition, {
      asks: 'approval',
      reason,
      needed: asked,
      until: draft.envelope.at + timeoutMs,
    });
  else askPerson(draft, task.id, definition, { asks: 'approval', reason, needed: atLeastOne(asked) });
}

/** What is on the branch already is not put there again. */
function commit(draft: Draft, task: Task, definition: WorkflowStep): void {
  const { candidate, committed } = task;
  if (candidate === null) passOn(draft, task, definition, 'there is no change to commit');
  else if (committed?.candidate.change_id === candidate.change_id)
    passOn(draft, task, definition, `${committed.branch ?? 'its branch'} holds this change already`);
  else apply(draft, task, { candidate, step: definition.id });
}

/** An attempt without a worker: what its gates look at is there already. */
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

/** Nothing is left to do at the step: the task goes on. */
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
  // A person has said that a critical finding stands: then no limit of rounds keeps the change from going back.
  const atPersonsWord = verdict.reasons.includes('critical_finding') ? { atPersonsWord: true as const } : {};
  sendBack(draft, task.id, definition, { reason, answers, ...atPersonsWord });
}

function doneAt(task: Task, id: StepId): Extract<Step['place'], { at: 'done' }> {
  const place = task.steps.get(id)?.place;
  if (place?.at !== 'done') throw new Error(`step ${id} of task ${task.id} is weighed before it is done`);
  return place;
}

/** Whether a step that says no may still send the task back. `rounds` counts the candidates that reach it, the first included. */
export const roundsLeft = ({ rework }: WorkflowStep, step: Step): boolean =>
  rework !== null && step.reworks + 1 < rework.rounds;

/** A join or a person said no, and the step stays open until the task goes on: back to where the workflow says, or, when that is nowhere or used up, the end. */
export function sendBack(
  draft: Draft,
  id: TaskId,
  definition: WorkflowStep,
  no: { readonly reason: string; readonly answers: readonly AnswerOf[]; readonly atPersonsWord?: true },
): void {
  const reason = no.reason || `${definition.id} says no`;
  const task = taskIn(draft, id);
  const workflow = workflowOf(draft, task);
  const { rework } = definition;
  if (rework === null) {
    closeTask(draft, id, { status: 'escalated', reason });
    return;
  }
  if (no.atPersonsWord !== true && !roundsLeft(definition, task.steps.get(definition.id) as Step)) {
    const end = noRoundLeft(reason, definition);
    if (definition.asksPerson) askPerson(draft, id, definition, { asks: 'rounds', reason: end });
    else closeTask(draft, id, { status: workflow.onExhausted, reason: end });
    return;
  }
  const voids = stepsAfter(workflow, rework.to).filter((step) => task.steps.has(step));
  const estimated = chargeOpen(draft, task, voids);
  draft.emit(taskStream(id), {
    type: 'task.reworked',
    data: {
      from: definition.id,
      to: rework.to,
      voids,
      reason,
      answers: [...no.answers],
      ...estimated,
    },
  });
}

export function noRoundLeft(reason: string, { rework }: WorkflowStep): string {
  const end = `; no round is left (${rework?.rounds} of ${rework?.rounds})`;
  return `${reason.slice(0, MAX_LINE - end.length)}${end}`;
}
