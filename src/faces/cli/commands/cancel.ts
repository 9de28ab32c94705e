/** `supervisor cancel TASK`: works beside a running process as well as without one. */
import { sendCommand } from '../../../app/drive.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { findTask } from '../../../app/task-view.ts';
import { type CommandRun, EXIT, text } from '../command.ts';
import { onStop } from '../signals.ts';

export const run: CommandRun = async ({ args, flags, out, environment, dir }) => {
  const project = locateProject(dir);
  const opened = await openEngineDeps(environment, project);
  const stop = onStop(() => {});
  try {
    const task = (await opened.store.knows(project.id))
      ? await findTask(opened.store, project.id, args[0] ?? '')
      : { code: 'unknown_task', message: 'this project has no tasks yet' };
    if (typeof task !== 'string') {
      out.error(task.code, task.message);
      return EXIT.failed;
    }
    const command = { type: 'task.cancel' as const, task, reason: text(flags['reason']) ?? '' };
    const rejection = await sendCommand({ environment, project, opened, signal: stop.signal, command });
    if (rejection !== null) {
      out.error(rejection.code, rejection.message);
      return rejection.code === 'interrupted' ? EXIT.interrupted : EXIT.failed;
    }
    out.value({ task_id: task, status: 'cancelled' });
    out.line(`${task} is cancelled`);
    return EXIT.done;
  } finally {
    stop.release();
    await opened.close();
  }
};
