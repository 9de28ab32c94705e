/** Decides whether a task has reached a point where its driver and followers can leave. */
import { loadProject, loadStream } from '../engine/loading.ts';
import type { Store } from '../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../kernel/ids.ts';
import { wantedBy } from '../mind/domain/effects.ts';
import { EMPTY_PROJECT, type Project } from '../mind/domain/project.ts';
import { BOARD, taskStream } from '../mind/domain/stream-name.ts';
import { type Task, untold, waitsForPerson } from '../mind/domain/task.ts';

/** `waiting`: needs an answer of a person. `halted`: needs the project to be resumed. */
export type TaskEnd = 'closed' | 'paused' | 'waiting' | 'halted';

/**
 * The task is closed and all messages are sent; or paused with no workers left; or every open step asks a person. Null
 * while something still runs.
 */
function endOf(task: Task, purpose?: 'landed'): TaskEnd | null {
  if (purpose === 'landed') return task.landing === undefined ? 'closed' : null;
  if (task.closed !== null) return task.notify ? null : 'closed';
  const works = task.applying !== null || task.open.some((id) => task.steps.get(id)?.place.at === 'working');
  if (task.paused === true) return works ? null : 'paused';
  return waitsForPerson(task) && untold(task) === null ? 'waiting' : null;
}

/** The same within a project, which may be halted: then a task ends when nothing of it runs any more. */
export function endIn(project: Project, task: Task, purpose?: 'landed'): TaskEnd | null {
  const end = endOf(task, purpose);
  if (end !== null || purpose === 'landed' || project.board.halted === undefined) return end;
  return wantedBy(project, taskStream(task.id)).effects.length === 0 ? 'halted' : null;
}

/** The same, read from the log; reads the whole project only if it is halted. */
export async function endNow(
  store: Store,
  project: ProjectId,
  id: TaskId,
  purpose?: 'landed',
): Promise<TaskEnd | null> {
  const task = await taskNow(store, project, id);
  if (task === undefined) return null;
  const end = endOf(task, purpose);
  if (end !== null) return end;
  const { board } = (await loadStream(store, project, BOARD, EMPTY_PROJECT)).project;
  if (board.halted === undefined) return null;
  const whole = (await loadProject(store, project)).project;
  const own = whole.tasks.get(id);
  return own === undefined ? null : endIn(whole, own, purpose);
}

/** The task as its stream has it now; undefined if there is no such task. */
async function taskNow(store: Store, project: ProjectId, id: TaskId): Promise<Task | undefined> {
  return (await loadStream(store, project, taskStream(id), EMPTY_PROJECT)).project.tasks.get(id);
}
