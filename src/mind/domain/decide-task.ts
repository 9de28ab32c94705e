/** Decisions about a task as a whole: make, cancel, reopen, and what its timers say. */
import type { StepId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { checkWorkflow, compileWorkflow, workflowHashOf } from '../workflows/workflow.ts';
import type { CommandOf } from './commands.ts';
import { closeTask, finishIfDone, settleAttempt } from './decide-outcome.ts';
import type { Draft } from './draft.ts';
import { taskStream } from './project.ts';
import { attemptOf, statusOf } from './task.ts';
import { UNKNOWN_COST } from './values.ts';

export function createTask(draft: Draft, command: CommandOf<'task.create'>): Rejection | null {
  const { project } = draft;
  if (project.tasks.has(command.task)) return rejected('task_exists', `task ${command.task} exists already`);
  const problem = checkWorkflow(command.workflow, project.board.limits.max_steps);
  if (problem !== null) return problem;
  const hash = workflowHashOf(command.workflow);
  const pinned = project.workflows.get(hash);
  if (pinned === undefined) {
    draft.emit(`workflow/${hash.slice(0, 12)}`, {
      type: 'workflow.pinned',
      data: { hash, definition: command.workflow },
    });
  }
  const { task, title, spec, onto, base, priority } = command;
  const opens = [...(pinned ?? compileWorkflow(command.workflow, hash)).initial];
  const data = {
    task,
    title,
    spec,
    onto,
    base,
    workflow: hash,
    priority,
    order: project.holds.nextOrder,
    opens,
    trace: draft.envelope.id,
  };
  draft.emit(taskStream(task), { type: 'task.created', data });
  return null;
}

export function cancelTask(draft: Draft, command: CommandOf<'task.cancel'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  if (task.closed !== null) return rejected('task_closed', `task ${task.id} is ${task.closed.status} already`);
  if (task.started.length > 0)
    return rejected('too_late', `task ${task.id} is being applied: wait for it, then undo the commit`);
  closeTask(draft, task.id, { status: 'cancelled', reason: command.reason || 'cancelled by the operator' });
  return null;
}

/** `resume` on a task that needed a person: its open steps start afresh, and breakers in their way are reset. */
export function resumeTask(draft: Draft, command: CommandOf<'task.resume'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  if (task.closed === null) return null;
  const { status } = task.closed;
  if (status !== 'failed' && status !== 'blocked' && status !== 'escalated') {
    return rejected('task_closed', `task ${task.id} is ${statusOf(task)}: nothing is left to do`);
  }
  const workflow = draft.project.workflows.get(task.workflow);
  for (const id of task.open) {
    const role = workflow?.steps.get(id)?.role ?? id;
    for (const [lane] of draft.project.board.breakers.entries(`${role}/`)) {
      if (lane.startsWith(`${role}/`)) draft.emit('board', { type: 'breaker.reset', data: { lane } });
    }
  }
  const opens: StepId[] = [...task.open];
  draft.emit(taskStream(task.id), { type: 'task.reopened', data: { opens, reason: command.reason } });
  finishIfDone(draft, task.id);
  return null;
}

/** The line was moved already, by compare-and-swap; told again, it is the same fact. */
export function landTask(draft: Draft, command: CommandOf<'task.land'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  if (task.closed?.status !== 'accepted' || task.closed.commit === null)
    return rejected(
      'not_accepted',
      `task ${task.id} is ${statusOf(task)}: only an accepted task with a commit can land`,
    );
  const { onto, commit } = command;
  if (task.landed?.onto === onto && task.landed.commit === commit) return null;
  draft.emit(taskStream(task.id), { type: 'task.landed', data: { onto, commit } });
  return null;
}

/** A timer is only a reminder: it acts when the state still waits for exactly this. */
export function fireTimer(draft: Draft, command: CommandOf<'timer.fire'>): Rejection | null {
  const { project, envelope } = draft;
  const task = project.tasks.get(command.task);
  if (task === undefined || task.closed !== null) return stale(command);
  if (command.timer === 'age') {
    if (task.applying !== null || envelope.at < task.opened + project.board.limits.task_age_ms) return stale(command);
    closeTask(draft, task.id, { status: 'escalated', reason: 'the task is older than task_age allows' });
    return null;
  }
  const step = command.step === null ? undefined : task.steps.get(command.step);
  if (step === undefined || command.step === null) return stale(command);
  if (command.timer === 'backoff') {
    if (step.place.at !== 'parked' || envelope.at < step.place.until) return stale(command);
    draft.emit(taskStream(task.id), { type: 'step.woken', data: { step: command.step } });
    return null;
  }
  if (step.place.at !== 'working' || attemptOf(step).token !== command.token || envelope.at < attemptOf(step).deadline)
    return stale(command);
  settleAttempt(draft, task.id, command.step, {
    class: 'timeout',
    reason: 'no outcome before the deadline',
    candidate: null,
    answer: null,
    cost: UNKNOWN_COST,
    reset_at: null,
  });
  return null;
}

function stale(command: CommandOf<'timer.fire'>): Rejection {
  return rejected('stale_timer', `task ${command.task} no longer waits for its ${command.timer} timer`);
}

export function unknownTask(id: string): Rejection {
  return rejected('unknown_task', `no task ${id} in this project; \`supervisor status\` lists them`);
}
