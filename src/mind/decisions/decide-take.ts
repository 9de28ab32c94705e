/** Decisions about a person who works on a step: take it, give the result as the next attempt, or drop it. */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { personOf } from '../approvals/people.ts';
import { takenText } from '../approvals/taken-text.ts';
import { actorText, type Command, type CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import type { Taken } from '../domain/taken.ts';
import { isBusy, type Step, type Task } from '../domain/task.ts';
import type { Candidate } from '../domain/values.ts';
import { lockObstacle, locksToTake, skipAnalysis } from '../scheduler/grant.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { chargeOpen } from './decide-close.ts';
import { isHeld, sendBackHeld } from './decide-finding.ts';
import { advance } from './decide-graph.ts';
import { giveUpAttempt } from './decide-task.ts';
import { opensAgain, stepDefinition, taskIn, unknownTask } from './lookup.ts';

export type Taking = CommandOf<'step.take' | 'step.give' | 'step.drop'>;

export const isTaking = (command: Command): command is Taking =>
  command.type === 'step.take' || command.type === 'step.give' || command.type === 'step.drop';

export function decideTaking(draft: Draft, command: Taking): Rejection | null {
  if (command.type === 'step.take') return takeStep(draft, command);
  return command.type === 'step.give' ? giveStep(draft, command) : dropStep(draft, command);
}

/** The same person asking again for the same place changes nothing, but their checkout may still be missing. */
function takeStep(draft: Draft, { task: id, step, dir }: CommandOf<'step.take'>): Rejection | null {
  const task = draft.project.tasks.get(id);
  if (task === undefined) return unknownTask(id);
  const by = actorText(draft.envelope.actor);
  const { taken, base } = task;
  if (taken !== undefined) {
    const isSame = taken.by === by && taken.dir === dir && (step ?? taken.step) === taken.step;
    return isSame ? null : rejected('taken', takenText(id, taken));
  }
  const refusal = cannotBeTaken(task);
  if (refusal !== null) return refusal;
  if (base === null)
    return rejected('no_base', `task ${id} has not begun: it gets its base with its first attempt, so wait for that`);
  const chosen = chooseStep(draft, task, step);
  if (typeof chosen !== 'string') return chosen;
  const on = startsWith(task, task.steps.get(chosen) as Step);
  draft.emit(taskStream(id), { type: 'step.taken', data: { step: chosen, by, dir, base, on } });
  return null;
}

const REOPENS: ReadonlySet<string> = new Set(['failed', 'blocked', 'escalated']);

function cannotBeTaken(task: Task): Rejection | null {
  const { id, closed, spec, applying } = task;
  if (spec.simulated === true) return rejected('simulated', `task ${id} is only played: there is nothing to take`);
  if (closed !== null && !REOPENS.has(closed.status))
    return rejected('task_closed', `task ${id} is ${closed.status}: nothing is left to do`);
  if (applying !== null)
    return rejected('too_late', `task ${id} has passed its gates and is being committed: wait for it`);
  return null;
}

function chooseStep(draft: Draft, task: Task, named: StepId | undefined): StepId | Rejection {
  const { id } = task;
  const open = task.open.filter((step) => named === undefined || step === named);
  if (open.length === 0) {
    const list = task.open.length === 0 ? '' : ` (open: ${task.open.join(', ')})`;
    return rejected('unknown_step', `no step ${named ?? ''} of task ${id} is open${list}: \`supervisor show ${id}\``);
  }
  const changes = open.filter((step) => stepDefinition(draft, task, step).kind === 'change');
  const [step, another] = changes;
  if (step === undefined) return rejected('no_change_step', noChangeText(task, open));
  if (another !== undefined)
    return rejected('which_step', `task ${id} has several steps to take: name one with --step (${changes.join(', ')})`);
  // A paused worker is ended. If its process is gone, no report comes: `give` settles the attempt.
  if (!isBusy(task.steps.get(step)) || task.paused === true) return step;
  return rejected('running', `task ${id} is running: \`supervisor pause ${id}\` first, or wait until it has ended`);
}

/** A change that waits for an answer goes back first; a paused task is not given to a worker then. */
function noChangeText({ id, steps }: Task, open: readonly StepId[]): string {
  const text = `step ${open.join(', ')} of task ${id} makes no change: only a step that changes files can be taken`;
  return open.some((step) => steps.get(step)?.place.at === 'waiting')
    ? `${text}. \`supervisor pause ${id}\`, then \`supervisor reject ${id} --reason "…"\` sends its change back, and you can take it`
    : text;
}

/** The newest change of the step, even a rejected one; null if there is none and the person starts from the base. */
function startsWith({ candidate }: Task, { place, sentBack }: Step): Candidate | null {
  const held = place.at === 'waiting' ? place.held : place;
  const made = held?.at === 'checking' ? held.product.candidate : null;
  return made ?? sentBack ?? candidate;
}

/**
 * A person's attempt is like any other, but no CLI makes it: it takes no slot and uses up none of the workers'
 * attempts.
 */
function giveStep(draft: Draft, { task: id, attempt }: CommandOf<'step.give'>): Rejection | null {
  const task = draft.project.tasks.get(id);
  if (task === undefined) return unknownTask(id);
  const by = actorText(draft.envelope.actor);
  const { taken } = task;
  if (taken === undefined) return rejected('not_taken', notTakenText(id));
  if (taken.by !== by) return rejected('taken', takenText(id, taken));
  const { step: stepId } = taken;
  const step = task.steps.get(stepId) as Step;
  if (isGiven(step)) return rejected('given_already', givenText(id));
  if (attempt !== step.attempts + 1)
    return rejected('stale', `task ${id} has gone on since: \`supervisor show ${id}\`, then give again`);
  if (draft.project.board.halted !== undefined)
    return rejected('halted', 'the project is halted: `supervisor resume` first, then give again');
  if (task.applying !== null)
    return rejected('too_late', `another part of task ${id} is being committed: wait for it, then give again`);
  const lock = lockObstacle(draft.project, task);
  if (lock !== null) return rejected('locked', `task ${id} needs ${lock}: wait for it, then give again`);
  makeReady(draft, task, stepId);
  const ready = taskIn(draft, id);
  if (ready.closed !== null || ready.steps.get(stepId)?.place.at !== 'ready')
    return rejected('too_late', `step ${stepId} of task ${id} cannot go on: \`supervisor show ${id}\``);
  start(draft, ready, stepDefinition(draft, ready, stepId), taken);
  advance(draft, id);
  return null;
}

/** The person's work answers what the step waited for. */
function makeReady(draft: Draft, { id, paused }: Task, step: StepId): void {
  const reason = 'a person made the change';
  const stream = taskStream(id);
  if (paused === true) giveUpAttempt(draft, taskIn(draft, id), step, reason);
  const task = taskIn(draft, id);
  if (task.closed !== null)
    draft.emit(stream, { type: 'task.reopened', data: { opens: opensAgain(draft, task), reason } });
  else if (task.paused === true) draft.emit(stream, { type: 'task.resumed', data: { reason } });
  const place = taskIn(draft, id).steps.get(step)?.place;
  if (isHeld(place)) sendBackHeld(draft, taskIn(draft, id), reason, step);
  else if (place?.at === 'waiting') {
    const by = actorText(draft.envelope.actor);
    const data = { step, token: place.token, decision: 'APPROVE' as const, by, reason, opens: [] };
    draft.emit(stream, { type: 'step.answered', data });
  } else if (place?.at === 'parked') draft.emit(stream, { type: 'step.woken', data: { step } });
  dropAnalyses(draft, id, step, reason);
}

/** Roles that still analyse the change before this one are not waited for: their opinion comes too late. */
function dropAnalyses(draft: Draft, id: TaskId, step: StepId, reason: string): void {
  const place = taskIn(draft, id).steps.get(step)?.place;
  if (place?.at !== 'ready') return;
  for (const analysis of place.awaits ?? []) {
    giveUpAttempt(draft, taskIn(draft, id), analysis, reason);
    skipAnalysis(draft, taskIn(draft, id), analysis, reason);
  }
}

function start(draft: Draft, task: Task, { id: step, wallMs }: WorkflowStep, { by, dir }: Taken): void {
  const { attempts, round } = task.steps.get(step) as Step;
  const { wall_ms } = draft.project.board.limits;
  draft.emit(taskStream(task.id), {
    type: 'attempt.started',
    data: {
      step,
      attempt: attempts + 1,
      token: task.token + 1,
      kind: 'change',
      round,
      on: task.candidate,
      cli: '',
      reserve: 0,
      locks: locksToTake(task),
      deadline: draft.envelope.at + Math.min(wall_ms, wallMs ?? Number.POSITIVE_INFINITY),
      given: { by, dir },
    },
  });
}

/** The task returns to its state before the person took the step. Their checkout stays: only they may delete it. */
function dropStep(draft: Draft, { task: id, reason }: CommandOf<'step.drop'>): Rejection | null {
  const task = draft.project.tasks.get(id);
  if (task === undefined) return unknownTask(id);
  const { taken } = task;
  if (taken === undefined) return rejected('not_taken', notTakenText(id));
  const { step } = taken;
  const by = actorText(draft.envelope.actor);
  if (taken.by !== by && reason.trim() === '')
    return rejected('needs_reason', `${personOf(taken.by)} has task ${id}: say with --reason why it is taken away`);
  if (isGiven(task.steps.get(step))) {
    if (task.paused !== true) return rejected('given_already', givenText(id));
    giveUpAttempt(draft, task, step, 'the person dropped it');
  }
  const stream = taskStream(id);
  draft.emit(stream, { type: 'step.dropped', data: { step, by, reason } });
  const dropped = taskIn(draft, id);
  const { before } = taken;
  if (dropped.closed !== null || before === undefined) return null;
  if (before === 'paused') {
    if (dropped.paused !== true) draft.emit(stream, { type: 'task.paused', data: { reason: 'as before' } });
  } else if (!dropped.open.some((one) => isBusy(dropped.steps.get(one)))) {
    // Another step may have been held with what it made.
    const estimated = chargeOpen(draft, dropped, dropped.open);
    draft.emit(stream, { type: 'task.closed', data: { ...before, ...estimated } });
  }
  return null;
}

const isGiven = (step: Step | undefined): boolean => {
  const place = step?.place;
  return (place?.at === 'working' || place?.at === 'checking') && place.attempt.given !== undefined;
};

const notTakenText = (id: string): string =>
  `task ${id} is not taken: \`supervisor take ${id}\` makes a checkout of it to work in`;

const givenText = (id: string): string =>
  `your work on task ${id} is being checked: \`supervisor attach ${id}\` shows how it goes`;
