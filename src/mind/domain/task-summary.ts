/** What lists show of a task: the summary in its projection row, written with every change of the task. */
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
  /** The branch whose landing queue it is in. */
  readonly landing?: string;
  /** A person has resolved what stopped it. */
  readonly resolved?: true;
  /** The person who took one of its steps. */
  readonly taken?: { readonly by: string; readonly at: number; readonly dir: string };
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
    ...(task.taken === undefined ? {} : { taken: { by: task.taken.by, at: task.taken.at, dir: task.taken.dir } }),
  };
}

/** A list reads many rows, so a row is small: of a title with up to 2,000 characters it holds this many. */
const MAX_TITLE = 200;

/** Cuts a text to this many characters; a cut text ends with an ellipsis. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  // Drops half a surrogate pair at the cut.
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
