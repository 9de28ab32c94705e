/** A step asks a person, and waits for the answer. */
import type { TaskId } from '../../kernel/ids.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import type { AnswerOf, Task } from '../domain/task.ts';
import { type Asks, type Candidate, MAX_LINE } from '../domain/values.ts';
import type { Needed } from '../workflows/approval-policy.ts';
import type { WorkflowStep } from '../workflows/workflow.ts';
import { taskIn } from './lookup.ts';

/** The answer counts only for this change, or this answer of another step. */
export function askPerson(
  draft: Draft,
  id: TaskId,
  definition: WorkflowStep,
  ask: {
    readonly asks: Asks;
    readonly reason?: string;
    readonly on?: Candidate | null;
    readonly needed?: Needed;
    readonly until?: number;
    readonly environment?: string;
  },
): void {
  const task = taskIn(draft, id);
  const { asks, reason = '', on = task.candidate, needed, until, environment } = ask;
  const about = shownAnswer(task, definition);
  draft.emit(taskStream(id), {
    type: 'step.waiting',
    data: {
      step: definition.id,
      token: task.token + 1,
      for: 'person',
      on,
      ...(asks === 'approval' ? {} : { asks }),
      ...(about === null ? {} : { about }),
      ...(reason === '' ? {} : { reason: reason.slice(0, MAX_LINE) }),
      ...(needed === undefined ? {} : { needed }),
      ...(until === undefined ? {} : { until }),
      ...(environment === undefined ? {} : { environment }),
    },
  });
}

function shownAnswer(task: Task, { about }: WorkflowStep): AnswerOf | null {
  const place = about === null ? undefined : task.steps.get(about)?.place;
  if (about === null || place?.at !== 'done' || place.answer === null) return null;
  return { step: about, answer: place.answer };
}
