/** `supervisor resume TASK`: go on where it was left, whoever left it and how. */
import { loadLimits, loadScript } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { findTask, viewTask } from '../../../app/task-view.ts';
import { statusOf } from '../../../mind/domain/task.ts';
import { waitsFor } from '../../../mind/scheduler/explain.ts';
import { type CommandRun, EXIT, text } from '../command.ts';
import { driveTask } from '../drive-task.ts';

export const run: CommandRun = async (context) => {
  const { environment, out } = context;
  const limits = loadLimits(environment);
  const script = loadScript(text(context.flags['script']));
  const project = locateProject(context.dir);
  const opened = await openEngineDeps(environment, project, script);
  try {
    if (!(await opened.store.knows(project.id))) {
      out.error('unknown_task', 'this project has no tasks yet: `supervisor run` makes one');
      return EXIT.failed;
    }
    const task = await findTask(opened.store, project.id, context.args[0] ?? '');
    if (typeof task !== 'string') {
      out.error(task.code, task.message);
      return EXIT.failed;
    }
    const { task: before, project: state } = await viewTask(opened.store, project.id, task);
    const reopen = before.closed !== null && ['failed', 'blocked', 'escalated'].includes(before.closed.status);
    out.entry('task', `${task}: ${before.title} (${statusOf(before)})`);
    const again = reopen
      ? before.open.map((id) => `${id}: starts afresh`)
      : waitsFor(state, before, opened.deps.clock.now());
    for (const line of again) out.entry('  goes on with', line);
    const command = reopen ? { type: 'task.resume' as const, task, reason: 'by the operator' } : null;
    return await driveTask({ context, project, opened, task, command, limits, simulated: true });
  } finally {
    await opened.close();
  }
};
