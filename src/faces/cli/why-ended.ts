/** Why tasks ended badly, from the ends of their logs: `status` does not load the mind for it. */
import type { Store, StoredEvent } from '../../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import { taskStream } from '../../mind/domain/stream-name.ts';
import type { TaskSummary } from '../../mind/domain/task-summary.ts';

const ENDED: ReadonlySet<string> = new Set(['failed', 'rejected', 'escalated', 'blocked']);
/** Few events follow the end of a task: messages about it, and what became of its incident. */
const LAST_EVENTS = 40;

export async function whyEnded(
  store: Store,
  id: ProjectId,
  tasks: readonly TaskSummary[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { task_id } of tasks.filter(({ status }) => ENDED.has(status))) {
    const stream = taskStream(task_id as TaskId);
    const version = (await store.row(id, stream))?.version ?? 0;
    const events = await store.readEvents(id, stream, Math.max(0, version - LAST_EVENTS), LAST_EVENTS);
    const reason = reasonOf(events.findLast(({ type }) => type.startsWith('task.closed.')));
    if (reason !== null) found.set(task_id, reason);
  }
  return found;
}

function reasonOf(closed: StoredEvent | undefined): string | null {
  const { reason } = (closed?.data ?? {}) as { readonly reason?: unknown };
  return typeof reason === 'string' && reason !== '' ? reason : null;
}
