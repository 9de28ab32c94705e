/** What hands may look up beside their work: stored texts, and other tasks of the project. */
import type { BlobHash, ProjectId, TaskId } from '../kernel/ids.ts';
import type { Goal } from '../mind/domain/goal.ts';
import type { TaskSummary } from '../mind/domain/task-summary.ts';
import type { ProjectBacklog } from './ports/hands.ts';
import type { RowQuery, Store } from './ports/store.ts';

/** Returns null if the text was deleted. */
export async function contentOf(store: Pick<Store, 'blob'>, hash: BlobHash): Promise<string | null> {
  const blob = await store.blob(hash);
  return blob.type === 'content' ? blob.content : null;
}

const MOST = 10;

/** The titles of other tasks: unfinished ones, oldest first, and the latest accepted ones. */
export async function aroundOf(
  store: Pick<Store, 'rows'>,
  project: ProjectId,
  task: TaskId | null,
  goal: Goal,
): Promise<ProjectBacklog> {
  const titles = async (query: Pick<RowQuery, 'status' | 'order'>) => {
    // One more than shown, because the task itself may be among them.
    const { rows } = await store.rows(project, { kind: 'task', ...query, limit: MOST + 1 });
    const others = rows.map(({ summary }) => summary as unknown as TaskSummary).filter((one) => one.task_id !== task);
    return others.slice(0, MOST).map(({ title }) => title);
  };
  return {
    goal: goal.text,
    queue: await titles({ status: ['queued', 'waiting', 'running'], order: 'oldest' }),
    history: await titles({ status: ['accepted'], order: 'updated' }),
  };
}
