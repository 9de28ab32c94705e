/** What lists show of a task: the summary in its projection row, which is written with every change of the task. */
import type { Task } from './task.ts';
import { statusOf } from './task.ts';
import type { TaskStatus } from './values.ts';

export type TaskSummary = {
  readonly task_id: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly workflow: string;
  readonly branch: string | null;
  readonly attempts: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly landed: { readonly onto: string; readonly commit: string } | null;
  /** The branch in whose landing queue it is. */
  readonly landing?: string;
  /** A person has dealt with what stopped it. */
  readonly resolved?: true;
};

export function summaryOf(task: Task, workflowName: string): TaskSummary {
  return {
    task_id: task.id,
    title: shortened(task.title, MAX_TITLE),
    status: statusOf(task),
    workflow: shortened(workflowName, MAX_TITLE),
    branch: task.closed?.branch ?? null,
    attempts: task.attempts,
    created_at: task.created,
    updated_at: task.updated,
    landed: task.landed,
    ...(task.landing === undefined ? {} : { landing: task.landing.onto }),
    ...(task.resolved === undefined ? {} : { resolved: true }),
  };
}

/** A list reads many rows, so a row stays small: a title may have 2,000 characters, its row shows this many. */
const MAX_TITLE = 200;

/** At most so many characters; a text that was cut ends with an ellipsis. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  // Half a character at the cut is dropped.
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
