/** What lists show of a task: the projection row that is written with every change of it. */
import type { Task } from '../domain/task.ts';
import { statusOf } from '../domain/task.ts';
import type { TaskStatus } from '../domain/values.ts';

export type TaskSummary = {
  readonly task_id: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly workflow: string;
  readonly branch: string | null;
  readonly attempts: number;
  readonly created_at: number;
  readonly updated_at: number;
};

export function summaryOf(task: Task, workflowName: string): TaskSummary {
  return {
    task_id: task.id,
    title: task.title,
    status: statusOf(task),
    workflow: workflowName,
    branch: task.closed?.branch ?? null,
    attempts: task.attempts,
    created_at: task.created,
    updated_at: task.updated,
  };
}
