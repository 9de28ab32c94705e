/** One task as the log tells it, for faces: state, pinned workflow, and every event of its stream. */
import { loadProject, loadStream, revive } from '../engine/loading.ts';
import type { Store } from '../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../kernel/ids.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { NewEvent } from '../mind/domain/events/index.ts';
import { type Project, taskStream } from '../mind/domain/project.ts';
import type { Task } from '../mind/domain/task.ts';
import type { Workflow } from '../mind/workflows/workflow.ts';

export type TaskView = {
  readonly project: Project;
  readonly task: Task;
  readonly workflow: Workflow;
  readonly events: readonly NewEvent[];
};

/** A full id, or a beginning that only one task has. */
export async function findTask(store: Store, project: ProjectId, named: string): Promise<TaskId | Rejection> {
  const ids = (await store.streams(project, 'task/')).map((row) => row.stream.slice('task/'.length));
  if (ids.includes(named)) return named as TaskId;
  if (named === '') return rejected('unknown_task', 'TASK is empty: name a task, `supervisor status` lists them');
  const matching = ids.filter((id) => id.startsWith(named));
  if (matching.length === 1) return matching[0] as TaskId;
  if (matching.length > 1)
    return rejected(
      'ambiguous_task',
      `${named} is the beginning of ${matching.length} tasks: ${matching.slice(0, 5).join(', ')}`,
    );
  return rejected('unknown_task', `there is no task ${named} in this project; \`supervisor status\` lists them`);
}

export async function viewTask(store: Store, boundary: ProjectId, id: TaskId): Promise<TaskView> {
  // A reducer version no snapshot has: the whole stream is read.
  const { events } = await store.readStream(boundary, taskStream(id), 0);
  let { project } = await loadProject(store, boundary);
  if (!project.tasks.has(id)) ({ project } = await loadStream(store, boundary, taskStream(id), project));
  const task = project.tasks.get(id);
  const workflow = task === undefined ? undefined : project.workflows.get(task.workflow);
  if (task === undefined || workflow === undefined) throw new Error(`task ${id} has no state in the log`);
  return { project, task, workflow, events: events.map(revive) };
}
