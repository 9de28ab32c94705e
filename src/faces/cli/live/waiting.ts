/** Prints what a task waits for while nothing moves: a quota, a lock, a breaker. Each reason is printed once. */
import { viewTask } from '../../../app/task-view.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../../../kernel/ids.ts';
import { waitsFor } from '../../../mind/scheduler/explain.ts';

const LOOK_MS = 2_000;

export function watchWaiting(of: {
  readonly store: Store;
  readonly project: ProjectId;
  readonly task: TaskId;
  now(): number;
  /** Whether a worker or a gate is running. */
  busy(): boolean;
  tell(text: string): void;
}): Disposable {
  const told = new Set<string>();
  let looking = false;
  const look = async () => {
    if (looking || of.busy()) return;
    looking = true;
    try {
      const { project, task } = await viewTask(of.store, of.project, of.task);
      for (const reason of waitsFor(project, task, of.now())) {
        if (of.busy() || told.has(reason) || reason.endsWith(': its turn')) continue;
        told.add(reason);
        of.tell(`waits for ${reason}`);
      }
    } catch {
      // Display must not stop the work.
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
