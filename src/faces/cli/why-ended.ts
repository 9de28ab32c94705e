/** Why tasks ended badly or did not land, from the ends of their logs: `status` does not load the mind for it. */
import type { Store, StoredEvent } from '../../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import { taskStream } from '../../mind/domain/stream-name.ts';
import type { TaskSummary } from '../../mind/domain/task-summary.ts';

const ENDED: ReadonlySet<string> = new Set(['failed', 'rejected', 'escalated', 'blocked']);
/** Few events follow the end of a task: messages about it, and what became of its incident. */
const LAST_EVENTS = 40;

type Why = { readonly label: 'why' | 'not landed'; readonly text: string };

export async function whyEnded(
  store: Store,
  id: ProjectId,
  tasks: readonly TaskSummary[],
): Promise<ReadonlyMap<string, Why>> {
  const found = new Map<string, Why>();
  for (const { task_id, status, landed, landing } of tasks) {
    const canLand = status === 'accepted' && landed === null && landing === undefined;
    if (!canLand && !ENDED.has(status)) continue;
    const stream = taskStream(task_id as TaskId);
    const version = (await store.row(id, stream))?.version ?? 0;
    const events = await store.readEvents(id, stream, Math.max(0, version - LAST_EVENTS), LAST_EVENTS);
    const why = canLand ? notLanded(events) : closedBy(events);
    if (why !== null) found.set(task_id, why);
  }
  return found;
}

function closedBy(events: readonly StoredEvent[]): Why | null {
  const { reason } = dataOf(events.findLast(({ type }) => type.startsWith('task.closed.')));
  return typeof reason === 'string' && reason !== '' ? { label: 'why', text: reason } : null;
}

/** How its last landing ended. */
function notLanded(events: readonly StoredEvent[]): Why | null {
  const { onto, reason } = dataOf(events.findLast(({ type }) => type.startsWith('task.not_landed.')));
  return typeof onto === 'string' && typeof reason === 'string'
    ? { label: 'not landed', text: `on ${onto}: ${reason}` }
    : null;
}

const dataOf = (event: StoredEvent | undefined): { readonly onto?: unknown; readonly reason?: unknown } =>
  (event?.data ?? {}) as object;
