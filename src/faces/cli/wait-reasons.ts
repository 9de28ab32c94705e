/** Why tasks wait for people and CLIs. */
import { loadStream } from '../../engine/loading.ts';
import { type Store, THIS_HOST } from '../../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import { questionsOf } from '../../mind/approvals/question.ts';
import { EMPTY_PROJECT } from '../../mind/domain/project.ts';
import { BOARD, HOST, taskStream, workflowStream } from '../../mind/domain/stream-name.ts';
import type { TaskSummary } from '../../mind/domain/task-summary.ts';
import { waitsForClis } from '../../mind/scheduler/explain.ts';

/** A question to a person, and the command that answers it. A proposal has no task and no step. */
export type TaskQuestion = {
  readonly task_id: string | null;
  readonly title: string;
  readonly step: string | null;
  readonly text: string;
  readonly answer: string;
};

/** Every open question of these tasks. */
export async function questionsNow(
  store: Store,
  id: ProjectId,
  tasks: readonly TaskSummary[],
): Promise<TaskQuestion[]> {
  const asked: TaskQuestion[] = [];
  for (const { task_id } of tasks) {
    const { project } = await loadStream(store, id, taskStream(task_id as TaskId), EMPTY_PROJECT);
    const task = project.tasks.get(task_id);
    if (task === undefined) continue;
    const known = await loadStream(store, id, workflowStream(task.workflow), project);
    const workflow = known.project.workflows.get(task.workflow);
    if (workflow === undefined) continue;
    for (const { step, text, approve: answer } of questionsOf(task, workflow, Date.now()))
      asked.push({ task_id, title: task.title, step, text, answer });
  }
  return asked;
}

export async function reasonsOf(
  store: Store,
  id: ProjectId,
  waiting: readonly TaskSummary[],
  now: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const host = (await loadStream(store, THIS_HOST, HOST, EMPTY_PROJECT)).project;
  const shared = (await loadStream(store, id, BOARD, host)).project;
  const found = new Map<string, readonly string[]>();
  for (const { task_id } of waiting) {
    const { project } = await loadStream(store, id, taskStream(task_id as TaskId), shared);
    const task = project.tasks.get(task_id);
    if (task === undefined) continue;
    const known = await loadStream(store, id, workflowStream(task.workflow), project);
    const why = waitsForClis(known.project, task, now);
    if (why.length > 0) found.set(task_id, why);
  }
  return found;
}
