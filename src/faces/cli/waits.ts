/** Why tasks wait, as far as it hangs on CLIs. */
import { loadStream } from '../../engine/loading.ts';
import { type Store, THIS_HOST } from '../../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import { EMPTY_PROJECT } from '../../mind/domain/project.ts';
import { BOARD, HOST, taskStream, workflowStream } from '../../mind/domain/stream-name.ts';
import type { TaskSummary } from '../../mind/domain/task-summary.ts';
import { waitsForClis } from '../../mind/scheduler/explain.ts';

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
