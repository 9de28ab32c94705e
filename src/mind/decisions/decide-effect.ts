/** Decisions about effects outside of attempts: their intent, and the commit of a task. */
import type { StepId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { effectKey, wantedBy } from '../domain/effects.ts';
import { taskStream } from '../domain/stream-name.ts';
import type { Task } from '../domain/task.ts';
import { RECOVERY, type Recovery } from '../domain/work.ts';
import { acceptTask, closeTask } from './decide-close.ts';
import { advance, sendBack } from './decide-graph.ts';
import { leavesUnapproved } from './line-moves.ts';
import { opensAfter, refuseOutcome, stepDefinition, workflowOf } from './lookup.ts';

const LOGS_START: ReadonlySet<Recovery> = new Set(['probe', 'at-most-once']);

/** The intent of effects that must not simply be repeated; logged before a hand acts. */
export function startEffect(draft: Draft, { stream, key, task, again }: CommandOf<'effect.start'>): Rejection | null {
  const effect = wantedBy(draft.project, stream).effects.find((one) => one.key === key);
  // Workers start with their attempt and gates are repeated: neither logs a separate start.
  if (effect === undefined || !LOGS_START.has(RECOVERY[effect.work.kind]))
    return rejected('stale_effect', `${key} is no longer wanted`);
  if (effect.started && again !== true) return rejected('duplicate_effect', `${key} has started`);
  if (effect.work.kind === 'line.move' && leavesUnapproved(draft, effect)) return null;
  if (effect.started) return null;
  draft.emit(taskStream(task), {
    type: 'effect.started',
    data: { key, kind: effect.work.kind, token: effect.token },
  });
  return null;
}

export function reportApply(draft: Draft, report: CommandOf<'apply.report'>): Rejection | null {
  const { token } = report;
  const task = draft.project.tasks.get(report.task);
  if (task === undefined) return rejected('unknown_attempt', `no task ${report.task} is known`);
  if (task.applying?.token !== token) return refuseOutcome(draft, task, { step: null, token, kind: 'candidate.apply' });
  const key = effectKey(task.id, null, token, 'candidate.apply');
  draft.emit(taskStream(task.id), {
    type: 'effect.settled',
    data: { key, kind: 'candidate.apply', token, result: report.status },
  });
  const { step } = task.applying;
  if (report.status === 'refused' && step !== undefined)
    refused(draft, task, { ...task.applying, step }, report.reason);
  else if (report.status !== 'applied')
    closeTask(draft, task.id, {
      status: 'escalated',
      reason: report.reason || `the candidate could not be applied: ${report.status}`,
    });
  else if (step === undefined) acceptTask(draft, task, report);
  else committed(draft, task, { ...task.applying, step }, report);
  return null;
}

type CommitUnderWay = NonNullable<Task['applying']> & { readonly step: StepId };

/** Sends the change back with what it lacks, unless the task was sent back meanwhile: then the step runs again. */
function refused(draft: Draft, task: Task, { step, token }: CommitUnderWay, reason: string): void {
  const place = task.steps.get(step)?.place;
  if (place?.at === 'applying' && place.token === token)
    sendBack(draft, task.id, stepDefinition(draft, task, step), { reason, answers: [] });
  advance(draft, task.id);
}

/** The commit step is done, unless the task was sent back meanwhile: then the step runs again. */
function committed(
  draft: Draft,
  task: Task,
  { step, token, candidate }: CommitUnderWay,
  { commit, branch }: CommandOf<'apply.report'>,
): void {
  const place = task.steps.get(step)?.place;
  const counts = place?.at === 'applying' && place.token === token;
  const opens = counts ? opensAfter(workflowOf(draft, task), task, step) : [];
  draft.emit(taskStream(task.id), {
    type: 'step.committed',
    data: { step, token, candidate, commit, branch, opens },
  });
  advance(draft, task.id);
}
