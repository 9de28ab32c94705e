/**
 * `supervisor retry TASK`: tries once more, whether the task failed, asks whether to try again, or waits for its time.
 */
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { findTask, NO_TASKS, viewTask } from '../../../app/task-view.ts';
import { type Rejection, rejected } from '../../../kernel/result.ts';
import { statusOf, type Task } from '../../../mind/domain/task.ts';
import { type CommandContext, type CommandRun, EXIT } from '../command.ts';
import { answerStep } from './approve.ts';
import { run as resume } from './resume.ts';

export const run: CommandRun = async (context) => {
  const way = await wayOf(context);
  if (typeof way === 'object') {
    context.out.error(way.code, way.message);
    return EXIT.failed;
  }
  if (way === 'yes') return answerStep(context, 'APPROVE');
  return resume(way === 'wake' ? { ...context, flags: { ...context.flags, wake: true } } : context);
};

type RetryWay = 'resume' | 'wake' | 'yes';

async function wayOf({ args, environment, dir }: CommandContext): Promise<RetryWay | Rejection> {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  if (store === null) return NO_TASKS;
  try {
    const id = await findTask(store, project.id, args[0] ?? '');
    return typeof id === 'string' ? wayFor((await viewTask(store, project.id, id)).task) : id;
  } finally {
    await store.close();
  }
}

const AGAIN: ReadonlySet<string> = new Set(['failed', 'blocked', 'escalated', 'paused']);

function wayFor(task: Task): RetryWay | Rejection {
  const status = statusOf(task);
  if (AGAIN.has(status)) return 'resume';
  const places = task.closed === null ? task.open.flatMap((id) => task.steps.get(id)?.place ?? []) : [];
  if (places.some((place) => place.at === 'waiting' && (place.asks === 'failure' || place.asks === 'rounds')))
    return 'yes';
  if (places.some(({ at }) => at === 'parked')) return 'wake';
  return rejected('nothing_to_retry', `task ${task.id} is ${status}: it has nothing to retry`);
}
