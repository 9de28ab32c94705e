/** What hands may look up beside their work: texts that were kept, and what goes on around a task. */
import type { BlobHash, TaskId } from '../kernel/ids.ts';
import type { Goal } from '../mind/domain/goal.ts';
import type { TaskSummary } from '../mind/protocol/task-summary.ts';
import type { Around } from './ports/hands.ts';
import type { Store, StreamRow } from './ports/store.ts';

/** Null when it was deleted since. */
export async function contentOf(store: Pick<Store, 'blob'>, hash: BlobHash): Promise<string | null> {
  const blob = await store.blob(hash);
  return blob.type === 'content' ? blob.content : null;
}

const MOST = 10;
const WAITING = new Set(['queued', 'waiting', 'running']);

export function aroundOf(task: TaskId, goal: Goal, rows: readonly Pick<StreamRow, 'summary'>[]): Around {
  const others = rows.map(({ summary }) => summary as unknown as TaskSummary).filter((one) => one.task_id !== task);
  const titles = (some: readonly TaskSummary[]) => some.slice(0, MOST).map(({ title }) => title);
  return {
    goal: goal.text,
    queue: titles(others.filter(({ status }) => WAITING.has(status)).sort((a, b) => a.created_at - b.created_at)),
    history: titles(others.filter(({ status }) => status === 'accepted').sort((a, b) => b.updated_at - a.updated_at)),
  };
}
