/** Sends one command to a task, with or without a running process, and prints the result. */
import { sendCommand } from '../../app/drive.ts';
import { openEngineDeps } from '../../app/open.ts';
import { locateProject } from '../../app/open-store.ts';
import { findTask, NO_TASKS, viewTask } from '../../app/task-view.ts';
import type { TaskId } from '../../kernel/ids.ts';
import type { Command } from '../../mind/domain/commands.ts';
import { statusOf } from '../../mind/domain/task.ts';
import type { TaskStatus } from '../../mind/domain/values.ts';
import { type CommandContext, EXIT } from './command.ts';
import { onStop } from './signals.ts';

export async function sendToTask(
  { args, out, environment, dir }: CommandContext,
  make: (task: TaskId) => Command,
  textOf: (task: TaskId, status: TaskStatus) => string,
): Promise<number> {
  const project = locateProject(dir);
  const opened = await openEngineDeps(environment, project, { anyway: true });
  const stop = onStop(() => {});
  try {
    const task = (await opened.store.knows(project.id))
      ? await findTask(opened.store, project.id, args[0] ?? '')
      : NO_TASKS;
    if (typeof task !== 'string') {
      out.error(task.code, task.message);
      return EXIT.failed;
    }
    const rejection = await sendCommand({ environment, project, opened, signal: stop.signal, command: make(task) });
    if (rejection !== null) {
      out.error(rejection.code, rejection.message);
      return rejection.code === 'interrupted' ? EXIT.interrupted : EXIT.failed;
    }
    const status = statusOf((await viewTask(opened.store, project.id, task)).task);
    out.value({ task_id: task, status });
    out.line(textOf(task, status));
    return EXIT.done;
  } finally {
    stop.release();
    await opened.close();
  }
}
