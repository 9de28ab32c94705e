/** Decisions about effects outside of attempts: their intent, the commit of a task, the message to a person. */
import type { StepId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { effectKey, wantedBy } from '../domain/effects.ts';
import { taskStream } from '../domain/stream-name.ts';
import { questionKey, type Task, untold } from '../domain/task.ts';
import { RECOVERY, type Recovery } from '../domain/work.ts';
import { acceptTask, closeTask } from './decide-close.ts';
import { advance, sendBack } from './decide-graph.ts';
import { opensAfter, refuseOutcome, stepDefinition, workflowOf } from './lookup.ts';

const LOGS_START: ReadonlySet<Recovery> = new Set(['probe', 'at-most-once']);

/** The intent, logged before a hand acts, for effects that must not simply be repeated. */
export function startEffect(draft: Draft, { stream, key, task }: CommandOf<'effect.start'>): Rejection | null {
  const effect = wantedBy(draft.project, stream).effects.find((one) => one.key === key);
  // Workers begin with their attempt and gates are repeated: neither logs a start of its own.
  if (effect === undefined || !LOGS_START.has(RECOVERY[effect.work.kind]))
    return rejected('stale_effect', `${key} is no longer wanted`);
  if (effect.started) return rejected('duplicate_effect', `${key} has started`);
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

/** The change goes back and is told what it lacks, unless the task went back meanwhile: then the step comes again. */
function refused(draft: Draft, task: Task, { step, token }: CommitUnderWay, reason: string): void {
  const place = task.steps.get(step)?.place;
  if (place?.at === 'applying' && place.token === token)
    sendBack(draft, task.id, stepDefinition(draft, task, step), { reason, answers: [] });
  advance(draft, task.id);
}

/** The commit step is done, unless the task went back meanwhile: then the step comes again. */
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

export function reportNotify(draft: Draft, report: CommandOf<'notify.report'>): Rejection | null {
  const { token, result } = report;
  const task = draft.project.tasks.get(report.task);
  const waited =
    task !== undefined && (report.asks === true ? untold(task) === token : task.notify && task.token === token);
  if (task === undefined || !waited)
    return rejected('duplicate_outcome', `task ${report.task} waits for no notification`);
  const key = report.asks === true ? questionKey(task.id, token) : effectKey(task.id, null, token, 'notify.send');
  draft.emit(taskStream(task.id), { type: 'effect.settled', data: { key, kind: 'notify.send', token, result } });
  return null;
}
